#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

#if canImport(Darwin)
    // Swift does not import these two, because their macros compute the numbers.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The request for the number of bytes that a descriptor has to be read.
    public let FIONREAD: UInt = 0x4004_667F
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The request for the number of bytes of output that a terminal's master has not read.
    let TIOCOUTQ: UInt = 0x4004_7473
#endif

/// A terminal's line discipline, as far as programs change it.
public struct TerminalModes: Hashable, Sendable {
    private let flags: [UInt]

    init(_ modes: termios) {
        flags = [modes.c_iflag, modes.c_oflag, modes.c_cflag, modes.c_lflag].map { UInt($0) }
    }

    /// Whether lines are edited before a program gets them.
    public var isCanonical: Bool { flags[3] & UInt(ICANON) != 0 }
    /// Whether typed text is echoed.
    public var echoes: Bool { flags[3] & UInt(ECHO) != 0 }
    /// Whether `^C` sends a signal.
    public var sendsSignals: Bool { flags[3] & UInt(ISIG) != 0 }
}

/// Keys without a character, as xterm sends them with the keypad on.
public enum TerminalKey: Sendable {
    case up, down, left, right, home, end, pageUp, pageDown, enter, escape, tab, backTab, backspace, delete, insert
    /// F1 to F12.
    case function(Int)
    /// A letter with Control.
    case control(Character)
    /// A character with Alt.
    case alt(Character)
    /// A click: press and release of the left button at a row and column from 0.
    case click(row: Int, column: Int)
    /// The wheel, away from or towards the user, over a cell.
    case wheel(up: Bool, row: Int, column: Int)

    /// The bytes of the key.
    public var bytes: String {
        switch self {
        case .up: "\u{1B}OA"
        case .down: "\u{1B}OB"
        case .right: "\u{1B}OC"
        case .left: "\u{1B}OD"
        case .home: "\u{1B}OH"
        case .end: "\u{1B}OF"
        case .insert: "\u{1B}[2~"
        case .delete: "\u{1B}[3~"
        case .pageUp: "\u{1B}[5~"
        case .pageDown: "\u{1B}[6~"
        case .enter: "\r"
        case .escape: "\u{1B}"
        case .tab: "\t"
        case .backTab: "\u{1B}[Z"
        case .backspace: "\u{7F}"
        case .function(let number):
            [
                "", "\u{1B}OP", "\u{1B}OQ", "\u{1B}OR", "\u{1B}OS", "\u{1B}[15~", "\u{1B}[17~", "\u{1B}[18~",
                "\u{1B}[19~", "\u{1B}[20~", "\u{1B}[21~", "\u{1B}[23~", "\u{1B}[24~",
            ][number]
        case .control(let letter):
            String(Unicode.Scalar((letter.asciiValue ?? 0) & 0x1F))
        case .alt(let character): "\u{1B}\(character)"
        case .click(let row, let column):
            "\u{1B}[<0;\(column + 1);\(row + 1)M\u{1B}[<0;\(column + 1);\(row + 1)m"
        case .wheel(let isUp, let row, let column): "\u{1B}[<\(isUp ? 64 : 65);\(column + 1);\(row + 1)M"
        }
    }
}

/// The reason why a test cannot continue.
public struct HarnessError: Error, CustomStringConvertible {
    /// The expected condition, and the screen's text.
    public let description: String

    /// The reason as text.
    public init(description: String) { self.description = description }
}

/// Returns the path of an executable of this package that was built together with the running tests.
public func builtProduct(_ name: String) -> String {
    let tests = CommandLine.arguments.first ?? ""
    var parts = tests.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    // On macOS the tests are inside a bundle.
    if let bundle = parts.firstIndex(where: { $0.hasSuffix(".xctest") }) { parts = parts[..<bundle] }
    return (parts + [Substring(name)]).joined(separator: "/")
}

func withCStrings<Result>(_ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result) -> Result {
    let copies = strings.map { strdup($0) }
    defer { copies.forEach { free($0) } }
    return body(copies + [nil])
}

// SPDX-License-Identifier: MIT
