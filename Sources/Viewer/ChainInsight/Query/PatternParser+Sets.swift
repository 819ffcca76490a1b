// SPDX-License-Identifier: MIT

// Escapes, and sets of characters.
extension PatternParser {
    mutating func escape(from start: Int) throws(TextPattern.Problem) -> Part {
        switch try escaped(from: start) {
        case .character(let character): Self.literal(character)
        case .members(let set, hasOthers: false): .bytes(set)
        case .members(let set, hasOthers: true): .choice([.bytes(set)] + Self.otherScalars)
        }
    }

    /// What a `\` and the character after it stand for.
    private enum Escaped {
        case character(Character)
        /// The members of a class, such as `\d`. If `hasOthers` is true, all characters that are not ASCII are members,
        /// too.
        case members(ByteSet, hasOthers: Bool)
    }

    private mutating func escaped(from start: Int) throws(TextPattern.Problem) -> Escaped {
        guard position < characters.count else { throw problem("something is missing after \\", start..<position) }
        let character = characters[position]
        position += 1
        if let set = Self.members(ofClass: character) { return .members(set, hasOthers: false) }
        if "DSW".contains(character), let set = Self.members(ofClass: Character(character.lowercased())) {
            return .members(set.inverted, hasOthers: true)
        }
        guard !character.isLetter, !character.isNumber else {
            throw problem("\\\(character) is not known", start..<position)
        }
        return .character(character)
    }

    private static func members(ofClass character: Character) -> ByteSet? {
        switch character {
        case "d": ByteSet(48...57)
        case "s": ByteSet(9...13, 32...32)
        case "w": ByteSet(48...57, 95...95, 97...122)
        default: nil
        }
    }

    /// Parses a set after its `[`, such as `[a-z_]` or `[^a-z_]`.
    mutating func set(from start: Int) throws(TextPattern.Problem) -> Part {
        var (set, classes, others) = (ByteSet(), ByteSet(), [Part]())
        var hasOthers = false
        let isInverted = isAt("^")
        if isInverted { position += 1 }
        var isFirst = true
        while position < characters.count, isFirst || characters[position] != "]" {
            isFirst = false
            let memberStart = position
            switch try member() {
            case .members(let members, let includesOthers):
                classes.formUnion(members)
                if includesOthers { hasOthers = true }
            case .character(let character):
                guard let first = character.asciiValue else {
                    guard !isInverted else { throw problem("[^ ] holds ASCII letters only", memberStart..<position) }
                    others.append(Self.literal(character))
                    continue
                }
                guard isAt("-"), position + 1 < characters.count, characters[position + 1] != "]" else {
                    set.insert(first...first)
                    continue
                }
                position += 1
                guard case .character(let end) = try member(), let last = end.asciiValue, last >= first else {
                    throw problem("this range has no order", memberStart..<position)
                }
                set.insert(first...last)
            }
        }
        guard position < characters.count else { throw problem("this [ is not closed", start..<start + 1) }
        position += 1
        // Texts are compared in lower case.
        for letter in 65...90 as ClosedRange<UInt8> where set.contains(letter) { set.insert(letter | 32...letter | 32) }
        set.formUnion(classes)
        if hasOthers { others = Self.otherScalars }
        if isInverted { (set, others) = (set.inverted, hasOthers ? [] : Self.otherScalars) }
        return .choice([.bytes(set)] + others)
    }

    /// Parses one member of a set, which may be escaped.
    private mutating func member() throws(TextPattern.Problem) -> Escaped {
        position += 1
        let character = characters[position - 1]
        return character == "\\" ? try escaped(from: position - 1) : .character(character)
    }

    private func isAt(_ character: Character) -> Bool {
        position < characters.count && characters[position] == character
    }
}
