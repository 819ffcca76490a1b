// SPDX-License-Identifier: MIT

import Frames

/// A control sequence, decoded from the bytes that follow `ESC [` or `ESC O`. Each `count` counts these bytes, not the
/// two bytes before them.
///
///     ESC [ parameters (0x30 to 0x3F)  intermediates (0x20 to 0x2F)  final (0x40 to 0x7E)
enum ControlSequence {
    case incomplete
    case unknown(count: Int)
    /// The sequence is longer than the limit, and does not end among the bytes.
    case tooLong(count: Int)
    case key(KeyPress, count: Int)
    case mouse(Mouse, count: Int)
    /// The answer to a query for mode 2026 (DECRQM).
    case synchronizedOutput(isSupported: Bool, count: Int)

    /// The maximum number of bytes that are held without a final byte.
    private static let lengthLimit = 64

    /// Decodes the bytes after `ESC [` (CSI).
    static func decodeCSI(_ body: ArraySlice<UInt8>) -> ControlSequence {
        // Two forms do not end at their first final byte: the Linux console's F1 to F5, such as `ESC [ [ A`, and the
        // mouse reports that are older than SGR.
        if body.first == UInt8(ascii: "[") {
            guard let letter = body.dropFirst().first else { return .incomplete }
            let number = Int(letter) - Int(UInt8(ascii: "A"))
            return (0..<5).contains(number) ? .key(KeyPress(.function(number + 1)), count: 2) : .unknown(count: 2)
        }
        if body.first == UInt8(ascii: "M") { return oldMouse(body.dropFirst()) }
        guard let count = endOfCSI(body) else {
            return body.count > lengthLimit ? .tooLong(count: body.count) : .incomplete
        }
        // Without a final byte, the next byte may not stand in a sequence and begins something new.
        guard let final = body.prefix(count).last, final >= 0x40 else { return .unknown(count: count) }
        let parameters = body.prefix(count - 1)
        if parameters.first == UInt8(ascii: "<") {
            return mouse(parameters.dropFirst(), final: final, count: count)
        }
        if final == UInt8(ascii: "y"), parameters.first == UInt8(ascii: "?"),
            parameters.last == UInt8(ascii: "$"), let answer = numbers(parameters.dropFirst().dropLast()),
            answer.count == 2, answer[0] == SynchronizedOutput.mode
        {
            // 1: the mode is set; 2: it is not set; 0: it is not known; 3 and 4: it can never be changed, so it is of
            // no use.
            return .synchronizedOutput(isSupported: answer[1] == 1 || answer[1] == 2, count: count)
        }
        guard let numbers = numbers(parameters), let key = key(numbers, final: final) else {
            return .unknown(count: count)
        }
        return .key(key, count: count)
    }

    /// Returns how many of the bytes belong to a sequence: up to its final byte, or up to a byte that may not stand in
    /// it; nil if neither is among them.
    static func endOfCSI(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard let end = bytes.firstIndex(where: { !(0x20...0x3F).contains($0) }) else { return nil }
        return end - bytes.startIndex + ((0x40...0x7E).contains(bytes[end]) ? 1 : 0)
    }

    /// Decodes the bytes after `ESC O` (SS3): a single letter, which some terminals send after a digit for the
    /// modifiers.
    static func decodeSS3(_ body: ArraySlice<UInt8>) -> ControlSequence {
        guard let letter = body.first else { return .incomplete }
        // `ESC O 5 A` is Control-Up.
        if (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(letter) {
            guard let final = body.dropFirst().first else { return .incomplete }
            guard let key = named(final) else { return .unknown(count: 2) }
            return .key(KeyPress(key, modifiers(Int(letter - 48))), count: 2)
        }
        if let key = named(letter) { return .key(KeyPress(key), count: 1) }
        if letter == UInt8(ascii: "M") { return .key(KeyPress(.enter), count: 1) }
        return .unknown(count: (0x40...0x7E).contains(letter) ? 1 : 0)
    }

    private static func numbers(_ parameters: ArraySlice<UInt8>) -> [Int]? {
        var result = [0]
        for byte in parameters {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                result[result.count - 1] = min(result[result.count - 1] * 10 + Int(byte - 48), 1_000_000)
            case UInt8(ascii: ";"): result.append(0)
            default: return nil
            }
        }
        return result
    }

    private static func modifiers(_ parameter: Int) -> KeyPress.Modifiers {
        // The parameter is 1 plus the sum of Shift 1, Alt 2, Control 4 and Meta 8.
        let bits = max(parameter, 1) - 1
        var held = KeyPress.Modifiers(rawValue: UInt8(bits & 7))
        if bits & 8 != 0 { held.insert(.alt) }
        return held
    }

    private static func named(_ letter: UInt8) -> Key? {
        switch letter {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "C"): .right
        case UInt8(ascii: "D"): .left
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "F"): .end
        case UInt8(ascii: "P"): .function(1)
        case UInt8(ascii: "Q"): .function(2)
        case UInt8(ascii: "R"): .function(3)
        case UInt8(ascii: "S"): .function(4)
        default: nil
        }
    }

    private static func key(_ numbers: [Int], final: UInt8) -> KeyPress? {
        let held = modifiers(numbers.count > 1 ? numbers[1] : 1)
        switch final {
        case UInt8(ascii: "Z"): return KeyPress(.backTab)
        case UInt8(ascii: "~"):
            guard let key = numbered(numbers[0]) else { return nil }
            return KeyPress(key, held)
        case UInt8(ascii: "u"):
            guard let scalar = Unicode.Scalar(UInt32(numbers[0])), scalar.value >= 0x20, scalar.value != 0x7F else {
                return [13: Key.enter, 27: .escape, 9: .tab, 127: .backspace][numbers[0]].map { KeyPress($0, held) }
            }
            return KeyPress(.character(Character(scalar)), held.subtracting(.shift))
        default:
            // Only `ESC [ A` and `ESC [ 1 ; m A`, with modifiers m, are keys; anything else with these letters is a
            // report.
            guard numbers.count <= 2, numbers[0] <= 1, let key = named(final) else { return nil }
            return KeyPress(key, held)
        }
    }

    private static func numbered(_ number: Int) -> Key? {
        switch number {
        case 1, 7: .home
        case 2: .insert
        case 3: .delete
        case 4, 8: .end
        case 5: .pageUp
        case 6: .pageDown
        case 11...15: .function(number - 10)
        case 17...21: .function(number - 11)
        case 23, 24: .function(number - 12)
        default: nil
        }
    }
}

extension ControlSequence {
    /// Decodes `ESC [ < buttons ; column ; row M`, with a final `m` for a release.
    private static func mouse(_ parameters: ArraySlice<UInt8>, final: UInt8, count: Int) -> ControlSequence {
        guard final == UInt8(ascii: "M") || final == UInt8(ascii: "m"), let numbers = numbers(parameters),
            numbers.count == 3, numbers[1] > 0, numbers[2] > 0
        else { return .unknown(count: count) }
        let action = mouse(numbers[0], isRelease: final == UInt8(ascii: "m"), column: numbers[1], row: numbers[2])
        return action.map { .mouse($0, count: count) } ?? .unknown(count: count)
    }

    /// Decodes `ESC [ M`, then buttons, column and row, each in one byte with 32 added.
    private static func oldMouse(_ body: ArraySlice<UInt8>) -> ControlSequence {
        guard body.count >= 3 else { return .incomplete }
        let bytes = body.prefix(3).map { Int($0) - 32 }
        guard bytes.allSatisfy({ $0 >= 0 }), bytes[1] > 0, bytes[2] > 0 else { return .unknown(count: 4) }
        let isRelease = bytes[0] & 3 == 3 && bytes[0] & 64 == 0
        let action = mouse(bytes[0], isRelease: isRelease, column: bytes[1], row: bytes[2])
        return action.map { .mouse($0, count: 4) } ?? .unknown(count: 4)
    }

    private static func mouse(_ bits: Int, isRelease: Bool, column: Int, row: Int) -> Mouse? {
        var held: KeyPress.Modifiers = []
        if bits & 4 != 0 { held.insert(.shift) }
        if bits & 8 != 0 { held.insert(.alt) }
        if bits & 16 != 0 { held.insert(.control) }
        let cell = (row: row - 1, column: column - 1)
        if bits & 64 != 0 {
            guard !isRelease, bits & 3 < 2 else { return nil }
            return Mouse(
                bits & 1 == 0 ? .wheelUp : .wheelDown, row: cell.row, column: cell.column, modifiers: held)
        }
        guard bits & 128 == 0 else { return nil }
        let button: Mouse.Button = [.left, .middle, .right, .none][bits & 3]
        if bits & 32 != 0 {
            // The pointer moved. Only a drag is reported: a move with a button held.
            guard button != .none, !isRelease else { return nil }
            return Mouse(.drag, button, row: cell.row, column: cell.column, modifiers: held)
        }
        if !isRelease, button == .none { return nil }
        return Mouse(isRelease ? .release : .press, button, row: cell.row, column: cell.column, modifiers: held)
    }
}
