// SPDX-License-Identifier: MIT

/// A walk over all nodes of a forest, for a viewer that gets the state in parts while the forest changes.
///
/// Live nodes come first, with their ancestors and the nodes that they are linked to; then the settled nodes. So the
/// viewer shows what is live long before it has the whole state. A part has the nodes as they are when it is made.
/// From then on the viewer needs the events of these nodes, and of no others (``hasSent(_:)``).
package struct StateWalk: Sendable {
    private enum Step { case live, settled, newest, end }
    private var step = Step.live
    /// The first id that the walk over the settled nodes has not looked at.
    private var cursor = NodeID.none
    /// The next ids that the walk over the live nodes looks at. A node with such an id that is made later is requested.
    private var ids: ArraySlice<NodeID> = []
    /// The id after ``ids``; nil at the end.
    private var nextID: NodeID? = NodeID.none
    /// The nodes that were sent before the walk over the settled nodes came to them.
    private var early = NodeIDSet()
    /// The nodes to send before the walk goes on, newest last; and the same nodes as a set.
    private var requests: [NodeID] = []
    private var requested = NodeIDSet()
    /// Whether a part was made.
    package private(set) var hasBegun = false
    private let settledLimit: Int?
    /// The settled nodes that are still to be sent, if their number is limited.
    private var newest = NewestSettled()
    /// The number of parts since ``newest`` is empty.
    private var partsAtEnd = 0

    /// - Parameter settledLimit: the most nodes of settled chains, and the most settled leaves of live chains, that are
    ///   sent, the newest of them; nil to send all.
    package init(settledLimit: Int? = nil) { self.settledLimit = settledLimit }

    /// Whether the last part was made.
    package var isAtEnd: Bool { step == .end }

    /// Returns whether a part had the node. True, too, for a node that was made after the walk had passed its id.
    package func hasSent(_ id: NodeID) -> Bool {
        switch step {
        case .live, .newest: early.contains(id)
        case .settled: id < cursor || early.contains(id)
        case .end: true
        }
    }

    /// Adds a node, and the nodes that it leads to, to the next parts.
    package mutating func request(_ id: NodeID) {
        if id != .none, !hasSent(id), requested.insert(id) { requests.append(id) }
    }

    /// How many nodes one part passes over in search of live nodes, for each snapshot that the part may have.
    private static let passedPerSnapshot = 16
    /// How many settled chains and leaves one part passes over for each snapshot: their nodes are all over the memory.
    private static let settledPerSnapshot = 2
    /// How many ids are looked up together, of live nodes and of settled ones.
    private static let liveIDCount = 4_096, idCount = 1_024
    /// The number of parts after the last settled node from which on a part has all requested nodes.
    private static let partsAtEndLimit = 64

    /// Returns the next part: about `limit` snapshots. A node with many members has several snapshots in a row.
    package mutating func next(of forest: borrowing ChainForest, limit: Int) -> [NodeSnapshot] {
        hasBegun = true
        var part: [NodeSnapshot] = []
        takeRequests(of: forest, limit, &part)
        // A quarter is left to the walk, so that it ends although nodes are requested all the time.
        let limit = max(limit, part.count + max(1, limit / 4))
        if step == .newest { walkNewest(forest, limit, &part) }
        if step == .live { walkLive(forest, limit, &part) }
        if step == .settled { walkSettled(forest, limit, &part) }
        return part
    }

    private mutating func takeRequests(of forest: borrowing ChainForest, _ limit: Int, _ part: inout [NodeSnapshot]) {
        while part.count < limit, let id = requests.popLast() {
            requested.remove(id)
            send(id, of: forest, &part)
        }
    }

    private mutating func send(_ id: NodeID, of forest: borrowing ChainForest, _ part: inout [NodeSnapshot]) {
        // No snapshot is made of an evicted node, or of a node that others have only named so far.
        guard !hasSent(id), forest.appendSnapshot(of: id, to: &part) else { return }
        early.insert(id)
        forest.forEachNode(namedBy: id) { request($0) }
    }

    private mutating func walkLive(_ forest: borrowing ChainForest, _ limit: Int, _ part: inout [NodeSnapshot]) {
        var rest = max(limit * Self.passedPerSnapshot, Self.idCount)
        while true {
            while let id = ids.first {
                guard part.count < limit, rest > 0 else { return }
                ids.removeFirst()
                rest -= 1
                guard forest.isInFlight(id) == true else { continue }
                send(id, of: forest, &part)
                takeRequests(of: forest, limit, &part)
            }
            guard let nextID else { break }
            let found = forest.reportedIDs(from: nextID, limit: Self.liveIDCount)
            (ids, self.nextID) = (found.ids[...], found.next)
        }
        step = settledLimit == nil ? .settled : .newest
        if let settledLimit { newest = NewestSettled(of: forest, limit: settledLimit) }
    }

    private mutating func walkNewest(_ forest: borrowing ChainForest, _ limit: Int, _ part: inout [NodeSnapshot]) {
        var rest = limit * Self.settledPerSnapshot
        while part.count < limit, rest > 0, let ids = newest.next(of: forest, passing: &rest) {
            for id in ids { request(id) }
            takeRequests(of: forest, limit, &part)
        }
        guard newest.isEmpty else { return }
        // Nodes that are made meanwhile are requested, too, which must not go on for ever.
        partsAtEnd += 1
        takeRequests(of: forest, partsAtEnd > Self.partsAtEndLimit ? .max : limit, &part)
        if requests.isEmpty { step = .end }
    }

    private mutating func walkSettled(_ forest: borrowing ChainForest, _ limit: Int, _ part: inout [NodeSnapshot]) {
        while part.count < limit {
            let (ids, next) = forest.reportedIDs(from: cursor, limit: Self.idCount)
            for id in ids {
                guard part.count < limit else { return cursor = id }
                if !early.contains(id) { _ = forest.appendSnapshot(of: id, to: &part) }
            }
            guard let next else { return step = .end }
            cursor = next
        }
    }
}

/// A set of ids: a bit for each, in pages of 256 ids, because programs hand out ids in blocks.
struct NodeIDSet: Sendable {
    private var pages: [UInt64: SIMD4<UInt64>] = [:]

    private static func place(_ id: NodeID) -> (page: UInt64, word: Int, bit: UInt64) {
        (id.rawValue >> 8, Int(id.rawValue >> 6 & 3), 1 << (id.rawValue & 63))
    }

    func contains(_ id: NodeID) -> Bool {
        let (page, word, bit) = Self.place(id)
        return (pages[page]?[word] ?? 0) & bit != 0
    }

    /// Inserts an id; returns whether it is new.
    @discardableResult
    mutating func insert(_ id: NodeID) -> Bool {
        let (page, word, bit) = Self.place(id)
        let isNew = pages[page, default: .zero][word] & bit == 0
        pages[page, default: .zero][word] |= bit
        return isNew
    }

    mutating func remove(_ id: NodeID) {
        let (page, word, bit) = Self.place(id)
        pages[page]?[word] &= ~bit
        if pages[page] == .zero { pages[page] = nil }
    }
}
