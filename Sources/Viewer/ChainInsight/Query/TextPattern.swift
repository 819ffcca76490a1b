// SPDX-License-Identifier: MIT

/// A regular expression that is searched for in texts, case-insensitively.
///
/// A deterministic automaton, built lazily: it makes a state when a text first needs the state. After that a byte of
/// text costs a table look-up, and nothing is allocated. An expression that needs over 256 states makes some of them
/// repeatedly, and a text that is not ASCII is first copied in lower case. Backtracking would let a program's own
/// labels stall a frame.
///
/// The syntax has `.` `[a-z]` `[^a-z]` `*` `+` `?` `{2,5}` `|` `( )` `^` `$` `\d` `\s` `\w` `\D` `\S` `\W`. As usual,
/// `\D` is the opposite of `\d`, and so on. `\` before any character that is neither a letter nor a digit stands for
/// that character. All escapes work within `[ ]`, too.
package struct TextPattern: Hashable, Sendable {
    /// Why an expression cannot be read.
    package struct Problem: Error, Hashable {
        /// The end of a sentence that begins "in the regular expression".
        var text: String
        /// The characters of the expression that are at fault, numbered from 0.
        var range: Range<Int>
    }

    /// The expression as typed.
    package let text: String
    private let nodes: [PatternParser.Node]
    /// The states of the automaton that were made; state 0 is the start.
    private var states: [State] = []
    /// The state that each byte leads to, by `state << 8 | byte`; ``unmade`` until a text needs it.
    private var table: [Int16] = []
    /// The state of each set of positions.
    private var numbers: [[Int32]: Int16] = [:]

    private struct State {
        /// The positions in the expression, as indices of `nodes`.
        var positions: [Int32]
        var isMatch: Bool
        /// Whether the state is a match if the text ends in this state.
        var isMatchAtEnd: Bool
    }

    private static let unmade: Int16 = -1
    /// The maximum number of states. If a further state is needed, all states are dropped, and made again when texts
    /// need them.
    private static let stateLimit = 256

    /// Parses an expression.
    package init(_ text: String) throws(Problem) {
        self.text = text
        var parser = PatternParser(text)
        nodes = try parser.parse()
    }

    package static func == (left: TextPattern, right: TextPattern) -> Bool { left.text == right.text }
    package func hash(into hasher: inout Hasher) { hasher.combine(text) }

    /// Returns whether the expression matches anywhere in a text.
    package mutating func matches(_ text: String) -> Bool {
        var text = text
        let isASCII = text.withUTF8 { bytes in bytes.allSatisfy { $0 < 0x80 } }
        if !isASCII { text = text.lowercased() }
        if states.isEmpty { _ = number(of: closure([0], isStart: true)) }
        return text.withUTF8 { search($0) }
    }

    private mutating func search(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var state = 0
        for byte in text {
            if states[state].isMatch { return true }
            // Upper-case ASCII letters become lower-case letters, as in the expression.
            let byte = byte >= 65 && byte <= 90 ? byte | 32 : byte
            let next = table[state << 8 | Int(byte)]
            state = next == Self.unmade ? step(from: state, byte) : Int(next)
        }
        return states[state].isMatch || states[state].isMatchAtEnd
    }

    /// Makes and returns the state that a byte leads to.
    private mutating func step(from state: Int, _ byte: UInt8) -> Int {
        let next = states[state].positions.compactMap { position -> Int32? in
            guard case .bytes(let set, let next) = nodes[Int(position)], set.contains(byte) else { return nil }
            return Int32(next)
        }
        // A match may begin anywhere.
        let positions = closure(next + [0], isStart: false)
        if states.count >= Self.stateLimit, numbers[positions] == nil {
            (states, table, numbers) = ([], [], [:])
            _ = number(of: closure([0], isStart: true))
            return Int(number(of: positions))
        }
        let number = number(of: positions)
        table[state << 8 | Int(byte)] = number
        return Int(number)
    }

    /// Returns the number of the state for a set of positions; makes the state if it is new.
    private mutating func number(of positions: [Int32]) -> Int16 {
        if let known = numbers[positions] { return known }
        let number = Int16(states.count)
        let atEnd = closure(positions, isStart: false, isEnd: true)
        func hasMatch(_ positions: [Int32]) -> Bool {
            positions.contains { if case .match = nodes[Int($0)] { true } else { false } }
        }
        states.append(State(positions: positions, isMatch: hasMatch(positions), isMatchAtEnd: hasMatch(atEnd)))
        table.append(contentsOf: repeatElement(Self.unmade, count: 256))
        numbers[positions] = number
        return number
    }

    /// Returns the positions that are reached without a byte, in order. A `^` is passed only if `isStart` is true, and
    /// a `$` only if `isEnd` is true.
    private func closure(_ positions: [Int32], isStart: Bool, isEnd: Bool = false) -> [Int32] {
        var reached: Set<Int32> = []
        var waiting = positions
        while let position = waiting.popLast() {
            guard reached.insert(position).inserted else { continue }
            switch nodes[Int(position)] {
            case .split(let first, let second): waiting += [Int32(first), Int32(second)]
            case .start(let next): if isStart { waiting.append(Int32(next)) }
            case .end(let next): if isEnd { waiting.append(Int32(next)) }
            case .bytes, .match: break
            }
        }
        return reached.sorted()
    }
}
