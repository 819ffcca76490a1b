// SPDX-License-Identifier: MIT

import CTerminal
import Frames

import struct Frames.Size  // Darwin has a Size, too (MacTypes.h).

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The terminal that this process has taken over: shows frames, reads keys, and is restored when the process exits or
/// traps.
///
///     let screen = try Screen(options: ScreenOptions())
///     defer { screen.close() }
///     try screen.paint(frame, theme: .dark)
///     while let event = try screen.nextEvent(timeout: 100_000_000) { … }
///
/// A process has at most one open screen, and uses it from one thread. The terminal is restored by ``close()``, by
/// deinit, at exit, and by the handler of a trap (a failed precondition, a bad access), which calls the previous
/// handler afterwards. By default, output that the program prints while the screen is open is captured, up to a limit,
/// and shown after the screen is closed.
package final class Screen {
    private var painter: ScreenPainter
    private var decoder: KeyDecoder
    /// The frame that the terminal shows; nil if that is uncertain.
    private var shown: Frame?
    /// Events that ``nextEvent(timeout:)`` has yet to return.
    private var waiting: [ScreenEvent] = []
    private var isOpen = true
    private var clicks = ClickCounter()
    /// Whether the terminal supports ``SynchronizedOutput``; false until it has answered the query.
    private var isSynchronized = false

    /// Columns and rows of the terminal at its last report.
    package private(set) var size: Size
    /// How many colours are used.
    package let colors: ColorDepth
    /// Wakes ``nextEvent(timeout:)`` from any thread.
    package let waker = ScreenWaker()

    /// Takes over the terminal, or throws without having changed anything.
    package init(options: ScreenOptions = ScreenOptions()) throws(ScreenError) {
        var wanted = ct_options()
        wanted.colorLimit = Int32(options.colorLimit.rawValue)
        wanted.wantsMouse = options.wantsMouse
        wanted.capturesOutput = options.capturesOutput
        wanted.captureLimit = max(options.captureLimit, 0)
        let code = Int(ct_open(&wanted))
        guard code == CT_OK else { throw ScreenError.of(code) }
        colors = ColorDepth(rawValue: Int(ct_colors())) ?? .none
        size = Screen.terminalSize()
        decoder = KeyDecoder(known: KnownKeys.ofTerminal())
        painter = ScreenPainter(
            depth: colors, clear: collect { ct_clear_bytes($0, $1) }, scrollsAtEnd: ct_scrolls_at_end(),
            move: { row, column in collect { ct_move_bytes(Int32(row), Int32(column), $0, $1) } },
            look: { look in
                collect {
                    ct_look_bytes(
                        Int32(look.foreground), Int32(look.background), Int32(look.attributes.rawValue), $0, $1)
                }
            })
        querySynchronizedOutput()
    }

    deinit { close() }

    /// Asks the terminal whether it supports ``SynchronizedOutput``. The answer comes among the keys, or never.
    private func querySynchronizedOutput() {
        guard SynchronizedOutput.mayQuery(terminal: getenv("TERM").map { String(cString: $0) } ?? "") else { return }
        let bytes = SynchronizedOutput.query
        // A failed write is reported at the first frame.
        _ = bytes.withUnsafeBytes { ct_write($0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count) }
    }

    /// The characters that the locale can show: Unicode, or only ASCII.
    package static var localeCharset: Charset { ct_locale_is_utf8() ? .unicode : .ascii }

    private static func terminalSize() -> Size {
        var columns: Int32 = 0
        var rows: Int32 = 0
        ct_size(&columns, &rows)
        return Size(columns: Int(columns), rows: Int(rows))
    }

    /// Makes the terminal show a frame; writes only what changed.
    ///
    /// A frame of another size than the terminal's is clipped or drawn in its upper left corner.
    package func paint(_ frame: Frame, theme: Theme) throws(ScreenError) {
        guard isOpen else { throw ScreenError.of(Int(CT_GONE)) }
        var frame = frame
        if frame.size != size {
            var whole = Frame(size: size, charset: frame.charset)
            whole.draw(frame, row: 0, column: 0)
            frame = whole
        }
        var bytes = painter.paint(frame, over: shown, theme: theme)
        shown = frame
        guard !bytes.isEmpty else { return }
        if isSynchronized, bytes.count > SynchronizedOutput.plainByteLimit {
            bytes = SynchronizedOutput.begin + bytes + SynchronizedOutput.end
        }
        let code = bytes.withUnsafeBytes { ct_write($0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count) }
        guard Int(code) == CT_OK else { throw ScreenError.of(Int(code)) }
    }

    /// Makes the next paint write everything, whatever the terminal shows now.
    package func redraw() { shown = nil }

    /// Returns the next event, or nil if there is none within `timeout` nanoseconds (nil: no limit). Incomplete input
    /// may prolong the wait: an Escape, which may begin another key, by 40 ms, a longer sequence by 250 ms, a paste by
    /// 2 s.
    package func nextEvent(timeout: UInt64? = nil) throws(ScreenError) -> ScreenEvent? {
        guard isOpen else { throw ScreenError.of(Int(CT_GONE)) }
        let end = timeout.map { clockNow() &+ min($0, 1 << 60) }
        while true {
            if !waiting.isEmpty { return waiting.removeFirst() }
            if let input = decoder.next() {
                if let event = event(input) { return event }
                continue
            }
            var patience = end.map { Int64($0) - Int64(clockNow()) } ?? -1
            if let end, clockNow() >= end { patience = 0 }
            let isHolding = decoder.isHolding
            // The time counts from the last bytes that came, so that wakes in between do not prolong the wait.
            if isHolding { patience = max(0, decoder.patience - Int64(clamping: clockNow() &- lastInput)) }
            let found = ct_wait(patience)
            if found & Int32(CT_SIGNAL) != 0 { try takeSignals() }
            if found & Int32(CT_INPUT | CT_HANGUP) != 0 {
                try takeInput()
            } else if isHolding, clockNow() &- lastInput >= UInt64(decoder.patience) {
                if let input = decoder.flush(), let event = event(input) { return event }
            }
            if found == 0, let end, clockNow() >= end, !decoder.isHolding { return nil }
        }
    }

    private func event(_ input: KeyDecoder.Input) -> ScreenEvent? {
        switch input {
        case .key(let key): return .key(key)
        case .mouse(let mouse): return .mouse(clicks.counted(mouse, at: clockNow()))
        case .pasted(let text): return .pasted(text)
        case .synchronizedOutput(let isSupported): isSynchronized = isSupported
        }
        return nil
    }

    private func takeInput() throws(ScreenError) {
        let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            count = buffer.withMemoryRebound(to: CChar.self) { Int(ct_read($0.baseAddress, $0.count)) }
            if count < 0 {
                buffer[0] = 0
                count = 0
                isGone = true
            }
        }
        if isGone {
            // Signals are taken first, because a pending SIGHUP becomes an event, which a caller can handle better than
            // an error.
            try takeSignals()
            if waiting.isEmpty { throw ScreenError.of(Int(CT_GONE)) }
        }
        if !bytes.isEmpty { lastInput = clockNow() }
        decoder.feed(bytes)
    }

    /// When bytes came last, in nanoseconds of `clockNow()`.
    private var lastInput: UInt64 = 0

    /// Whether the terminal could not be read.
    private var isGone = false

    private func takeSignals() throws(ScreenError) {
        var isWoken = false
        var hasNewSize = false
        while true {
            let number = ct_next_signal()
            guard number >= 0 else { break }
            switch number {
            case 0: isWoken = true
            case SIGWINCH: hasNewSize = true
            case SIGINT: waiting.append(.interrupted)
            case SIGTSTP: try suspend()
            case SIGCONT:
                guard Int(ct_resume()) == CT_OK else { throw ScreenError.of(Int(CT_GONE)) }
                noteResumed()
            default: waiting.append(.terminate(signal: number))
            }
        }
        if hasNewSize { updateSize() }
        if isWoken { waiting.append(.wake) }
    }

    private func updateSize() {
        let now = Screen.terminalSize()
        ct_set_size(Int32(now.columns), Int32(now.rows))
        // Paint everything, because terminals differ in what they keep after a change of size.
        shown = nil
        guard now != size else { return }
        size = now
        waiting.append(.resized(now))
    }

    private func noteResumed() {
        shown = nil
        waiting.append(.resumed)
        updateSize()
    }

    /// Restores the terminal, stops the process as `^Z` does, and takes the terminal over again when the process
    /// continues in the foreground. A process that continues in the background stops again.
    ///
    /// The event `.resumed` follows. If no shell could continue the process, the process does not stop.
    package func suspend() throws(ScreenError) {
        guard isOpen, Int(ct_suspend()) == CT_OK else { throw ScreenError.of(Int(CT_GONE)) }
        noteResumed()
    }

    /// Sends a text to the terminal's clipboard (OSC 52); terminals without support ignore it.
    ///
    /// If the text has more than 74,994 bytes of UTF-8, the maximum that xterm accepts, it is cut between two Unicode
    /// scalars.
    package func setClipboard(_ text: String) throws(ScreenError) {
        guard isOpen else { throw ScreenError.of(Int(CT_GONE)) }
        let bytes = Array("\u{1B}]52;c;\(base64(text.beginning(byteLimit: 74_994).utf8))\u{7}".utf8)
        let code = bytes.withUnsafeBytes { ct_write($0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count) }
        guard Int(code) == CT_OK else { throw ScreenError.of(Int(code)) }
    }

    /// Rings the terminal's bell.
    package func ringBell() throws(ScreenError) {
        guard isOpen else { throw ScreenError.of(Int(CT_GONE)) }
        var bell: CChar = 7
        let code = ct_write(&bell, 1)
        guard Int(code) == CT_OK else { throw ScreenError.of(Int(code)) }
    }

    /// Restores the terminal for good, and shows the captured output. Idempotent.
    package func close() {
        guard isOpen else { return }
        isOpen = false
        ct_close()
    }
}

/// A waker of the screen of this process.
package struct ScreenWaker: Sendable {
    init() {}

    /// Makes ``Screen/nextEvent(timeout:)`` return `.wake`, from the call that waits or else from the next call. May be
    /// called from any thread and from signal handlers; several calls before that return count as one. Does nothing if
    /// no screen is open.
    package func wake() { ct_wake() }
}

private func clockNow() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

private func collect(_ fill: (UnsafeMutablePointer<CChar>?, Int) -> Int) -> [UInt8] {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
        let count = fill(buffer.baseAddress, buffer.count)
        return buffer[..<count].map { UInt8(bitPattern: $0) }
    }
}

extension String {
    /// Returns the beginning of the text that has at most this many bytes of UTF-8, cut between scalars.
    func beginning(byteLimit: Int) -> Substring {
        guard var end = utf8.index(startIndex, offsetBy: byteLimit, limitedBy: endIndex) else { return self[...] }
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return self[..<end]
    }
}

private func base64(_ bytes: some Collection<UInt8>) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    var text = ""
    var rest = bytes[...]
    while !rest.isEmpty {
        let group = rest.prefix(3)
        rest = rest.dropFirst(3)
        var bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        bits <<= UInt32(3 - group.count) * 8
        for index in 0..<4 {
            text.append(index <= group.count ? digits[Int(bits >> UInt32(18 - 6 * index)) & 63] : "=")
        }
    }
    return text
}
