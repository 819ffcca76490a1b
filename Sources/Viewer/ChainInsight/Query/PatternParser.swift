// SPDX-License-Identifier: MIT

import ChainEvents

/// A parser of a regular expression into a nondeterministic automaton over the bytes of lower-case UTF-8.
struct PatternParser {
    /// A node of the automaton: a position in the expression. The automaton starts at node 0.
    enum Node: Hashable, Sendable {
        case bytes(ByteSet, next: Int)
        case split(Int, Int)
        /// Leads to the next node at the start of the text only.
        case start(next: Int)
        /// Leads to the next node at the end of the text only.
        case end(next: Int)
        case match
    }

    /// The expression as a tree.
    indirect enum Part: Sendable {
        case empty
        case bytes(ByteSet)
        case sequence([Part])
        case choice([Part])
        case repeated(Part, ClosedRange<Int>, isEndless: Bool)
        case start, end
    }

    let characters: [Character]
    var position = 0
    private var depth = 0
    private var nodes: [Node] = []

    /// The greatest nesting of alternatives: the whole expression, and 31 groups inside one another.
    private static let depthLimit = 32
    private static let nodeLimit = 2_000
    private static let repeatLimit = 100

    init(_ text: String) { characters = Array(text) }

    mutating func parse() throws(TextPattern.Problem) -> [Node] {
        let part = try choice()
        if position < characters.count { throw problem("there is no ( for this )", position..<position + 1) }
        // Node 0 leads to the first node once that is known; node 1 is the match.
        nodes = [.match, .match]
        let first = try add(part, next: 1)
        nodes[0] = .split(first, first)
        return nodes
    }

    func problem(_ text: String, _ range: Range<Int>) -> TextPattern.Problem {
        TextPattern.Problem(text: text, range: range)
    }

    // MARK: Parsing

    private mutating func choice() throws(TextPattern.Problem) -> Part {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.depthLimit else { throw problem("there are too many (", position - 1..<position) }
        var parts = [try sequence()]
        while position < characters.count, characters[position] == "|" {
            position += 1
            parts.append(try sequence())
        }
        return parts.count == 1 ? parts[0] : .choice(parts)
    }

    private mutating func sequence() throws(TextPattern.Problem) -> Part {
        var parts: [Part] = []
        while position < characters.count, !"|)".contains(characters[position]) { parts.append(try repetition()) }
        return parts.isEmpty ? .empty : .sequence(parts)
    }

    private mutating func repetition() throws(TextPattern.Problem) -> Part {
        let part = try atom()
        guard position < characters.count else { return part }
        switch characters[position] {
        case "*": return repeated(part, 0...0, isEndless: true)
        case "+": return repeated(part, 1...1, isEndless: true)
        case "?": return repeated(part, 0...1, isEndless: false)
        case "{": return try counted(part)
        default: return part
        }
    }

    private mutating func repeated(_ part: Part, _ count: ClosedRange<Int>, isEndless: Bool) -> Part {
        position += 1
        return .repeated(part, count, isEndless: isEndless)
    }

    /// Parses `{3}`, `{2,5}` or `{2,}` after a part.
    private mutating func counted(_ part: Part) throws(TextPattern.Problem) -> Part {
        let start = position
        guard let end = characters[start...].firstIndex(of: "}") else {
            throw problem("this { is not closed", start..<start + 1)
        }
        let bounds = String(characters[start + 1..<end]).split(separator: ",", omittingEmptySubsequences: false)
        guard (1...2).contains(bounds.count), let least = Int(digits: bounds[0]), (0...Self.repeatLimit).contains(least)
        else {
            throw problem("{ } holds one or two numbers up to \(Self.repeatLimit)", start..<end + 1)
        }
        position = end + 1
        guard bounds.count == 2 else { return .repeated(part, least...least, isEndless: false) }
        if bounds[1].isEmpty { return .repeated(part, least...least, isEndless: true) }
        guard let most = Int(digits: bounds[1]), (least...Self.repeatLimit).contains(most) else {
            throw problem("{ } holds one or two numbers up to \(Self.repeatLimit)", start..<end + 1)
        }
        return .repeated(part, least...most, isEndless: false)
    }

    private mutating func atom() throws(TextPattern.Problem) -> Part {
        let start = position
        let character = characters[position]
        position += 1
        switch character {
        case "(":
            if position < characters.count, characters[position] == "?" {
                guard position + 1 < characters.count, characters[position + 1] == ":" else {
                    throw problem("(? is not known", start..<position + 1)
                }
                position += 2
            }
            let part = try choice()
            guard position < characters.count else { throw problem("this ( is not closed", start..<start + 1) }
            position += 1
            return part
        case "*", "+", "?", "{": throw problem("\(character) has nothing to repeat", start..<position)
        case ".": return .choice([.bytes(ByteSet(0...127))] + Self.otherScalars)
        case "^": return .start
        case "$": return .end
        case "[": return try set(from: start)
        case "\\": return try escape(from: start)
        default: return Self.literal(character)
        }
    }

    static func literal(_ character: Character) -> Part {
        .sequence(character.lowercased().utf8.map { .bytes(ByteSet($0...$0)) })
    }

    /// The alternatives of a scalar that is not ASCII: two, three or four bytes of UTF-8.
    static let otherScalars: [Part] = {
        let rest = Part.bytes(ByteSet(0x80...0xBF))
        return [
            .sequence([.bytes(ByteSet(0xC2...0xDF)), rest]), .sequence([.bytes(ByteSet(0xE0...0xEF)), rest, rest]),
            .sequence([.bytes(ByteSet(0xF0...0xF4)), rest, rest, rest]),
        ]
    }()

    // MARK: The automaton

    /// Adds the nodes of a part, with ends that lead to the node `next`. Returns the index of the part's first node, or
    /// `next` if the part is empty.
    private mutating func add(_ part: Part, next: Int) throws(TextPattern.Problem) -> Int {
        guard nodes.count < Self.nodeLimit else { throw problem("there is too much to repeat", 0..<characters.count) }
        switch part {
        case .empty: return next
        case .bytes(let set): return append(.bytes(set, next: next))
        case .start: return append(.start(next: next))
        case .end: return append(.end(next: next))
        case .sequence(let parts):
            var first = next
            for part in parts.reversed() { first = try add(part, next: first) }
            return first
        case .choice(let parts):
            var first = try add(parts[parts.count - 1], next: next)
            for part in parts.dropLast().reversed() { first = append(.split(try add(part, next: next), first)) }
            return first
        case .repeated(let part, let count, let isEndless):
            var first = next
            if isEndless {
                // A placeholder, because the part leads back to the split.
                let loop = append(.match)
                nodes[loop] = .split(try add(part, next: loop), next)
                first = loop
            }
            for _ in 0..<count.upperBound - count.lowerBound {
                first = append(.split(try add(part, next: first), next))
            }
            for _ in 0..<count.lowerBound {
                let last = first
                first = try add(part, next: last)
                // An empty part adds no nodes, however often it is repeated.
                if first == last { break }
            }
            return first
        }
    }

    private mutating func append(_ node: Node) -> Int {
        nodes.append(node)
        return nodes.count - 1
    }
}
