import ChainEvents
import ChainModel

/// Answers a ``Query`` for node after node: some 20 ns for states, kinds and texts of pooled names, which are compared
/// once and remembered.
public struct QueryMatcher: Sendable {
    /// What is looked for.
    public let query: Query
    private let root: Step
    /// By number, whether the file and line of a site, the name of a thread or executor hold a text: asked once.
    private var known: [Known: Bool] = [:]

    /// Which table, which text of the query, which number in the table.
    private struct Known: Hashable {
        var needle: Int
        var field: QueryField
        var number: UInt32
    }

    private indirect enum Step: Sendable {
        case all([Step])
        case any([Step])
        case not(Step)
        case text(Needle, states: Set<NodeState>, kinds: Set<NodeKind>)
        case field(QueryField, Needle)
        case duration(QueryDuration, Query.Comparison, UInt64)
        case states(Set<NodeState>)
        case kinds(Set<NodeKind>)
        case id(NodeID)
    }

    /// Makes a matcher for one forest.
    public init(_ query: Query) {
        self.query = query
        var count = 0
        root = Self.step(query.root, &count)
    }

    private static func step(_ term: Query.Term, _ count: inout Int) -> Step {
        switch term {
        case .all(let terms): return .all(terms.map { step($0, &count) })
        case .any(let terms): return .any(terms.map { step($0, &count) })
        case .not(let term): return .not(step(term, &count))
        case .text(let text):
            count += 1
            let needle = Needle(text, number: count, isWhole: false)
            return .text(
                needle, states: Set(NodeState.allCases.filter { needle.matches($0.word) }),
                kinds: Set(NodeKind.allCases.filter { needle.matches($0.word) }))
        case .field(let field, let comparison, let text):
            count += 1
            return .field(field, Needle(text, number: count, isWhole: comparison == .equal))
        case .duration(let field, let comparison, let limit): return .duration(field, comparison, limit)
        case .states(let states): return .states(states)
        case .kinds(let kinds): return .kinds(kinds)
        case .id(let id): return .id(id)
        }
    }

    /// Whether the query finds a node at the moment `now` (nanoseconds of the process's clock).
    public mutating func matches(_ node: NodeIndex, in forest: borrowing ChainForest, now: UInt64) -> Bool {
        matches(root, forest.node(node), forest, now)
    }

    private mutating func matches(
        _ step: Step, _ view: NodeView, _ forest: borrowing ChainForest, _ now: UInt64
    ) -> Bool {
        switch step {
        case .all(let steps):
            for step in steps where !matches(step, view, forest, now) { return false }
            return true
        case .any(let steps):
            for step in steps where matches(step, view, forest, now) { return true }
            return false
        case .not(let step): return !matches(step, view, forest, now)
        case .states(let states): return states.contains(view.state)
        case .kinds(let kinds): return kinds.contains(view.kind)
        case .id(let id): return view.id == id
        case .duration(let field, let comparison, let limit):
            guard let duration = field.value(of: view, in: forest, now: now) else { return false }
            return comparison.holds(duration, limit)
        case .field(let field, let needle): return matches(field, needle, view, forest)
        case .text(let needle, let states, let kinds):
            if states.contains(view.state) || kinds.contains(view.kind) { return true }
            if let label = forest.label(of: view.index) {
                if needle.matches(label) { return true }
            } else if matches(.site, needle, view, forest) {
                return true
            }
            return matches(.error, needle, view, forest)
        }
    }

    private mutating func matches(
        _ field: QueryField, _ needle: Needle, _ view: NodeView, _ forest: borrowing ChainForest
    ) -> Bool {
        switch field {
        case .label: return forest.label(of: view.index).map(needle.matches) ?? false
        case .error: return forest.summary(of: view.index).map(needle.matches) ?? false
        case .canceller: return forest.canceller(of: view.index).map(needle.matches) ?? false
        case .site: return isKnown(field, needle, view.site, forest.sites[view.site]?.description)
        case .thread: return isKnown(field, needle, view.thread, forest.threads[view.thread])
        case .executor:
            return isKnown(field, needle, UInt32(view.executor), forest.executors[view.executor])
        }
    }

    /// A name that is not told yet is asked for again.
    private mutating func isKnown(
        _ field: QueryField, _ needle: Needle, _ number: UInt32, _ name: @autoclosure () -> String?
    ) -> Bool {
        guard number != 0 else { return false }
        let key = Known(needle: needle.number, field: field, number: number)
        if let answer = known[key] { return answer }
        guard let name = name() else { return false }
        let answer = needle.matches(name)
        known[key] = answer
        return answer
    }
}

extension QueryDuration {
    fileprivate func value(of view: NodeView, in forest: borrowing ChainForest, now: UInt64) -> UInt64? {
        switch self {
        case .age: (view.settled ?? max(now, view.created)) - min(view.created, view.settled ?? .max)
        case .wait: forest.timing(of: view.index, now: now).wait
        case .run: forest.timing(of: view.index, now: now).run
        case .total: forest.timing(of: view.index, now: now).total
        }
    }
}

extension Query.Comparison {
    fileprivate func holds(_ value: UInt64, _ limit: UInt64) -> Bool {
        switch self {
        case .less: value < limit
        case .atMost: value <= limit
        case .equal, .contains: value == limit
        case .atLeast: value >= limit
        case .greater: value > limit
        }
    }
}
