import ArgumentParser
import Dashboard
import Foundation
import Frames
import PromiseRuntime

/// What every command that shows something takes.
struct DisplayOptions: ParsableArguments {
    @Flag(help: "Run for a while, print the last frame as plain text and exit; by itself where there is no terminal.")
    var headless = false

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("How long a headless run lasts, such as 500ms, 3s or 1m.", valueName: "duration"))
    var duration: DurationArgument = DurationArgument(duration: .seconds(3))

    @Option(help: "The size of a headless frame, as COLSxROWS.")
    var size: SizeArgument = SizeArgument(size: Size(columns: 120, rows: 40))

    @Flag(name: .customLong("read-only"), help: "Refuse to cancel anything.")
    var isReadOnly = false

    @Flag(name: .customLong("no-color"), help: "No colours; so does the environment variable NO_COLOR.")
    var noColor = false

    @Flag(help: "Draw with ASCII alone; by itself where the locale is not UTF-8.")
    var ascii = false

    @Option(help: "The colours.")
    var theme: ThemeName?

    @Option(help: "The view that is shown first.")
    var view: ViewName?

    @Option(
        name: [.customShort("W"), .customLong("warn")],
        help: ArgumentHelp("Warn of something, or of all; several times for several.", valueName: "warning"))
    var warn: [WarningName] = []

    @Option(
        name: [.customShort("A"), .customLong("allow")],
        help: ArgumentHelp("Do not warn of it. A name counts more than all.", valueName: "warning"))
    var allow: [WarningName] = []

    @Option(
        name: .customLong("config"),
        help: ArgumentHelp("Read another configuration file.", valueName: "file"), completion: .file())
    var configFile: String?

    @Flag(name: .customLong("no-config"), help: "Read no configuration file, and remember nothing.")
    var noConfig = false

    @Flag(help: "Begin as if nothing had been set before, and remember nothing.")
    var fresh = false

    @Flag(
        name: .customLong("debug-statistics"),
        help: "At the end, print each queue of the dashboard on standard error: how full it was, and its limit.")
    var printsStatistics = false

    func validate() throws {
        if noConfig, configFile != nil { throw ValidationError("--config and --no-config exclude each other.") }
        let both = warn.filter(allow.contains)
        if let name = both.first {
            throw ValidationError("-W and -A are both given for \(name.kind?.rawValue ?? "all"): leave one out.")
        }
    }

    /// Whether there is a terminal to show anything on.
    var isHeadless: Bool { headless || isatty(STDOUT_FILENO) == 0 }

    /// Whether the environment asks for ASCII, where no terminal tells.
    static var isASCIILocale: Bool {
        let environment = ProcessInfo.processInfo.environment
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty } ?? "C"
        let name = locale.uppercased()
        return !(name.hasSuffix("UTF-8") || name.hasSuffix("UTF8"))
    }
}

/// `3s`, `500ms`, `1m`, `2h`; a bare number is seconds.
struct DurationArgument: ExpressibleByArgument {
    var duration: Duration

    init(duration: Duration) { self.duration = duration }

    init?(argument: String) {
        let units: [(String, Double)] = [("ms", 0.001), ("us", 0.000_001), ("s", 1), ("m", 60), ("h", 3600), ("", 1)]
        for (suffix, seconds) in units where argument.hasSuffix(suffix) {
            guard let number = Double(argument.dropLast(suffix.count)), number >= 0, number.isFinite,
                number * seconds <= 366 * 86_400
            else { return nil }
            duration = .nanoseconds(Int64((number * seconds * 1_000_000_000).rounded()))
            return
        }
        return nil
    }

    var defaultValueDescription: String { Self.words(nanoseconds: duration.clampedNanoseconds) }

    /// As it would be given: in the largest unit that does it in whole numbers.
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

/// A theme as it is named on the command line.
struct ThemeName: ExpressibleByArgument {
    /// Nil for the one that suits the terminal.
    var theme: Theme?

    init?(argument: String) {
        guard argument.lowercased() != "auto" else { return }
        guard let theme = Theme.named(argument) else { return nil }
        self.theme = theme
    }

    static let allValueStrings = ["auto"] + Theme.all.map(\.name)
    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

/// A view as it is named on the command line.
struct ViewName: ExpressibleByArgument {
    var view: ViewID

    init?(argument: String) {
        guard let view = ViewID(name: argument) else { return nil }
        self.view = view
    }

    static let allValueStrings = ViewID.allCases.map(\.name)
    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

/// `120x40`.
struct SizeArgument: ExpressibleByArgument {
    var size: Size

    init(size: Size) { self.size = size }

    init?(argument: String) {
        let parts = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let columns = parts[0], let rows = parts[1], (1...10_000).contains(columns),
            (1...10_000).contains(rows)
        else { return nil }
        size = Size(columns: columns, rows: rows)
    }

    var defaultValueDescription: String { "\(size.columns)x\(size.rows)" }
}
