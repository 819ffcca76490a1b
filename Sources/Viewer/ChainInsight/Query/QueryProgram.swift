// SPDX-License-Identifier: MIT

import ChainModel

/// A query as steps: each step tests one thing of a node, and names the next step for a yes and for a no.
struct QueryProgram: Sendable {
    /// One test without reference-counted fields, because a retain would cost as much as the test.
    enum Test {
        /// The text is in the label (in the site, if there is no label), the value or the error, or in the frames that
        /// were read. Or it is in the word of the node's state or kind: `states` and `kinds` contain the states and
        /// kinds with such words.
        case text(needle: Int, states: UInt16, kinds: KindSet)
        /// The text is in the label, the error, the value, the canceller, the frames, or the label of another node.
        case fieldText(QueryField, needle: Int)
        /// The text is in the name of the thread, executor or site. Evaluated once for each name.
        case name(QueryField, needle: Int)
        case duration(QueryDuration, Query.Comparison, UInt64)
        case states(UInt16)
        case kinds(KindSet)
        case id(NodeID)
        case warnings(WarningBits)
        case waits(UInt32)
    }

    struct Step {
        var test: Test
        var yes: Int
        var no: Int
    }

    /// Stands for the next step if the node matches.
    static let found = -1
    /// Stands for the next step if the node does not match.
    static let notFound = -2

    private(set) var steps: [Step] = []
    private(set) var needles = Needles()
    /// The regular expressions. Tests refer to them by negative needles, from -1 on.
    private(set) var patterns: [TextPattern] = []
    /// The index of the first step, or ``found``.
    private(set) var entry = found

    /// The changes of a node that can change whether it matches.
    var relevantChanges: NodeChanges {
        steps.reduce(into: []) { changes, step in
            switch step.test {
            case .text(_, let states, _): changes.formUnion(states == 0 ? .description : [.description, .state])
            // The state decides whether a summary is a value or an error.
            case .fieldText(.error, _), .fieldText(.value, _): changes.formUnion([.description, .state])
            case .fieldText, .name(.site, _), .kinds: changes.insert(.description)
            // Only live nodes have an age.
            case .duration(.age, _, _): changes.formUnion([.facts, .state])
            // Threads and executors are set by the steps of a node.
            case .name, .duration: changes.insert(.facts)
            case .states: changes.insert(.state)
            case .waits: changes.formUnion([.state, .facts])
            case .id, .warnings: break
            }
        }
    }

    init(_ root: Query.Term) { entry = add(root, yes: Self.found, no: Self.notFound) }

    /// Adds the steps of a term, which lead to `yes` or `no`, and returns the index of the step to run first.
    private mutating func add(_ term: Query.Term, yes: Int, no: Int) -> Int {
        switch term {
        case .all(let terms):
            return Self.cheapLast(terms).reduce(yes) { next, term in add(term, yes: next, no: no) }
        case .any(let terms):
            return Self.cheapLast(terms).reduce(no) { next, term in add(term, yes: yes, no: next) }
        case .not(let term): return add(term, yes: no, no: yes)
        default:
            steps.append(Step(test: test(term), yes: yes, no: no))
            return steps.count - 1
        }
    }

    /// Returns the terms with the cheapest term last, because the term that is added last is tested first.
    private static func cheapLast(_ terms: [Query.Term]) -> [Query.Term] {
        terms.enumerated().sorted { ($0.element.cost, $0.offset) > ($1.element.cost, $1.offset) }.map(\.element)
    }

    private mutating func test(_ term: Query.Term) -> Test {
        switch term {
        case .text(let text):
            let needle = Needle(text)
            return .text(
                needle: append(needle), states: Self.set(NodeState.allCases.filter { needle.matches($0.word) }),
                kinds: KindSet(NodeKind.allCases.filter { needle.matches($0.word) }))
        case .pattern(let pattern):
            var words = pattern
            return .text(
                needle: append(pattern), states: Self.set(NodeState.allCases.filter { words.matches($0.word) }),
                kinds: KindSet(NodeKind.allCases.filter { words.matches($0.word) }))
        case .field(let field, let comparison, let sought):
            let needle =
                switch sought {
                case .text(let text): append(Needle(text, isWhole: comparison == .equal))
                case .pattern(let pattern): append(pattern)
                }
            return field.isName ? .name(field, needle: needle) : .fieldText(field, needle: needle)
        case .duration(let field, let comparison, let limit): return .duration(field, comparison, limit)
        case .states(let states): return .states(Self.set(states))
        case .kinds(let kinds): return .kinds(KindSet(kinds))
        case .id(let id): return .id(id)
        case .warnings(let kinds): return .warnings(kinds)
        case .waits(let reasons): return .waits(reasons)
        case .all, .any, .not: preconditionFailure("a term of terms is no test")
        }
    }

    /// Appends a needle, and returns the number by which tests refer to it.
    private mutating func append(_ needle: Needle) -> Int {
        needles.append(needle)
        return needles.count - 1
    }

    /// Appends an expression, and returns the negative number by which tests refer to it.
    private mutating func append(_ pattern: TextPattern) -> Int {
        patterns.append(pattern)
        return -patterns.count
    }

    private static func set(_ states: some Sequence<NodeState>) -> UInt16 { states.reduce(0) { $0 | $1.bit } }
}

extension NodeState {
    var bit: UInt16 { 1 << UInt16(rawValue) }
}

/// A set of kinds, with one bit for each kind.
struct KindSet: Hashable, Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    init(_ kinds: some Sequence<NodeKind>) {
        for kind in kinds {
            let bit = Self.bit(kind)
            if bit < 64 { low |= 1 << bit } else { high |= 1 << (bit - 64) }
        }
    }

    @inline(__always) func contains(_ kind: NodeKind) -> Bool {
        let bit = Self.bit(kind)
        return bit < 64 ? low & 1 << bit != 0 : high & 1 << (bit - 64) != 0
    }

    /// Returns a kind's bit: its raw value, or 127 for `other` (255). All other raw values are below 127.
    private static func bit(_ kind: NodeKind) -> UInt8 { min(kind.rawValue, 127) }
}

extension QueryField {
    /// Whether the field's text is a name, which has a number and is shared by many nodes.
    fileprivate var isName: Bool {
        switch self {
        case .thread, .executor, .site: true
        case .label, .error, .value, .parent, .chain, .canceller, .frames: false
        }
    }
}

extension Query.Term {
    /// The cost class of a test. Cheap tests run first; the order does not change the answer.
    fileprivate var cost: Int {
        switch self {
        case .states, .kinds, .id: 0
        case .duration, .warnings: 1
        case .field(let field, _, .text): field.isName ? 2 : 3
        case .waits: 3
        case .text: 4
        case .pattern, .field: 5
        case .all(let terms), .any(let terms): terms.map(\.cost).max() ?? 0
        case .not(let term): term.cost
        }
    }
}
