// SPDX-License-Identifier: MIT

import Frames

/// A decoder of the bytes of a terminal into keys, mouse actions and pasted text.
///
/// A pure state machine: bytes go in as they arrive, split anywhere, and ``next()`` returns complete events. Bytes that
/// could begin a longer sequence (above all a lone Escape) are held; if no more bytes come in time, the caller calls
/// ``flush()``. Unknown sequences are discarded whole, so that their letters are not taken for keys. A long one is
/// discarded as it comes.
struct KeyDecoder {
    enum Input: Hashable {
        case key(KeyPress)
        case mouse(Mouse)
        /// Text from the clipboard.
        case pasted(String)
        /// Whether the terminal supports ``SynchronizedOutput``.
        case synchronizedOutput(isSupported: Bool)
    }

    /// The byte sequences of keys in the terminal's description.
    private let known: [[UInt8]: KeyPress]
    private let longestKnown: Int
    private var bytes: [UInt8] = []
    private var isFlushing = false
    private var paste: PastedText?
    /// The kind of the sequence that is discarded to its end, because it is too long; nil after its end.
    private var discarding: LongSequence?

    init(known: [[UInt8]: KeyPress] = [:]) {
        self.known = known
        longestKnown = known.keys.map(\.count).max() ?? 0
    }

    /// Appends bytes as they were read.
    mutating func feed(_ more: some Sequence<UInt8>) {
        bytes.append(contentsOf: more)
    }

    /// Whether an incomplete sequence or an unfinished paste is held, or the end of a long sequence is still to come.
    var isHolding: Bool { !bytes.isEmpty || paste != nil || discarding != nil }

    /// How many nanoseconds to wait for the rest of a held sequence. The wait is short for a single byte, which is most
    /// likely the key Escape; a longer beginning may come over a slow line.
    var patience: Int64 {
        paste != nil ? PastedText.patience : bytes.count == 1 && discarding == nil ? 40_000_000 : 250_000_000
    }

    /// Removes and returns the next complete event; nil if there is none.
    mutating func next() -> Input? {
        if let input = takePaste() { return input }
        discardLongSequence()
        while paste == nil, discarding == nil, !bytes.isEmpty {
            switch decode(bytes[...]) {
            case .incomplete: return nil
            case .nothing(let count): bytes.removeFirst(min(count, bytes.count))
            case .input(let input, let count):
                bytes.removeFirst(count)
                return input
            case .paste(let count):
                bytes.removeFirst(count)
                paste = PastedText()
                if let input = takePaste() { return input }
            case .tooLong(let sequence, let count):
                bytes.removeFirst(count)
                if !isFlushing { discarding = sequence }
            }
        }
        return nil
    }

    /// Discards more bytes of a long sequence, up to its end. A flush ends the sequence, too.
    private mutating func discardLongSequence() {
        guard let discarding else { return }
        let end: Int?
        var rest = bytes.count
        switch discarding {
        case .control: end = ControlSequence.endOfCSI(bytes[...])
        case .string:
            end = KeyDecoder.endOfString(bytes[...])
            if bytes.last == 0x1B, !isFlushing { rest -= 1 }
        }
        bytes.removeFirst(end ?? rest)
        if end != nil || isFlushing { self.discarding = nil }
    }

    private mutating func takePaste() -> Input? {
        guard let text = paste?.take(from: &bytes, isLast: isFlushing) else { return nil }
        paste = nil
        return .pasted(text)
    }

    /// Returns the next event, or nil, with the held bytes decoded as they are: a lone Escape is the key Escape,
    /// `ESC [` and `ESC O` are Alt-[ and Alt-O, and any other incomplete sequence is dropped. What follows a long
    /// sequence without an end is decoded again.
    mutating func flush() -> Input? {
        isFlushing = true
        defer { isFlushing = false }
        return next()
    }

    private enum Step {
        case incomplete
        case nothing(count: Int)
        case input(Input, count: Int)
        /// Pasted text begins after `count` bytes.
        case paste(count: Int)
        /// The first `count` bytes belong to a sequence that is longer than its limit, and its end is still to come.
        case tooLong(LongSequence, count: Int)
    }

    private enum LongSequence {
        /// `ESC [` and parameters; a final byte ends it.
        case control
        /// An answer of the terminal, such as OSC or DCS; BEL or ST ends it.
        case string
    }

    private func decode(_ bytes: ArraySlice<UInt8>) -> Step {
        let first = bytes[bytes.startIndex]
        if first == 0x1B { return escape(bytes) }
        if let (key, count) = knownKey(bytes) { return .input(.key(key), count: count) }
        if first < 0x20 || first == 0x7F { return .input(.key(KeyDecoder.control(first)), count: 1) }
        return character(bytes)
    }

    private func knownKey(_ bytes: ArraySlice<UInt8>) -> (KeyPress, Int)? {
        var count = min(longestKnown, bytes.count)
        while count > 0 {
            if let key = known[Array(bytes.prefix(count))] { return (key, count) }
            count -= 1
        }
        return nil
    }

    private func escape(_ bytes: ArraySlice<UInt8>) -> Step {
        if let (key, count) = knownKey(bytes) { return .input(.key(key), count: count) }
        guard let second = bytes.dropFirst().first else {
            return isFlushing ? .input(.key(KeyPress(.escape)), count: 1) : .incomplete
        }
        let rest = bytes.dropFirst()
        if bytes.starts(with: PastedText.begin) { return .paste(count: PastedText.begin.count) }
        switch second {
        case UInt8(ascii: "["): return step(for: ControlSequence.decodeCSI(rest.dropFirst()), bytes)
        case UInt8(ascii: "O"): return step(for: ControlSequence.decodeSS3(rest.dropFirst()), bytes)
        case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"), UInt8(ascii: "^"), UInt8(ascii: "X"):
            return string(rest.dropFirst())
        case 0x1B:
            // Alt with a key that sends a sequence itself, or Escape twice. The first of three ESC is Escape at once,
            // because the key Escape may be held for any time.
            if rest.dropFirst().first == 0x1B { return .input(.key(KeyPress(.escape)), count: 1) }
            switch escape(rest) {
            case .incomplete: return isFlushing ? .input(.key(KeyPress(.escape)), count: 1) : .incomplete
            case .nothing(let count): return .nothing(count: count + 1)
            case .tooLong(let sequence, let count): return .tooLong(sequence, count: count + 1)
            case .paste: return .input(.key(KeyPress(.escape)), count: 1)
            case .input(.key(let key), let count) where key.key != .escape: return alt(key, count)
            case .input: return .input(.key(KeyPress(.escape)), count: 1)
            }
        default:
            switch decode(rest) {
            case .incomplete: return isFlushing ? .nothing(count: bytes.count) : .incomplete
            case .nothing(let count): return .nothing(count: count + 1)
            case .input(.key(let key), let count): return alt(key, count)
            case .input(_, let count), .paste(let count), .tooLong(_, let count): return .nothing(count: count + 1)
            }
        }
    }

    private func alt(_ key: KeyPress, _ count: Int) -> Step {
        .input(.key(KeyPress(key.key, key.modifiers.union(.alt))), count: count + 1)
    }

    /// Returns the step for `sequence`, which `bytes` begin with after an introducer of two bytes.
    private func step(for sequence: ControlSequence, _ bytes: ArraySlice<UInt8>) -> Step {
        let introducer = 2
        switch sequence {
        case .incomplete:
            guard isFlushing else { return .incomplete }
            // Alt-[ or Alt-O, if nothing follows.
            guard bytes.count == introducer, let last = bytes.last else { return .nothing(count: bytes.count) }
            return .input(.key(.alt(Character(Unicode.Scalar(last)))), count: introducer)
        case .unknown(let count): return .nothing(count: count + introducer)
        case .tooLong(let count): return .tooLong(.control, count: count + introducer)
        case .key(let key, let count): return .input(.key(key), count: count + introducer)
        case .mouse(let mouse, let count): return .input(.mouse(mouse), count: count + introducer)
        case .synchronizedOutput(let isSupported, let count):
            return .input(.synchronizedOutput(isSupported: isSupported), count: count + introducer)
        }
    }

    /// Skips a string that a terminal answers with, up to BEL or ST (`ESC \`). A string that does not end is discarded
    /// by a flush. If another ESC comes first, the bytes up to that ESC are discarded, because Alt-] and a key begin
    /// like a string. Of a string of over 4,096 bytes nothing is held except an ESC, which may begin ST.
    private func string(_ body: ArraySlice<UInt8>) -> Step {
        let introducer = 2
        if let end = KeyDecoder.endOfString(body) { return .nothing(count: end + introducer) }
        if isFlushing { return .nothing(count: body.count + introducer) }
        let held = body.last == 0x1B ? 1 : 0
        return body.count > 4096 ? .tooLong(.string, count: body.count - held + introducer) : .incomplete
    }

    /// Returns how many of the bytes end a string, its terminator included, but not an ESC that begins something else;
    /// nil if the string does not end among the bytes.
    private static func endOfString(_ bytes: ArraySlice<UInt8>) -> Int? {
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let count = index - bytes.startIndex
            if bytes[index] == 0x07 { return count + 1 }
            if bytes[index] == 0x1B, index + 1 < bytes.endIndex {
                return bytes[index + 1] == UInt8(ascii: "\\") ? count + 2 : count
            }
            index += 1
        }
        return nil
    }

    private func character(_ bytes: ArraySlice<UInt8>) -> Step {
        let first = bytes[bytes.startIndex]
        let length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0
        guard length > 0, first < 0xF5 else { return .nothing(count: 1) }
        let available = bytes.prefix(length)
        if let bad = available.dropFirst().firstIndex(where: { $0 & 0xC0 != 0x80 }) {
            return .nothing(count: bad - bytes.startIndex)
        }
        guard available.count == length else { return isFlushing ? .nothing(count: available.count) : .incomplete }
        guard let text = String(validating: available, as: UTF8.self), let character = text.first,
            let scalar = text.unicodeScalars.first, !(0x80..<0xA0).contains(scalar.value)
        else { return .nothing(count: length) }
        return .input(.key(.character(character)), count: length)
    }

    private static func control(_ byte: UInt8) -> KeyPress {
        switch byte {
        case 0x0D, 0x0A: KeyPress(.enter)
        case 0x09: KeyPress(.tab)
        case 0x08, 0x7F: KeyPress(.backspace)
        case 0x00: .control(" ")
        case 0x01...0x1A: .control(Character(Unicode.Scalar(byte + 0x60)))
        default: .control(Character(Unicode.Scalar(byte + 0x40)))
        }
    }
}
