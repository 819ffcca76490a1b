// SPDX-License-Identifier: MIT

/// A word or sign of a query.
struct QueryToken: Hashable {
    enum Kind: Hashable {
        case open, close
        case and, or, not
        /// `|` without blanks around it: the word before it or the word after it has to match.
        case bar
        /// A word.
        case text(String)
        /// A phrase in quotes: always a text, even if it would have a meaning as a word.
        case phrase(String)
        /// `/expression/`, without the slashes.
        case pattern(String)
        /// `name:value`, `name>value` and so on.
        case field(name: String, operator: String, value: String, isPattern: Bool)
    }

    var kind: Kind
    /// The characters of the token, numbered from 0.
    var range: Range<Int>
    /// The characters of its value: in a field, the characters after the operator; in an expression, those between the
    /// slashes.
    var valueRange: Range<Int>
}

/// A lexer that cuts a query into words and signs.
struct QueryLexer {
    private let characters: [Character]
    private var position = 0

    init(_ text: String) { characters = Array(text) }

    var end: Int { characters.count }

    /// Returns the next word or sign, or nil at the end.
    mutating func next() throws(QueryError) -> QueryToken? {
        skipBlanks()
        guard position < characters.count else { return nil }
        let start = position
        switch characters[position] {
        case "(": return take(.open, 1)
        case ")": return take(.close, 1)
        case "|": return bar()
        case "&" where isNext("&"): return take(.and, 2)
        case "!" where isBeforeWord && !isNext("="): return take(.not, 1)
        case "-" where isBeforeWord && !characters[position + 1].isNumber: return take(.not, 1)
        case "\"":
            let phrase = try quoted()
            return QueryToken(kind: .phrase(phrase), range: start..<position, valueRange: start..<position)
        default:
            if let expression = pattern() {
                return QueryToken(
                    kind: .pattern(expression), range: start..<position, valueRange: start + 1..<position - 1)
            }
            return try word()
        }
    }

    private func isNext(_ character: Character) -> Bool {
        position + 1 < characters.count && characters[position + 1] == character
    }

    private var isBeforeWord: Bool {
        position + 1 < characters.count && !characters[position + 1].isWhitespace
    }

    /// Consumes a `|`, which joins two words as in `a|b`. With a blank beside it, or as `||`, it means `or`.
    private mutating func bar() -> QueryToken {
        if isNext("|") { return take(.or, 2) }
        let isTight = position > 0 && !characters[position - 1].isWhitespace && isBeforeWord
        return take(isTight ? .bar : .or, 1)
    }

    /// Consumes `/expression/`, up to a slash that ends a word, and returns the expression. Returns nil for a path,
    /// such as `/api/orders`.
    private mutating func pattern() -> String? {
        guard characters[position] == "/" else { return nil }
        var (end, isPath, hasBlanks) = (position + 1, false, false)
        var text = ""
        while end < characters.count {
            let character = characters[end]
            if character == "\\", end + 1 < characters.count {
                text.append(character)
                end += 1
            } else if character == "/" {
                if end > position + 1, end + 1 == characters.count || isEnd(characters[end + 1]) {
                    // Blanks belong to an expression, but not to a path.
                    guard !(isPath && hasBlanks) else { return nil }
                    position = end + 1
                    return text
                }
                isPath = true
            }
            if characters[end].isWhitespace { hasBlanks = true }
            text.append(characters[end])
            end += 1
        }
        return nil
    }

    private mutating func take(_ kind: QueryToken.Kind, _ count: Int) -> QueryToken {
        let start = position
        position += count
        return QueryToken(kind: kind, range: start..<position, valueRange: start..<position)
    }

    private mutating func quoted() throws(QueryError) -> String {
        let start = position
        position += 1
        var text = ""
        while position < characters.count {
            let character = characters[position]
            position += 1
            if character == "\"" { return text }
            if character == "\\", position < characters.count {
                // A line break between two frames, which a line that is typed cannot hold.
                text.append(characters[position] == "n" ? "\n" : characters[position])
                position += 1
            } else {
                text.append(character)
            }
        }
        throw QueryError("the quotation is not closed", at: start..<position)
    }

    private mutating func word() throws(QueryError) -> QueryToken {
        let start = position
        var name = ""
        while position < characters.count, !isEnd(characters[position]) {
            if let sign = comparison() { return try field(name, sign, from: start) }
            name.append(characters[position])
            position += 1
        }
        if let sign = distantComparison() { return try field(name, sign, from: start) }
        let kind: QueryToken.Kind =
            switch name.lowercased() {
            case "and": .and
            case "or": .or
            case "not": .not
            default: .text(name)
            }
        return QueryToken(kind: kind, range: start..<position, valueRange: start..<position)
    }

    /// Returns the operator at the current position, after a name; nil if there is no operator.
    private func comparison() -> String? {
        let rest = String(characters[position..<min(position + 2, characters.count)])
        return [">=", "<=", "!=", ":", "~", "=", ">", "<"].first { rest.hasPrefix($0) }
    }

    /// Returns the operator after a name and blanks, as in `total > 5s`, and moves to it; nil if there is no operator.
    private mutating func distantComparison() -> String? {
        let start = position
        skipBlanks()
        if position > start, position < characters.count, let sign = comparison() { return sign }
        position = start
        return nil
    }

    private mutating func skipBlanks() {
        while position < characters.count, characters[position].isWhitespace { position += 1 }
    }

    private mutating func field(_ name: String, _ sign: String, from start: Int) throws(QueryError) -> QueryToken {
        position += sign.count
        let signEnd = position
        skipBlanks()
        if position == characters.count { position = signEnd }
        let valueStart = position
        var value = ""
        if position < characters.count, characters[position] == "\"" {
            value = try quoted()
        } else if position < characters.count, let expression = pattern() {
            return QueryToken(
                kind: .field(name: name, operator: sign, value: expression, isPattern: true), range: start..<position,
                valueRange: valueStart + 1..<position - 1)
        } else {
            while position < characters.count, !isEnd(characters[position]) {
                value.append(characters[position])
                position += 1
            }
        }
        return QueryToken(
            kind: .field(name: name, operator: sign, value: value, isPattern: false), range: start..<position,
            valueRange: valueStart..<position)
    }

    private func isEnd(_ character: Character) -> Bool {
        character.isWhitespace || character == "(" || character == ")" || character == "|"
    }
}
