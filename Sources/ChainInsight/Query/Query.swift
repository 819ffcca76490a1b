import ChainEvents
import ChainModel

/// What nodes are looked for: a small language for the line behind `/`.
///
///     charge                      the text is in the label, the kind, the state, the error, or, without a label, the site
///     state:rejected kind:all     both; `and` may be left out
///     thread:worker-2 or site:Order.swift:42
///     age>5s and not run<=100ms
///     error~timeout (kind:then or kind:map)
///     "two words"
///
/// Upper and lower case are the same. A query is made once and asked often: see ``QueryMatcher``.
public struct Query: Hashable, Sendable {
    /// As it was typed.
    public let text: String
    let root: Term

    /// Reads a query; one without words finds everything.
    ///
    /// - Throws: ``QueryError``, which points at the place.
    public init(_ text: String) throws(QueryError) {
        self.text = text
        var parser = QueryParser(text)
        root = try parser.parse()
    }

    /// Whether it finds everything.
    public var isEmpty: Bool { root == .all([]) }

    /// Whether what it finds changes by the passing of time alone (`age>5s`).
    public var dependsOnTime: Bool { root.dependsOnTime }

    indirect enum Term: Hashable, Sendable {
        case all([Term])
        case any([Term])
        case not(Term)
        case text(String)
        case field(QueryField, Comparison, String)
        case duration(QueryDuration, Comparison, UInt64)
        case states(Set<NodeState>)
        case kinds(Set<NodeKind>)
        case id(NodeID)

        var dependsOnTime: Bool {
            switch self {
            case .all(let terms), .any(let terms): terms.contains(where: \.dependsOnTime)
            case .not(let term): term.dependsOnTime
            case .duration: true
            case .text, .field, .states, .kinds, .id: false
            }
        }
    }

    /// How a field is compared.
    enum Comparison: Hashable, Sendable {
        case less, atMost, equal, atLeast, greater
        /// The text is in it.
        case contains
    }
}

/// Fields that hold a text.
enum QueryField: String, CaseIterable, Sendable {
    case label, error, thread, executor, site, canceller
}

/// Fields that hold a duration.
enum QueryDuration: String, CaseIterable, Sendable {
    /// Since its making, to now or to its settlement.
    case age
    case wait, run, total
}

/// What a query cannot be read for, and where.
public struct QueryError: Error, Hashable, CustomStringConvertible {
    /// One short sentence, without a full stop.
    public let description: String
    /// The characters of the query that it is about, by number from 0; empty at the end of the text where something is
    /// missing.
    public let place: Range<Int>

    init(_ description: String, at place: Range<Int>) {
        self.description = description
        self.place = place
    }
}
