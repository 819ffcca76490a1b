import ChainEvents
import ChainModel

/// Looks for nodes and threads that wait for each other.
struct DeadlockSearch {
    /// By executor on which one handler alone runs, and blocks: that handler. What is queued there waits for it.
    private var blocking: [ExecutorID: NodeIndex] = [:]

    /// Steps that are gone at most.
    static let stepLimit = 1_000

    /// Made for one look at a forest that does not change meanwhile. O(threads that wait).
    init(_ forest: borrowing ChainForest) {
        for wait in forest.waits {
            guard let waiter = forest.index(of: wait.waiter) else { continue }
            let view = forest.node(waiter)
            guard view.activity == .running, view.executor != 0, forest.load(of: view.executor).runningCount == 1 else {
                continue
            }
            blocking[view.executor] = waiter
        }
    }

    /// Who has to do something before a node can go on; nobody where others could help it, too.
    private func next(_ node: NodeIndex, _ forest: borrowing ChainForest) -> NodeIndex? {
        let view = forest.node(node)
        switch view.kind {
        case .race, .any, .timeout, .delay: return nil
        default: break
        }
        let blocker = forest.blocker(of: node)
        if blocker.reason == .queued { return blocking[view.executor] }
        return blocker.node
    }

    /// Most ways end after so many steps: no memory is taken for those.
    private static let shortWay = 6

    /// The ring that a node waits for, if it does; counts the steps.
    func ring(from start: NodeIndex, in forest: borrowing ChainForest, steps: inout Int) -> [NodeIndex]? {
        var node = start
        for _ in 0..<Self.shortWay {
            guard let next = next(node, forest) else { return nil }
            steps += 1
            node = next
        }
        var way = [start]
        var places = [start: 0]
        while way.count < Self.stepLimit, let next = next(way[way.count - 1], forest) {
            steps += 1
            if let place = places[next] { return Array(way[place...]) }
            places[next] = way.count
            way.append(next)
        }
        return nil
    }

    /// The warning of a ring, bound to its least node, so that it is the same whoever found it.
    static func warning(of ring: [NodeIndex], in forest: borrowing ChainForest) -> Warning? {
        var least: (id: NodeID, place: Int)?
        var since: UInt64 = 0
        for (place, node) in ring.enumerated() {
            let view = forest.node(node)
            since = max(since, view.created)
            if view.id < least?.id ?? NodeID(.max) { least = (view.id, place) }
        }
        guard let least else { return nil }
        let next = forest.id(of: ring[(least.place + 1) % ring.count])
        return Warning(.deadlock, least.id, since: since, amount: UInt64(ring.count), other: next)
    }
}
