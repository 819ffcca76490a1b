import ArgumentParser
import Foundation
import Frames

/// What every command that shows something takes.
struct DisplayOptions: ParsableArguments {
    @Flag(help: "Run for a while, print the last frame as plain text and exit; by itself where there is no terminal.")
    var headless = false

    @Option(name: .customLong("for"), help: "How long a headless run lasts, such as 500ms, 3s or 1m.")
    var duration: DurationArgument = DurationArgument(duration: .seconds(3))

    @Option(help: "The size of a headless frame, as COLSxROWS.")
    var size: SizeArgument = SizeArgument(size: Size(columns: 120, rows: 40))

    @Flag(name: .customLong("read-only"), help: "Refuse to cancel anything.")
    var isReadOnly = false

    @Flag(name: .customLong("no-color"), help: "No colours; so does the environment variable NO_COLOR.")
    var noColor = false

    @Flag(help: "Draw with ASCII alone; by itself where the locale is not UTF-8.")
    var ascii = false

    /// Whether there is a terminal to show anything on.
    var isHeadless: Bool { headless || isatty(STDOUT_FILENO) == 0 }

    /// Whether colours are unwanted (https://no-color.org: set, and not empty).
    var isColorless: Bool { noColor || !(ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty }

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

    var defaultValueDescription: String {
        duration.formatted(.units(allowed: [.seconds, .milliseconds], width: .narrow)).replacingOccurrences(
            of: " ", with: "")
    }
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
