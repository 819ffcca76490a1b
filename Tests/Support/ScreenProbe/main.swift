import Frames
import Terminal

import struct Frames.Size  // Darwin has a Size, too (MacTypes.h).

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

// Run by TerminalTests on a pseudo-terminal: shows each event that it gets, and ends in every possible way.

func options() -> ScreenOptions {
    var options = ScreenOptions()
    if CommandLine.arguments.contains("--no-color") { options.colorLimit = .none }
    if CommandLine.arguments.contains("--no-mouse") { options.wantsMouse = false }
    if CommandLine.arguments.contains("--small-capture") { options.captureLimit = 4096 }
    return options
}

/// Returns a frame with the size, the latest events, and a last row with wide and composed characters.
func picture(_ size: Size, _ events: [String]) -> Frame {
    var frame = Frame(size: size)
    frame.fill(row: 0, column: 0, style: .header)
    frame.write("probe \(size)", row: 0, column: 0, style: .headerAccent)
    for (index, event) in events.suffix(max(size.rows - 2, 0)).enumerated() {
        frame.write(event, row: index + 1, column: 0, style: index % 2 == 0 ? .running : .rejected)
    }
    frame.write("日本 e\u{301} ✔", row: size.rows - 1, column: 0, style: .fulfilled)
    return frame
}

func writeText(_ text: String, to file: Int32) {
    _ = text.withCString { write(file, $0, strlen($0)) }
}

/// Ends the process by a trap, a bad access, or an abort.
func fault(_ kind: Character) {
    switch kind {
    case "t": fatalError("probe trapped")
    case "s": UnsafeMutablePointer<Int>(bitPattern: 8)!.pointee = 1
    case "a": abort()
    default: break
    }
}

/// Overflows the stack by recursion without an end.
func overflow(_ depth: Int) -> Int {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { $0[depth % 4096] = 1 }
    return depth < 0 ? 0 : overflow(depth + 1) + 1
}

/// Does what a key stands for, and returns an exit status if the probe ends with it.
func act(on key: KeyPress, _ screen: Screen) throws -> Int32? {
    guard case .character(let character) = key.key else { return nil }
    if key.modifiers == .control { return character == "c" ? 0 : nil }
    guard key.modifiers.isEmpty else { return nil }
    switch character {
    case "q": return 0
    case "t", "s", "a": fault(character)
    case "o": print(overflow(0))
    case "T":
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        pthread_create(&thread, nil, { _ in fatalError("thread trapped") }, nil)
        pause()
    case "p":
        print("printed to stdout")
        writeText("printed to stderr\n", to: 2)
    case "P": for line in 0..<2000 { print("line \(line) of many") }
    case "z": try screen.suspend()
    case "e": exit(3)
    case "k": kill(getpid(), SIGKILL)
    case "A":
        // A signal of the kernel's timer, not one that a process sends.
        ualarm(1, 0)
        pause()
    case "w":
        let waker = screen.waker
        for _ in 0..<3 { waker.wake() }
    case "r": screen.redraw()
    default: break
    }
    return nil
}

func run() throws -> Int32 {
    if CommandLine.arguments.contains("--charset") {
        print(Screen.localeCharset)
        return 0
    }
    if CommandLine.arguments.contains("--handles-usr1") {
        signal(SIGUSR1) { _ in _ = write(1, "the program's own\n", 18) }
    }
    if CommandLine.arguments.contains("--reopen") {
        for _ in 0..<3 { try Screen(options: options()).close() }
    }
    let screen = try Screen(options: options())
    var events: [String] = []
    var marks = 0
    try screen.paint(picture(screen.size, events), theme: .dark)
    while true {
        guard let event = try screen.nextEvent(timeout: 1_000_000_000) else { continue }
        switch event {
        case .key(.character("M")):
            // Written after all frames so far, in a form that no terminal shows.
            marks += 1
            let terminal = open("/dev/tty", O_WRONLY | O_CLOEXEC)
            writeText("\u{1B}]777;\(marks)\u{7}", to: terminal)
            close(terminal)
            continue
        case .key(.character("R")):
            // Redraws everything, and adds no event.
            screen.redraw()
        case .key(let key):
            events.append("key \(key)")
            try screen.paint(picture(screen.size, events), theme: .dark)
            if key == .character("O") {
                do { _ = try Screen(options: options()) } catch { events.append("\(error)") }
            }
            if let code = try act(on: key, screen) {
                screen.close()
                return code
            }
        case .mouse(let mouse): events.append("\(mouse.action) \(mouse.button) \(mouse.row),\(mouse.column)")
        case .pasted(let text): events.append("pasted \(text.debugDescription)")
        case .resized(let size): events.append("resized \(size)")
        case .interrupted: events.append("interrupted")
        case .terminate(let signal):
            screen.close()
            raise(signal)
        case .resumed: events.append("resumed")
        case .wake: events.append("woken")
        }
        try screen.paint(picture(screen.size, events), theme: .dark)
    }
}

do {
    exit(try run())
} catch {
    writeText("\(error)\n", to: 2)
    exit(69)
}

// SPDX-License-Identifier: MIT
