// SPDX-License-Identifier: MIT

import ChainModel

/// A query for nodes, in the small language of the `/` prompt.
///
///     charge                      a text in the label (without one: the site), kind, state, value or error
///     live, failed, settled       the nodes in these states, as `state:failed`
///     state:rejected kind:all     both; `and` may be left out
///     charge|bank -refund         one of two texts, and not a third
///     Order.swift:42              a call site
///     #17                         the node with this id, as `id:17`
///     total > 5s and not run<=100ms
///     /order 1[0-9]/ error~timeout (kind:then or kind:map)
///     warning:deadlock waits-for:timer chain:"order 17"
///     in:reserve                  a function in which a suspended task continues
///     "two words"
///     label:order @mine           a saved query as a part
///
/// Case is ignored. A query is parsed once, and a ``QueryMatcher`` evaluates it for many nodes.
package struct Query: Hashable, Sendable {
    /// The query as typed.
    package let text: String
    let root: Term
    /// The kinds of events that an event log shows; nil for all. Does not affect which nodes match.
    package private(set) var eventKinds: Set<EventKind>?

    /// Parses a query; a query without words matches everything.
    ///
    /// - Parameter saved: the queries that words such as `@mine` stand for, by name. If it is nil, such a word is a
    ///   plain text.
    /// - Throws: ``QueryError`` with the position.
    package init(_ text: String, saved: [String: String]? = nil) throws(QueryError) {
        self.text = text
        var parser = QueryParser(text, saved: saved)
        root = try parser.parse()
    }

    private init(text: String, root: Term) { (self.text, self.root) = (text, root) }

    /// The query without words, which matches everything.
    package static let everything = Query(text: "", root: .all([]))

    /// Whether the query has no terms and no event kinds, so that it matches every node and every event.
    package var isEmpty: Bool { matchesAllNodes && eventKinds == nil }

    /// Whether the query has no terms, so that every node matches.
    package var matchesAllNodes: Bool { root == .all([]) }

    /// Returns the query restricted to events of some kinds. `text` is the whole query as typed.
    package func restricted(to eventKinds: Set<EventKind>?, text: String) -> Query {
        var query = Query(text: text, root: root)
        query.eventKinds = eventKinds
        return query
    }

    /// The lower-case text of a query that consists of one text; otherwise nil. Views also search for it in texts that
    /// do not belong to nodes.
    package var plainText: String? { root.plainText }

    /// Returns whether the query has the same terms and event kinds as another query, even if they were typed
    /// differently.
    package func findsSame(as other: Query) -> Bool { root == other.root && eventKinds == other.eventKinds }

    /// Whether the matches can change by the passing of time alone (`age>5s`).
    package var dependsOnTime: Bool { root.contains { if case .duration = $0 { true } else { false } } }

    /// Whether the query reads a fact that changes when a node's parent settles: the total time, or what the node waits
    /// for.
    package var dependsOnParents: Bool {
        root.contains { term in
            switch term {
            case .duration(.total, _, _), .waits: true
            default: false
            }
        }
    }

    /// Whether the query reads what a node waits for, which changes when a member or a followed node settles.
    package var dependsOnLinks: Bool { root.contains { if case .waits = $0 { true } else { false } } }

    /// Whether the query reads the label of a node's parent.
    package var dependsOnParentLabels: Bool { readsField(.parent) }

    /// Whether the query reads the label of a chain's root.
    package var dependsOnRootLabels: Bool { readsField(.chain) }

    /// Whether the query reads warnings, which have to be set in ``QueryMatcher/warnings``.
    package var dependsOnWarnings: Bool { root.contains { if case .warnings = $0 { true } else { false } } }

    /// Whether the query only names nodes: by texts that are not in the words of states and operations, or by labels. For
    /// such a query the dashboard and `chainview ps` also show what is live under the nodes that it finds, because what
    /// "order 3" waits for has another name, or none.
    package var isOfNames: Bool { root.isOfNames }

    /// Whether the query asks for the frames of suspended tasks (`in:reserve`), which have to be read from the program.
    package var readsFrames: Bool { readsField(.frames) }

    /// Whether the query has a text that is searched for in frames, too, as far as they were read.
    package var searchesFrames: Bool {
        root.contains {
            switch $0 {
            case .text, .pattern: true
            default: false
            }
        }
    }

    private func readsField(_ field: QueryField) -> Bool {
        root.contains { if case .field(field, _, _) = $0 { true } else { false } }
    }

    /// Lower-case texts to highlight in labels, and in the sites shown for nodes without a label.
    package var markedTexts: [String] {
        var texts: [String] = []
        root.collectMarked(into: &texts)
        return texts
    }

    indirect enum Term: Hashable, Sendable {
        case all([Term])
        case any([Term])
        case not(Term)
        case text(String)
        /// A regular expression, searched for in the same texts as `text`.
        case pattern(TextPattern)
        case field(QueryField, Comparison, Sought)
        case duration(QueryDuration, Comparison, UInt64)
        case states(Set<NodeState>)
        case kinds(Set<NodeKind>)
        case id(NodeID)
        /// Kinds of warnings, one bit each.
        case warnings(WarningBits)
        /// The reasons for which a node may wait, one bit each.
        case waits(UInt32)

        var plainText: String? {
            switch self {
            case .text(let text): text
            case .all(let terms), .any(let terms): terms.count == 1 ? terms[0].plainText : nil
            default: nil
            }
        }

        /// Returns whether a condition holds for any leaf of the term.
        func contains(_ isAsked: (Term) -> Bool) -> Bool {
            switch self {
            case .all(let terms), .any(let terms): terms.contains { $0.contains(isAsked) }
            case .not(let term): term.contains(isAsked)
            default: isAsked(self)
            }
        }

        var isOfNames: Bool {
            switch self {
            case .all(let terms), .any(let terms): !terms.isEmpty && terms.allSatisfy(\.isOfNames)
            case .text(let text):
                !NodeState.allCases.contains { $0.word.lowercased().contains(text) }
                    && !NodeKind.allCases.contains { $0.word.lowercased().contains(text) }
            case .field(.label, _, _): true
            case .not, .pattern, .field, .id, .duration, .states, .kinds, .warnings, .waits: false
            }
        }

        func collectMarked(into texts: inout [String]) {
            switch self {
            case .all(let terms), .any(let terms): for term in terms { term.collectMarked(into: &texts) }
            case .text(let text), .field(.label, _, .text(let text)), .field(.site, _, .text(let text)):
                texts.append(text)
            case .not, .pattern, .field, .duration, .states, .kinds, .id, .warnings, .waits: break
            }
        }
    }

    /// What a field is searched for.
    enum Sought: Hashable, Sendable {
        /// A text, in lower case.
        case text(String)
        case pattern(TextPattern)
    }

    /// How a field is compared.
    enum Comparison: Hashable, Sendable {
        case less, atMost, equal, atLeast, greater
        /// Contains the text.
        case contains
    }
}

/// Fields that hold a text.
enum QueryField: String, CaseIterable, Sendable {
    case label, error, value
    /// The label of the node's parent in the tree.
    case parent
    /// The label of the chain's root.
    case chain
    case thread, executor, site, canceller
    /// The functions in which a suspended task continues.
    case frames = "in"
}

/// Fields that hold a duration.
enum QueryDuration: String, CaseIterable, Sendable {
    /// From a live node's creation to the present; a settled node has none.
    case age
    /// As in ``Timing``.
    case wait, run, total
}

/// The reason why a query cannot be parsed, and its position.
package struct QueryError: Error, Hashable, CustomStringConvertible {
    /// One short sentence, without a full stop.
    package let description: String
    /// The characters of the query that the description refers to, numbered from 0. If a term is missing at the end of
    /// the text, the range is empty, and at that end.
    package let range: Range<Int>

    /// Makes an error of one short sentence without a full stop, and the characters that it refers to.
    package init(_ description: String, at range: Range<Int>) {
        self.description = description
        self.range = range
    }
}
