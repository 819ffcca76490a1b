/// A query cut into words.
struct QueryToken: Hashable {
    enum Kind: Hashable {
        case open, close
        case and, or, not
        /// A word, or a phrase in quotes.
        case text(String)
        /// `name:value`, `name>value` and so on.
        case field(name: String, operator: String, value: String)
    }

    var kind: Kind
    /// Its characters, by number.
    var range: Range<Int>
    /// The characters of its value, where it is a field.
    var valueRange: Range<Int>
}

/// Cuts a query into words.
struct QueryLexer {
    private let characters: [Character]
    private var position = 0

    init(_ text: String) { characters = Array(text) }

    var end: Int { characters.count }

    /// The next word, or nil at the end.
    mutating func next() throws(QueryError) -> QueryToken? {
        while position < characters.count, characters[position].isWhitespace { position += 1 }
        guard position < characters.count else { return nil }
        let start = position
        switch characters[position] {
        case "(": return take(.open, 1)
        case ")": return take(.close, 1)
        case "!" where position + 1 < characters.count && !characters[position + 1].isWhitespace: return take(.not, 1)
        case "\"":
            let phrase = try quoted()
            return QueryToken(kind: .text(phrase), range: start..<position, valueRange: start..<position)
        default: return try word()
        }
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
                text.append(characters[position])
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
        let kind: QueryToken.Kind =
            switch name.lowercased() {
            case "and": .and
            case "or": .or
            case "not": .not
            default: .text(name)
            }
        return QueryToken(kind: kind, range: start..<position, valueRange: start..<position)
    }

    /// The operator at the current position behind a name; nil where there is none.
    private func comparison() -> String? {
        let rest = String(characters[position..<min(position + 2, characters.count)])
        return [">=", "<=", "!=", ":", "~", "=", ">", "<"].first { rest.hasPrefix($0) }
    }

    private mutating func field(_ name: String, _ sign: String, from start: Int) throws(QueryError) -> QueryToken {
        position += sign.count
        let valueStart = position
        var value = ""
        if position < characters.count, characters[position] == "\"" {
            value = try quoted()
        } else {
            while position < characters.count, !isEnd(characters[position]) {
                value.append(characters[position])
                position += 1
            }
        }
        return QueryToken(
            kind: .field(name: name, operator: sign, value: value), range: start..<position,
            valueRange: valueStart..<position)
    }

    private func isEnd(_ character: Character) -> Bool {
        character.isWhitespace || character == "(" || character == ")"
    }
}
