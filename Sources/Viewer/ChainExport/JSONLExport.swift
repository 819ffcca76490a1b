// SPDX-License-Identifier: MIT

import ChainListing
import ChainModel

/// An exporter of nodes as JSON, one object on each line. The names of the fields are kept from release to release.
///
///     {"type":"program","format":1,"pid":4242,"name":"shop",…}
///     {"type":"node","id":12,"under":9,…,"follows":null,"members":[]}
///     {"type":"end","time":1731.5,"nodes":2,"lostEvents":0}
package struct JSONLExport: NodeExporter {
    /// The version of the format, raised when a field changes its meaning.
    package static let format = 1
    /// The maximum number of links of a node that are written in its line.
    private static let linkLimit = 1_000

    private let process: ProcessDescription
    private let output: TextOutput
    /// Nodes written so far.
    package private(set) var nodeCount = 0
    /// The depths found since the forest last changed. With this cache, finding the depths of all n nodes of a chain
    /// takes O(n).
    private var depths: [NodeIndex: Int] = [:]

    /// Makes an exporter, and writes the line about the program.
    package init(_ process: ProcessDescription, to output: @escaping TextOutput) throws {
        self.process = process
        self.output = output
        try output(Self.line("program", [("format", "\(Self.format)")] + TreeJSON.members(of: process)))
    }

    package mutating func finished(_ node: NodeIndex, in forest: borrowing ChainForest) throws {
        nodeCount += 1
        var members = TreeJSON.members(
            of: node, depth: depth(of: node, in: forest), in: forest, wallOffset: process.wallOffset, now: forest.now)
        var (follows, linked): (String?, [String]) = (nil, [])
        for link in forest.targets(of: node, limit: Self.linkLimit) {
            let id = "\(forest.id(of: link.node).rawValue)"
            if link.role == .follows { follows = id } else { linked.append(id) }
        }
        members += [("follows", follows ?? "null"), ("members", JSONText.array(linked))]
        try output(Self.line("node", members))
    }

    package mutating func unfinished(_ node: NodeIndex, in forest: borrowing ChainForest) throws {
        try finished(node, in: forest)
    }

    package mutating func advanced(_ forest: borrowing ChainForest) { depths.removeAll(keepingCapacity: true) }

    private mutating func depth(of node: NodeIndex, in forest: borrowing ChainForest) -> Int {
        var way: [NodeIndex] = []
        var next: NodeIndex? = node
        while let node = next, depths[node] == nil {
            way.append(node)
            next = forest.treeParent(of: node)
        }
        var (depth, parent) = (next.flatMap { depths[$0] } ?? 0, next)
        for node in way.reversed() {
            if let parent, forest.indentsChildren(of: parent) { depth += 1 }
            depths[node] = depth
            parent = node
        }
        return depth
    }

    /// Writes the line that ends the output.
    package func end(_ forest: borrowing ChainForest) throws {
        try output(Self.end(forest, process, [("nodes", "\(nodeCount)")]))
    }

    /// Returns a line of one type, closed by a newline.
    package static func line(_ type: String, _ members: [(name: String, value: String)]) -> String {
        JSONText.object([("type", JSONText.string(type))] + members) + "\n"
    }

    /// Returns the line that ends an output, with `counts`: named numbers of what was written.
    package static func end(
        _ forest: borrowing ChainForest, _ process: ProcessDescription, _ counts: [(name: String, value: String)]
    ) -> String {
        let time = JSONText.seconds(forest.now &+ process.wallOffset)
        return line("end", [("time", time)] + counts + [("lostEvents", "\(forest.lostCount)")])
    }
}
