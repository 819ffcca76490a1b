import ChainModel

/// Which nodes match, how many of each chain do, and what of that changed. 8 bytes a node, and 8 a chain in which one does.
struct MatchCounts {
    /// How many match.
    private(set) var count = 0
    /// Changes whenever ``contains(_:)`` does for any node.
    private(set) var revision: UInt64

    private struct Node: BitwiseCopyable {
        /// The number of the chain that it is counted for, as long as it matches, else 0; and the bit of ``isTouched``.
        private var counted: UInt32 = 0
        /// Of a root, the number of its chain, as long as anything in it matches, else 0. A chain that sheds its beginning
        /// keeps its number under another root.
        var number: UInt32 = 0

        private static let touchedBit: UInt32 = 1 << 31

        var countedFor: UInt32 {
            get { counted & ~Self.touchedBit }
            set { counted = counted & Self.touchedBit | newValue }
        }
        /// Of a root, whether it is in `touched`.
        var isTouched: Bool {
            get { counted & Self.touchedBit != 0 }
            set { counted = newValue ? counted | Self.touchedBit : counted & ~Self.touchedBit }
        }
    }

    private struct Chain: BitwiseCopyable {
        /// How many match.
        var count: UInt32 = 0
        var root: UInt32 = 0
    }

    private var nodes = PagedArray(filler: Node())
    /// By number.
    private var chains = PagedArray(filler: Chain())
    private var lastNumber: UInt32 = 0
    private var freeNumbers: [UInt32] = []
    private var touched: [NodeIndex] = []
    private var flipped: [NodeIndex] = []

    init(revision: UInt64 = 0) { self.revision = revision }

    @inline(__always) func contains(_ node: NodeIndex) -> Bool { nodes[node.rawValue].countedFor != 0 }

    @inline(__always) func count(of root: NodeIndex) -> Int {
        let number = nodes[root.rawValue].number
        return number == 0 ? 0 : Int(chains[number].count)
    }

    /// Forgets a part; false if nothing is left.
    mutating func freeStorage(pages: Int) -> Bool {
        let areNodesLeft = nodes.removeLast(pages)
        return chains.removeLast(pages) || areNodesLeft
    }

    /// A node matches.
    mutating func insert(_ node: NodeIndex, in forest: borrowing ChainForest) {
        let root = forest.root(of: node)
        var number = nodes[root.rawValue].number
        let was = nodes[node.rawValue].countedFor
        guard was == 0 || was != number else { return }
        if was != 0 { uncount(node, from: was) }
        if number == 0 { number = addNumber(for: root) }
        nodes[node.rawValue].countedFor = number
        chains[number].count += 1
        count += 1
        note(node, in: root)
    }

    private mutating func addNumber(for root: NodeIndex) -> UInt32 {
        if freeNumbers.isEmpty { lastNumber += 1 }
        let number = freeNumbers.popLast() ?? lastNumber
        nodes[root.rawValue].number = number
        chains[number] = Chain(root: root.rawValue)
        return number
    }

    /// A node does not match, or is gone.
    mutating func remove(_ node: NodeIndex) {
        let was = nodes[node.rawValue].countedFor
        if was != 0 { uncount(node, from: was) }
    }

    private mutating func uncount(_ node: NodeIndex, from number: UInt32) {
        nodes[node.rawValue].countedFor = 0
        count -= 1
        chains[number].count -= 1
        let chain = chains[number]
        if chain.count == 0 {
            if nodes[chain.root].number == number { nodes[chain.root].number = 0 }
            freeNumbers.append(number)
        }
        note(node, in: NodeIndex(rawValue: chain.root))
    }

    /// The root of a chain is gone, and all that was under it stands under another one now. False where that one had matches
    /// of its own, so that they have to be counted together.
    mutating func inherit(from old: NodeIndex, by new: NodeIndex) -> Bool {
        let number = nodes[old.rawValue].number
        guard number != 0 else { return true }
        nodes[old.rawValue].number = 0
        guard nodes[new.rawValue].number == 0 else { return false }
        nodes[new.rawValue].number = number
        chains[number].root = new.rawValue
        noteShape(of: new)
        return true
    }

    // MARK: What changed

    private mutating func note(_ node: NodeIndex, in root: NodeIndex) {
        revision &+= 1
        flipped.append(node)
        noteShape(of: root)
    }

    /// Nodes of a chain came, went or moved.
    mutating func noteShape(of root: NodeIndex) {
        guard !nodes[root.rawValue].isTouched else { return }
        nodes[root.rawValue].isTouched = true
        touched.append(root)
    }

    /// How many chains changed since they were taken.
    var touchedCount: Int { touched.count }

    /// Chains whose matches or nodes changed since the last call.
    mutating func takeTouched() -> [NodeIndex] {
        guard !touched.isEmpty else { return [] }
        for root in touched { nodes[root.rawValue].isTouched = false }
        defer { touched.removeAll(keepingCapacity: true) }
        return touched
    }

    /// Nodes for which ``contains(_:)`` changed since the last call, in order; some may stand there twice, and some may be
    /// gone by now.
    mutating func takeFlipped() -> [NodeIndex] {
        guard !flipped.isEmpty else { return [] }
        defer { flipped.removeAll(keepingCapacity: true) }
        return flipped
    }
}
