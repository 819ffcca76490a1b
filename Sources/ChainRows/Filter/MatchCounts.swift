// SPDX-License-Identifier: MIT

import ChainModel

/// The matching nodes and their number in each chain, with the changes of both. Takes 8 bytes for each node, and 8
/// bytes for each chain with a match.
struct MatchCounts {
    /// The number of matching nodes.
    private(set) var count = 0
    /// A number that changes whenever an answer of ``contains(_:)`` changes.
    private(set) var revision: UInt64

    private struct Node: BitwiseCopyable {
        /// ``countedFor``, and the bit of ``isTouched``.
        private var counted: UInt32 = 0
        /// For a root, the number of its chain while anything in the chain matches, else 0. A chain that loses its root
        /// keeps its number under the new root, unless the new root has a number already.
        var chainNumber: UInt32 = 0

        private static let touchedBit: UInt32 = 1 << 31

        /// The number of the chain that a matching node is counted for; 0 for a node that does not match.
        var countedFor: UInt32 {
            get { counted & ~Self.touchedBit }
            set { counted = (counted & Self.touchedBit) | newValue }
        }
        /// For a root, whether it is in `touched`.
        var isTouched: Bool {
            get { counted & Self.touchedBit != 0 }
            set { counted = newValue ? counted | Self.touchedBit : counted & ~Self.touchedBit }
        }
    }

    private struct Chain: BitwiseCopyable {
        /// How many nodes of the chain match.
        var count: UInt32 = 0
        var root: UInt32 = 0
    }

    private var nodes = PagedArray<Node>()
    /// The chains, by chain number.
    private var chains = PagedArray<Chain>()
    private var lastNumber: UInt32 = 0
    private var freeNumbers: [UInt32] = []
    /// The roots of chains with changed matches or nodes.
    private var touched: [NodeIndex] = []
    /// The nodes that began or ceased to match.
    private var flipped: [NodeIndex] = []

    init(revision: UInt64 = 0) { self.revision = revision }

    @inline(__always) func contains(_ node: NodeIndex) -> Bool { nodes[node.rawValue].countedFor != 0 }

    @inline(__always) func count(of root: NodeIndex) -> Int {
        let number = nodes[root.rawValue].chainNumber
        return number == 0 ? 0 : Int(chains[number].count)
    }

    /// Counts a node as a match of its chain.
    mutating func insert(_ node: NodeIndex, in forest: borrowing ChainForest) {
        let root = forest.root(of: node)
        var number = nodes[root.rawValue].chainNumber
        let oldNumber = nodes[node.rawValue].countedFor
        guard oldNumber == 0 || oldNumber != number else { return }
        // A node that only got another root matches as before.
        if oldNumber == 0 { flipped.append(node) } else { uncount(node, from: oldNumber) }
        if number == 0 { number = addNumber(for: root) }
        nodes[node.rawValue].countedFor = number
        chains[number].count += 1
        count += 1
        noteCount(of: root)
    }

    private mutating func addNumber(for root: NodeIndex) -> UInt32 {
        if freeNumbers.isEmpty { lastNumber += 1 }
        let number = freeNumbers.popLast() ?? lastNumber
        nodes[root.rawValue].chainNumber = number
        chains[number] = Chain(root: root.rawValue)
        return number
    }

    /// Removes a node that does not match or was evicted.
    mutating func remove(_ node: NodeIndex) {
        let oldNumber = nodes[node.rawValue].countedFor
        guard oldNumber != 0 else { return }
        uncount(node, from: oldNumber)
        flipped.append(node)
    }

    private mutating func uncount(_ node: NodeIndex, from number: UInt32) {
        nodes[node.rawValue].countedFor = 0
        count -= 1
        chains[number].count -= 1
        let chain = chains[number]
        if chain.count == 0 {
            if nodes[chain.root].chainNumber == number { nodes[chain.root].chainNumber = 0 }
            freeNumbers.append(number)
        }
        noteCount(of: NodeIndex(rawValue: chain.root))
    }

    /// Carries the count of an evicted root over to the new root of its nodes. Returns false if the new root has
    /// matches of its own: the nodes then have to be tested again.
    mutating func inherit(from old: NodeIndex, by new: NodeIndex) -> Bool {
        let number = nodes[old.rawValue].chainNumber
        guard number != 0 else { return true }
        nodes[old.rawValue].chainNumber = 0
        guard nodes[new.rawValue].chainNumber == 0 else { return false }
        nodes[new.rawValue].chainNumber = number
        chains[number].root = new.rawValue
        noteStructure(of: new)
        return true
    }

    // MARK: Changes

    private mutating func noteCount(of root: NodeIndex) {
        revision &+= 1
        noteStructure(of: root)
    }

    /// Notes that nodes of a chain were added, removed or moved.
    mutating func noteStructure(of root: NodeIndex) {
        guard !nodes[root.rawValue].isTouched else { return }
        nodes[root.rawValue].isTouched = true
        touched.append(root)
    }

    /// How many chains changed since the last call of ``takeTouched()``.
    var touchedCount: Int { touched.count }

    /// Removes and returns the roots of the chains with changed matches or nodes since the last call.
    mutating func takeTouched() -> [NodeIndex] {
        guard !touched.isEmpty else { return [] }
        for root in touched { nodes[root.rawValue].isTouched = false }
        defer { touched.removeAll(keepingCapacity: true) }
        return touched
    }

    /// Removes and returns the nodes with a changed match since the last call, in order; the result may have repeated
    /// and evicted nodes.
    mutating func takeFlipped() -> [NodeIndex] {
        guard !flipped.isEmpty else { return [] }
        defer { flipped.removeAll(keepingCapacity: true) }
        return flipped
    }
}
