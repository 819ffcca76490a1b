import ChainEvents
import ChainModel

/// Parses tokens into terms: `or` binds least, then `and` (written or not), then `not`.
struct QueryParser {
    private var lexer: QueryLexer
    private var token: QueryToken?
    private var depth = 0

    /// Bounds the nesting, so that no text overflows the stack of the parser or a matcher.
    private static let depthLimit = 64

    init(_ text: String) { lexer = QueryLexer(text) }

    mutating func parse() throws(QueryError) -> Query.Term {
        token = try lexer.next()
        guard token != nil else { return .all([]) }
        let term = try alternatives()
        if let token { throw QueryError("there is no ( for this )", at: token.range) }
        return term
    }

    private mutating func alternatives() throws(QueryError) -> Query.Term {
        var terms = [try conjunction()]
        while token?.kind == .or {
            token = try lexer.next()
            terms.append(try conjunction())
        }
        return terms.count == 1 ? terms[0] : .any(terms)
    }

    private mutating func conjunction() throws(QueryError) -> Query.Term {
        var terms = [try negation()]
        while let next = token, next.kind != .or, next.kind != .close {
            if next.kind == .and { token = try lexer.next() }
            terms.append(try negation())
        }
        return terms.count == 1 ? terms[0] : .all(terms)
    }

    private mutating func negation() throws(QueryError) -> Query.Term {
        depth += 1
        defer { depth -= 1 }
        guard let current = token else {
            throw QueryError("something to look for is missing here", at: lexer.end..<lexer.end)
        }
        guard depth <= Self.depthLimit else { throw QueryError("too many ( or not", at: current.range) }
        switch current.kind {
        case .not:
            token = try lexer.next()
            return .not(try negation())
        case .open:
            token = try lexer.next()
            let term = try alternatives()
            guard token?.kind == .close else { throw QueryError("this ( is not closed", at: current.range) }
            token = try lexer.next()
            return term
        case .close, .and, .or: throw QueryError("something to look for is missing here", at: current.range)
        case .text(let text):
            token = try lexer.next()
            return .text(text.lowercased())
        case .field(let name, let sign, let value):
            let term = try field(name.lowercased(), sign, value, current)
            token = try lexer.next()
            return sign == "!=" ? .not(term) : term
        }
    }

    private func field(_ name: String, _ sign: String, _ value: String, _ token: QueryToken) throws(QueryError)
        -> Query.Term
    {
        guard !value.isEmpty else { throw QueryError("\(name)\(sign) needs a value", at: token.range) }
        if let duration = QueryDuration(rawValue: name) { return try Self.duration(duration, sign, value, token) }
        let isText = [":", "=", "!=", "~"].contains(sign)
        if let field = QueryField(rawValue: name) {
            guard isText else { throw QueryError("\(name) is a text: use : = or ~", at: token.range) }
            return .field(field, sign == "=" || sign == "!=" ? .equal : .contains, value.lowercased())
        }
        guard ["state", "kind", "id", "is"].contains(name) else {
            throw QueryError(Self.unknown(name), at: token.range.lowerBound..<token.valueRange.lowerBound)
        }
        guard isText else { throw QueryError("\(name) has no order: use :", at: token.range) }
        switch name {
        case "id":
            let digits = value.hasPrefix("#") ? value.dropFirst() : value[...]
            guard let id = UInt64(digits) else { throw QueryError("an id is a number", at: token.valueRange) }
            return .id(NodeID(id))
        case "kind":
            let kinds = NodeKind.allCases.filter { $0.word.lowercased() == value.lowercased() }
            guard !kinds.isEmpty else {
                throw QueryError(Self.noSuch("kind", value, NodeKind.allCases.map(\.word)), at: token.valueRange)
            }
            return .kinds(Set(kinds))
        default: return .states(try Self.states(value, token))
        }
    }

    private static func states(_ value: String, _ token: QueryToken) throws(QueryError) -> Set<NodeState> {
        let word = value.lowercased()
        if let state = NodeState.allCases.first(where: { $0.word == word }) { return [state] }
        switch word {
        case "live": return Set(NodeState.allCases.filter(\.isLive))
        case "settled": return Set(NodeState.allCases.filter { !$0.isLive })
        case "failed": return [.rejected, .abandoned]
        default:
            let known = NodeState.allCases.map(\.word) + ["live", "settled", "failed"]
            throw QueryError(noSuch("state", value, known), at: token.valueRange)
        }
    }

    private static func duration(
        _ field: QueryDuration, _ sign: String, _ value: String, _ token: QueryToken
    ) throws(QueryError) -> Query.Term {
        let comparison: Query.Comparison
        switch sign {
        case ">", ":": comparison = .greater
        case ">=": comparison = .atLeast
        case "<": comparison = .less
        case "<=": comparison = .atMost
        default: throw QueryError("\(field.rawValue) is a duration: use > >= < or <=", at: token.range)
        }
        let units: [(String, Double)] = [
            ("ns", 1), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9), ("m", 60e9), ("h", 3600e9),
        ]
        for (unit, nanoseconds) in units where value.hasSuffix(unit) {
            guard let number = Double(value.dropLast(unit.count)), number >= 0, number * nanoseconds < 9e18 else {
                break
            }
            return .duration(field, comparison, UInt64(number * nanoseconds))
        }
        throw QueryError("a duration is a number and ns, us, ms, s, m or h, such as 100ms", at: token.valueRange)
    }

    // MARK: Words

    /// What can stand before an operator.
    static let fieldNames =
        ["state", "kind", "id"] + QueryField.allCases.map(\.rawValue) + QueryDuration.allCases.map(\.rawValue)

    private static func unknown(_ name: String) -> String {
        noSuch("field", name, fieldNames) + "; quote a text that holds a sign"
    }

    private static func noSuch(_ what: String, _ value: String, _ known: [String]) -> String {
        let near = known.first { $0.hasPrefix(value.lowercased().prefix(3)) }
        return "there is no \(what) \(value)" + (near.map { ": \($0)?" } ?? ": \(known.joined(separator: " "))")
    }
}
