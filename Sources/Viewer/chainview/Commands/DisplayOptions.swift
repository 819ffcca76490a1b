// SPDX-License-Identifier: MIT

import ArgumentParser
import ChainEvents
import Dashboard
import Foundation
import Frames
import PromiseRuntime

import struct Frames.Size  // Darwin has a Size, too (MacTypes.h).

/// The options of every command that opens the dashboard.
struct DisplayOptions: ParsableArguments {
    @Flag(
        help:
            "Run for a while, print the last frame as plain text and exit; the default without a terminal, except of run."
    )
    var headless = false

    // Unconditional, as all options with a number, because `-3s` is a wrong duration and no option.
    @Option(
        name: .customLong("for"), parsing: .unconditional,
        help: ArgumentHelp(
            "How long a headless run lasts once the program's state is read, such as 500ms, 3s or 1m.",
            valueName: "duration"))
    var duration: DurationArgument = DurationArgument(duration: .seconds(3))

    @OptionGroup var frame: FrameOptions

    @Flag(name: .customLong("read-only"), help: "Refuse to cancel anything.")
    var isReadOnly = false

    @Flag(name: .customLong("no-color"), help: "Use no colours, as the environment variable NO_COLOR does.")
    var noColor = false

    @Flag(help: "Start without saved settings, and save none.")
    var fresh = false

    @Flag(
        name: .customLong("debug-statistics"),
        help: "At the end, print the fill and the limit of each queue of the dashboard on standard error.")
    var printsStatistics = false

    /// Whether to run without a screen: as requested, or because there is no terminal.
    var isHeadless: Bool { headless || isatty(STDOUT_FILENO) == 0 }

    /// Whether standard output shows ASCII only, by the locale and the terminal.
    static var isASCIIOutput: Bool {
        isASCIILocale || isLinuxConsole(ProcessInfo.processInfo.environment["TERM"]) && isatty(STDOUT_FILENO) != 0
    }

    /// The characters that a command prints; `ascii` is the value of its option `--ascii`.
    static func charset(ascii: Bool = false) -> Charset { ascii || isASCIIOutput ? .ascii : .unicode }

    /// Returns whether a terminal is the console of Linux. The console's fonts have few of the dashboard's signs.
    static func isLinuxConsole(_ terminal: String?) -> Bool { terminal == "linux" }

    /// Whether the locale of the environment is not UTF-8.
    private static var isASCIILocale: Bool {
        let environment = ProcessInfo.processInfo.environment
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty } ?? "C"
        // The locale's name without its modifier, as in ca_ES.UTF-8@valencia.
        let name = locale.uppercased().prefix { $0 != "@" }
        return !(name.hasSuffix("UTF-8") || name.hasSuffix("UTF8"))
    }
}

/// The options of every command that draws frames.
struct FrameOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The size of a frame that is printed, such as 120x40.", valueName: "COLSxROWS"))
    var size: SizeArgument = SizeArgument(size: Size(columns: 120, rows: 40))

    @Flag(help: "Draw with ASCII only; the default if the locale is not UTF-8, and on the Linux console.")
    var ascii = false

    @Option(help: "The colour theme.")
    var theme: ThemeName?

    @Option(help: "The first view.")
    var view: ViewName?

    @Option(
        name: [.customShort("W"), .customLong("warn")],
        help: ArgumentHelp("Enable a warning, or all; may be repeated.", valueName: "warning"))
    var warn: [WarningName] = []

    @Option(
        name: [.customShort("A"), .customLong("allow")],
        help: ArgumentHelp("Disable a warning, or all; may be repeated. A name overrides all.", valueName: "warning"))
    var allow: [WarningName] = []

    @Option(
        name: .customLong("config"),
        help: ArgumentHelp("Read another configuration file.", valueName: "file"), completion: .file())
    var configFile: String?

    @Flag(name: .customLong("no-config"), help: "Read no configuration file, and save no settings.")
    var noConfig = false

    func validate() throws {
        if noConfig, configFile != nil { throw ValidationError("--config and --no-config exclude each other.") }
        let both = warn.filter(allow.contains)
        if let name = both.first {
            throw ValidationError("-W and -A are both given for \(name.kind?.rawValue ?? "all"): leave one out.")
        }
    }

    /// Returns the settings of a command that opens no screen, and prints the errors of the configuration file on
    /// standard error.
    func headlessSettings() throws -> Settings {
        var display = try DisplayOptions.parse([])
        (display.frame, display.headless) = (self, true)
        return try display.settings()
    }
}

/// The time limit of a command that follows a program.
struct TimeLimit: ParsableArguments {
    @Option(
        name: .customLong("for"), parsing: .unconditional,
        help: ArgumentHelp("End after so long, such as 500ms, 30s or 10m.", valueName: "duration"))
    var duration: DurationArgument?
}

/// A duration of at most 366 days, such as `500us`, `500ms`, `3s`, `1m` or `2h`; a bare number is seconds.
struct DurationArgument: ExpressibleByArgument {
    var duration: Duration

    init(duration: Duration) { self.duration = duration }

    init?(argument: String) {
        let units: [(name: String, size: Double)] = [
            ("ms", 0.001), ("us", 0.000_001), ("s", 1), ("m", 60), ("h", 3600), ("", 1),
        ]
        let limit = (366.0 * 86_400).nextUp
        guard let seconds = Double(decimal: argument, units: units, below: limit) else { return nil }
        duration = .nanoseconds(Int64((seconds * 1_000_000_000).rounded()))
    }

    var defaultValueDescription: String { Self.words(nanoseconds: duration.clampedNanoseconds) }

    /// Returns the duration as an argument: a whole number of the largest unit that divides it, or microseconds if no
    /// unit does.
    static func words(nanoseconds: UInt64) -> String {
        let units: [(String, UInt64)] = [
            ("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000), ("ms", 1_000_000),
        ]
        for (name, size) in units where nanoseconds >= size && nanoseconds % size == 0 {
            return "\(nanoseconds / size)\(name)"
        }
        return "\(Double(nanoseconds) / 1_000)us"
    }
}

/// The name of a theme on the command line.
struct ThemeName: ExpressibleByArgument {
    /// Nil for `auto`: the theme that suits the terminal.
    var theme: Theme?

    init?(argument: String) {
        guard argument.lowercased() != "auto" else { return }
        guard let theme = Theme.named(argument) else { return nil }
        self.theme = theme
    }

    static let allValueStrings = ["auto"] + Theme.all.map(\.name)
    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

/// The name of a view on the command line.
struct ViewName: ExpressibleByArgument {
    var view: ViewID

    init?(argument: String) {
        guard let view = ViewID(name: argument) ?? UInt8(argument).flatMap(ViewID.init) else { return nil }
        self.view = view
    }

    static let allValueStrings = ViewID.allCases.map(\.name)
    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

/// A size in cells, such as `120x40`: at least the smallest screen of a dashboard.
struct SizeArgument: ExpressibleByArgument {
    private static let least = State.leastSize
    private static let limit = 10_000

    /// What to write.
    static let form = "two numbers from \(least) to \(limit)x\(limit), such as 120x40"

    var size: Size

    init(size: Size) { self.size = size }

    init?(argument: String) {
        let parts = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let columns = parts[0], let rows = parts[1],
            (Self.least.columns...Self.limit).contains(columns), (Self.least.rows...Self.limit).contains(rows)
        else { return nil }
        size = Size(columns: columns, rows: rows)
    }

    var defaultValueDescription: String { "\(size.columns)x\(size.rows)" }
}
