import ChainEvents
import ChainModel

/// Evaluates a ``Query`` for node after node of one forest: some 20 to 60 ns each. Names of threads, executors and
/// sites are compared once and cached.
public struct QueryMatcher: Sendable {
    /// The query.
    public let query: Query
    /// The earliest moment at which the last answer may change by the passing of time alone, in nanoseconds of the
    /// process's clock; `.max` where only a change of the node can change it. It may be too early.
    public private(set) var holdsUntil = UInt64.max
    /// Whether the query asked for a name that is not known yet. Once it is, more nodes may match.
    public private(set) var hasMissedName = false
    /// Bytes of text searched so far: the measure of a slice of work.
    public private(set) var comparedBytes = 0
    /// Changes of a node that can change its answer while time stands still.
    public let asked: NodeChanges
    private let program: QueryProgram
    /// By needle, the names that contain it.
    private var answers: [NameAnswers]

    /// Makes a matcher for one forest.
    public init(_ query: Query) {
        self.query = query
        program = QueryProgram(query.root)
        asked = program.asked
        answers = Array(repeating: NameAnswers(), count: program.needles.count)
    }

    /// Whether the query finds a node at the moment `now` (nanoseconds of the process's clock).
    public mutating func matches(_ node: NodeIndex, in forest: ChainForest, now: UInt64) -> Bool {
        matches(node, forest.searchFields(of: node), in: forest, now: now)
    }

    /// The same for a caller that has the node's search fields.
    public mutating func matches(
        _ node: NodeIndex, _ words: SearchFields, in forest: ChainForest, now: UInt64
    ) -> Bool {
        holdsUntil = .max
        var next = program.entry
        while next >= 0 {
            let step = program.steps[next]
            next = passes(step.test, node, words, forest, now) ? step.yes : step.no
        }
        return next == QueryProgram.found
    }

    @inline(__always)
    private mutating func passes(
        _ test: QueryProgram.Test, _ node: NodeIndex, _ words: SearchFields, _ forest: ChainForest,
        _ now: UInt64
    ) -> Bool {
        switch test {
        case .states(let states): return states & words.state.bit != 0
        case .kinds(let kinds): return kinds.contains(words.kind)
        case .id(let id): return forest.id(of: node) == id
        case .duration(let field, let comparison, let limit):
            return passes(field, comparison, limit, forest.node(node), forest, now)
        case .ownText(let field, let needle): return holds(needle, field.text(of: forest.node(node), in: forest))
        case .name(.site, let needle): return isInName(.site, needle, words.site, forest)
        case .name(let field, let needle):
            let view = forest.node(node)
            return isInName(field, needle, field == .thread ? view.thread : UInt32(view.executor), forest)
        case .text(let needle, let states, let kinds): return holds(needle, states, kinds, words, forest)
        }
    }

    private mutating func holds(
        _ needle: Int, _ states: UInt16, _ kinds: KindSet, _ words: SearchFields, _ forest: ChainForest
    ) -> Bool {
        if states & words.state.bit != 0 || kinds.contains(words.kind) { return true }
        if let label = forest.label(of: words) {
            if holds(needle, label) { return true }
        } else if isInName(.site, needle, words.site, forest) {
            return true
        }
        return holds(needle, forest.summary(of: words))
    }

    private mutating func holds(_ needle: Int, _ text: String?) -> Bool {
        guard let text else { return false }
        comparedBytes &+= text.utf8.count
        return program.needles.matches(needle, text)
    }

    private mutating func isInName(
        _ field: QueryField, _ needle: Int, _ number: UInt32, _ forest: ChainForest
    ) -> Bool {
        guard number != 0 else { return false }
        if let known = answers[needle][number] { return known }
        let name =
            switch field {
            case .site: forest.sites[number]?.description
            case .thread: forest.threads[number]
            default: forest.executors[ExecutorID(number)]
            }
        guard let name else {
            hasMissedName = true
            // A thread without a name is shown by its number.
            return field == .thread && holds(needle, "\(number)")
        }
        let answer = holds(needle, name)
        answers[needle][number] = answer
        return answer
    }

    private mutating func passes(
        _ field: QueryDuration, _ comparison: Query.Comparison, _ limit: UInt64, _ view: NodeView,
        _ forest: ChainForest, _ now: UInt64
    ) -> Bool {
        guard let (value, isGrowing) = field.value(of: view, in: forest, now: now) else { return false }
        let (least, isAtLeast) = comparison.least(limit)
        if isGrowing, value < least { holdsUntil = min(holdsUntil, now &+ min(least - value, UInt64.max - now)) }
        return (value >= least) == isAtLeast
    }
}

/// A cache of which names, by number, contain a text.
private struct NameAnswers {
    /// For small numbers: 0 unknown, 1 no, 2 yes.
    private var small: [UInt8] = []
    private var large: [UInt32: Bool] = [:]
    private static let smallLimit: UInt32 = 16_384

    subscript(number: UInt32) -> Bool? {
        get {
            guard number < Self.smallLimit else { return large[number] }
            let answer = number < small.count ? small[Int(number)] : 0
            return answer == 0 ? nil : answer == 2
        }
        set {
            guard number < Self.smallLimit else { return large[number] = newValue }
            if number >= small.count {
                small.append(contentsOf: repeatElement(0, count: Int(number) + 1 - small.count))
            }
            small[Int(number)] = newValue.map { $0 ? 2 : 1 } ?? 0
        }
    }
}

extension QueryField {
    fileprivate func text(of node: NodeView, in forest: ChainForest) -> String? {
        switch self {
        case .label: forest.label(of: node)
        case .error: forest.summary(of: node)
        case .canceller: forest.canceller(of: node.index)
        case .thread, .executor, .site: nil
        }
    }
}

extension QueryDuration {
    /// The duration at a moment, and whether it grows by the passing of time alone.
    fileprivate func value(
        of view: NodeView, in forest: ChainForest, now: UInt64
    ) -> (value: UInt64, isGrowing: Bool)? {
        switch self {
        case .age:
            guard let settled = view.settled else { return (max(now, view.created) - view.created, true) }
            return (max(settled, view.created) - view.created, false)
        case .wait:
            let isGrowing = view.started == nil && view.settled == nil
            return forest.timing(of: view.index, now: now).wait.map { ($0, isGrowing) }
        case .run:
            return forest.timing(of: view.index, now: now).run.map { ($0, view.ended == nil) }
        case .total: return forest.timing(of: view.index, now: now).total.map { ($0, view.settled == nil) }
        }
    }
}

extension Query.Comparison {
    /// The smallest duration above the limit, and whether the comparison includes larger ones.
    fileprivate func least(_ limit: UInt64) -> (duration: UInt64, isAtLeast: Bool) {
        switch self {
        case .greater, .equal, .contains: (limit.addingClamped(1), true)
        case .atLeast: (limit, true)
        case .less: (limit, false)
        case .atMost: (limit.addingClamped(1), false)
        }
    }
}
