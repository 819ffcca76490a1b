// SPDX-License-Identifier: MIT

import ChainEvents

/// A parser of tokens into terms: `or` binds least, then `and` (even if it is left out), then `not`, then `|`.
struct QueryParser {
    private var lexer: QueryLexer
    private var token: QueryToken?
    private var depth = 0

    /// Bounds the nesting, so that no text overflows the stack of the parser or a matcher.
    private static let depthLimit = 64

    /// The queries that words with `@` stand for; nil if such words are plain texts.
    private let saved: [String: String]?

    init(_ text: String, saved: [String: String]?) {
        lexer = QueryLexer(text)
        self.saved = saved
    }

    mutating func parse() throws(QueryError) -> Query.Term {
        token = try lexer.next()
        guard token != nil else { return .all([]) }
        let term = try parseAlternatives()
        if let token { throw QueryError("there is no ( for this )", at: token.range) }
        return term
    }

    private mutating func parseAlternatives() throws(QueryError) -> Query.Term {
        var terms = [try parseConjunction()]
        while token?.kind == .or {
            token = try lexer.next()
            terms.append(try parseConjunction())
        }
        return terms.count == 1 ? terms[0] : .any(terms)
    }

    private mutating func parseConjunction() throws(QueryError) -> Query.Term {
        var terms = [try parseNegation()]
        while let next = token, next.kind != .or, next.kind != .close {
            if next.kind == .and { token = try lexer.next() }
            terms.append(try parseNegation())
        }
        return terms.count == 1 ? terms[0] : .all(terms)
    }

    private mutating func parseNegation() throws(QueryError) -> Query.Term {
        depth += 1
        defer { depth -= 1 }
        guard let current = token else {
            throw QueryError("something to look for is missing here", at: lexer.end..<lexer.end)
        }
        guard depth <= Self.depthLimit else { throw QueryError("too many ( or not", at: current.range) }
        if current.kind == .not {
            token = try lexer.next()
            return .not(try parseNegation())
        }
        return try parseWords()
    }

    /// Parses one word, or several words with `|` between them, one of which has to match. Words after a field are
    /// further values of that field: `kind:all|race` matches either kind, `kind!=all|race` matches neither kind. Fields
    /// after a `|` are alternatives of their own.
    private mutating func parseWords() throws(QueryError) -> Query.Term {
        var terms: [Query.Term] = []
        var isMore = true
        while isMore {
            // A `not` applies to all alternatives after it.
            if token?.kind == .not {
                terms.append(try parseNegation())
                break
            }
            let first = token
            var values = [try parseWord()]
            isMore = try skipBar()
            if case .field(let name, let sign, _, _)? = first?.kind {
                while isMore, let next = token, let value = next.value {
                    values.append(try field(name.lowercased(), sign, value.text, isPattern: value.isPattern, next))
                    token = try lexer.next()
                    isMore = try skipBar()
                }
                if sign == "!=", values.count > 1 { values = [.all(values)] }
            }
            terms += values
        }
        return terms.count == 1 ? terms[0] : .any(terms)
    }

    /// Skips a `|`; returns whether there was one.
    private mutating func skipBar() throws(QueryError) -> Bool {
        guard token?.kind == .bar else { return false }
        token = try lexer.next()
        return true
    }

    private mutating func parseWord() throws(QueryError) -> Query.Term {
        guard let current = token else {
            throw QueryError("something to look for is missing here", at: lexer.end..<lexer.end)
        }
        let term: Query.Term
        switch current.kind {
        case .open:
            token = try lexer.next()
            let inner = try parseAlternatives()
            guard token?.kind == .close else { throw QueryError("this ( is not closed", at: current.range) }
            term = inner
        case .not, .close, .and, .or, .bar: throw QueryError("something to look for is missing here", at: current.range)
        case .phrase(let text): term = .text(text.lowercased())
        case .text(let text) where saved != nil && text.count > 1 && text.hasPrefix("@"):
            term = try savedQuery(String(text.dropFirst()), current)
        case .text(let text): term = Self.meaning(of: text.lowercased())
        case .pattern(let text): term = .pattern(try Self.pattern(text, current))
        case .field(let name, let sign, let value, let isPattern):
            term = try field(name.lowercased(), sign, value, isPattern: isPattern, current)
        }
        token = try lexer.next()
        return term
    }

    private func savedQuery(_ name: String, _ token: QueryToken) throws(QueryError) -> Query.Term {
        guard let query = saved?[name] else {
            let names = (saved ?? [:]).keys.sorted().map { "@" + $0 }.joined(separator: " ")
            throw QueryError("there is no saved query \(name): \(names)", at: token.range)
        }
        do {
            var parser = QueryParser(query, saved: nil)
            return try parser.parse()
        } catch {
            throw QueryError("the saved query \(name) cannot be read: \(error)", at: token.range)
        }
    }

    private static func pattern(_ text: String, _ token: QueryToken) throws(QueryError) -> TextPattern {
        do throws(TextPattern.Problem) { return try TextPattern(text) } catch {
            let start = token.valueRange.lowerBound
            throw QueryError(
                "in the regular expression " + error.text,
                at: start + error.range.lowerBound..<start + error.range.upperBound)
        }
    }

    private func field(
        _ name: String, _ sign: String, _ value: String, isPattern: Bool, _ token: QueryToken
    ) throws(QueryError) -> Query.Term {
        let term = try comparison(name, sign, value, isPattern: isPattern, token)
        return sign == "!=" ? .not(term) : term
    }

    private func comparison(
        _ name: String, _ sign: String, _ value: String, isPattern: Bool, _ token: QueryToken
    ) throws(QueryError) -> Query.Term {
        let range = token.range.lowerBound..<token.valueRange.lowerBound
        guard !value.isEmpty else { throw QueryError("\(name)\(sign) needs a value", at: token.range) }
        let isText = [":", "=", "!=", "~"].contains(sign)
        if let field = QueryField(rawValue: name) {
            guard isText else { throw QueryError("\(name) is a text: use : = or ~", at: token.range) }
            if isPattern { return .field(field, .contains, .pattern(try Self.pattern(value, token))) }
            let comparison = sign == "=" || sign == "!=" ? Query.Comparison.equal : .contains
            return .field(field, comparison, .text(value.lowercased()))
        }
        if isPattern, Self.fieldNames.contains(name) {
            throw QueryError("\(name) is no text: an expression cannot stand here", at: token.valueRange)
        }
        if let duration = QueryDuration(rawValue: name) { return try Self.duration(duration, sign, value, token) }
        if sign == ":", let site = Self.site(name, value) { return site }
        guard Self.fieldNames.contains(name) || ["is", "operation"].contains(name) else {
            throw QueryError(Self.unknown(name), at: range)
        }
        guard isText else { throw QueryError("\(name) has no order: use :", at: token.range) }
        switch name {
        case "id":
            let digits = value.hasPrefix("#") ? value.dropFirst() : value[...]
            guard let id = UInt64(digits: digits) else { throw QueryError("an id is a number", at: token.valueRange) }
            return .id(NodeID(id))
        case "kind", "operation":
            let kinds = NodeKind.allCases.filter { $0.word.lowercased() == value.lowercased() }
            guard !kinds.isEmpty else {
                throw QueryError(Self.noSuch("kind", value, NodeKind.allCases.map(\.word)), at: token.valueRange)
            }
            return .kinds(Set(kinds))
        case "warning": return .warnings(try Self.warnings(value, token))
        case "waits-for":
            guard let reasons = Self.reasons.first(where: { $0.name == value.lowercased() })?.reasons else {
                let known = Self.reasons.map(\.name)
                throw QueryError(Self.noSuch("thing to wait for called", value, known), at: token.valueRange)
            }
            return .waits(reasons.reduce(0) { $0 | $1.bit })
        default:
            return value.lowercased() == Self.suspended
                ? .waits(Self.suspendedTask) : .states(try Self.states(value, token))
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
        let units: [(name: String, size: Double)] = [
            ("ns", 1), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9), ("m", 60e9), ("h", 3600e9),
        ]
        guard let nanoseconds = Double(decimal: value, units: units, below: 9e18) else {
            throw QueryError("a duration is a number and ns, us, ms, s, m or h, such as 100ms", at: token.valueRange)
        }
        return .duration(field, comparison, UInt64(nanoseconds))
    }
}
