import ChainModel

/// The nodes in the queue of one executor, found by visits of the forest in slices.
struct ExecutorQueue {
    struct Entry: Equatable {
        var node: NodeID
        /// Since when it is queued, in nanoseconds of the program's clock.
        var since: UInt64
    }

    /// The oldest, as of the last complete visit.
    private(set) var entries: [Entry] = []
    private var found: [Entry] = []
    /// The slot that is visited next; nil between two visits.
    private var cursor: Int?
    private var began: UInt64?

    /// Nodes that are listed.
    static let limit = 100
    /// Slots of the forest that one slice visits; some 15 ns each.
    static let budget = 16_384
    /// The least time between two visits, in nanoseconds.
    private static let interval: UInt64 = 250_000_000

    /// Visits a slice of the forest where that is due. Returns whether ``entries`` changed.
    mutating func tick(_ executor: ExecutorID, in forest: borrowing ChainForest, wall: UInt64) -> Bool {
        if cursor == nil {
            guard began.map({ wall >= $0 &+ Self.interval }) ?? true else { return false }
            (cursor, began, found) = (0, wall, [])
        }
        guard let start = cursor else { return false }
        let end = min(forest.indexBound, start + Self.budget)
        for slot in start..<max(start, end) {
            let node = NodeIndex(rawValue: UInt32(slot))
            guard forest.contains(node), forest.state(of: node) == .queued else { continue }
            let view = forest.node(node)
            guard view.executor == executor else { continue }
            found.append(Entry(node: view.id, since: view.queued ?? view.created))
            if found.count >= 8 * Self.limit { trim() }
        }
        guard end == forest.indexBound else {
            cursor = end
            return false
        }
        cursor = nil
        trim()
        defer { entries = found }
        return entries != found
    }

    private mutating func trim() {
        found.sort { $0.since != $1.since ? $0.since < $1.since : $0.node < $1.node }
        found = Array(found.prefix(Self.limit))
    }
}

extension ThreadsView {
    struct ExecutorKey: Hashable {
        var source: SourceID
        var executor: ExecutorID
    }

    /// Follows the unfolded queues, and once a second what only time changes; true if rows may have changed.
    static func tick(_ state: inout State) -> Bool {
        guard state.view == .threads else { return false }
        var isMoved = false
        for key in state.threads.queues.keys {
            guard let programIndex = state.programIndex(of: key.source), state.programs[programIndex].isReached else {
                continue
            }
            let wall = state.wall
            var queue = state.threads.queues[key]!
            if queue.tick(key.executor, in: state.programs[programIndex].forest, wall: wall) { isMoved = true }
            state.threads.queues[key] = queue
        }
        let second = state.wall / 1_000_000_000
        guard !isMoved, second != state.threads.second else { return isMoved }
        state.threads.second = second
        return allRows(&state) != state.threads.rows
    }

    /// The rows of an unfolded executor's queue.
    static func queueRows(_ key: ExecutorKey, _ program: borrowing Program, _ state: borrowing State) -> [Row] {
        guard let queue = state.threads.queues[key] else { return [] }
        let forest = program.forest
        let nodes = queue.entries.lazy.map(\.node).filter { node in
            forest.index(of: node).map { forest.state(of: $0) == .queued } ?? false
        }
        let rows = nodes.map { Row.queued(key.source, key.executor, $0) }
        let rest = forest.load(of: key.executor).queuedCount - rows.count
        return Array(rows) + (rest > 0 ? [.moreQueued(key.source, key.executor)] : [])
    }
}
