// SPDX-License-Identifier: MIT

/// Facts about a node that are sent only on request: the long form of bounded texts, and facts that no event contains.
/// Open-ended: a viewer shows the entries in their order, under their names.
public struct NodeDetail: Hashable, Sendable {
    /// One fact.
    public struct Entry: Hashable, Sendable {
        /// One or two words: `error`, `cause`, `value`, `waiting handlers`.
        public var name: String
        /// The fact; may have several lines. Bounded by the sender, unescaped: hostile until escaped.
        public var text: String

        /// Makes an entry.
        public init(name: String, text: String) {
            self.name = name
            self.text = text
        }
    }

    /// The node.
    public var node: NodeID
    /// The facts.
    public var entries: [Entry]

    /// Makes a detail.
    public init(node: NodeID, entries: [Entry] = []) {
        self.node = node
        self.entries = entries
    }

    /// What stands between a function and its place in the source, in a line of an entry: `charge(Int)  Shop/Till.swift:41`.
    /// Names of functions do not have two spaces.
    public static let placeMark = "  "
}

extension NodeDetail.Entry {
    /// The place in the source of the first line that ends with one, after ``NodeDetail/placeMark``; nil if there is none.
    public var place: CodeLocation? {
        for line in text.split(separator: "\n") {
            guard let mark = line.firstRange(of: NodeDetail.placeMark), let colon = line.lastIndex(of: ":"),
                mark.upperBound < colon,
                let number = UInt32(line[line.index(after: colon)...]), number > 0
            else { continue }
            return CodeLocation(fileID: String(line[mark.upperBound..<colon]), line: number)
        }
        return nil
    }
}

/// The totals of a process, for a list of what can be attached to.
public struct ProcessTotals: Hashable, Sendable {
    /// The number of kept chains.
    public var chainCount: UInt64
    /// The number of kept nodes.
    public var nodeCount: UInt64
    /// The number of kept nodes that are not settled, and how many of these nodes have a running handler.
    public var liveCount: UInt64, runningCount: UInt64
    /// The number of kept chains that were rejected or abandoned.
    public var rejectedCount: UInt64
    /// The number of watching viewers, not counting the viewer that asks.
    public var viewerCount: UInt64

    /// Makes totals; all 0 by default.
    public init(
        chainCount: UInt64 = 0, nodeCount: UInt64 = 0, liveCount: UInt64 = 0, runningCount: UInt64 = 0,
        rejectedCount: UInt64 = 0, viewerCount: UInt64 = 0
    ) {
        self.chainCount = chainCount
        self.nodeCount = nodeCount
        self.liveCount = liveCount
        self.runningCount = runningCount
        self.rejectedCount = rejectedCount
        self.viewerCount = viewerCount
    }
}
