import ChainInsight
import ChainModel
import Dashboard
import Frames
import PromiseRuntime
import TOMLKit

/// A key of the configuration file: what is printed of it, what is allowed, and what it changes.
struct ConfigKey: Sendable {
    /// Takes a value in; what is wrong instead, empty for the value as it stands, nil for nothing.
    typealias Read = @Sendable (any TOMLValueConvertible, inout Configuration) -> String?

    /// The table that it is in, and its name.
    var path: [String]
    /// Lines of explanation.
    var help: [String]
    /// The default, as TOML.
    var value: String
    /// The end of the sentence that says what can stand there.
    var allowed: String
    var read: Read

    var name: String { path[path.count - 1] }
    var pathText: String { path.joined(separator: ".") }

    /// The tables besides the first, in order.
    static let tables = ["tree", "warnings", "keep"]

    /// All keys, in the order in which they are printed.
    static let all = look + tree + warnings + keep

    private static let look: [ConfigKey] = [
        choice(
            "theme", ["The colours. auto is light where $COLORFGBG tells of a light background, else dark."],
            ["auto"] + Theme.all.map(\.name), \.themeName,
            find: { $0.lowercased() == "auto" ? "auto" : Theme.named($0)?.name }),
        flag("ascii", ["Draw with ASCII alone; by itself where the locale is not UTF-8."], \.isASCII),
        number("refresh-rate", ["Frames a second at most, while something moves."], State.refreshRange, \.refreshRate),
        choice("view", ["The view that is shown first."], ViewID.allCases.map(\.name), \.viewName),
        choice(
            "detail", ["The details of the selected row. auto shows them where there is room beside the rows."],
            DetailVisibility.allCases.map(\.rawValue), \.detailName),
        flag("read-only", ["Refuse to cancel anything."], \.isReadOnly),
    ]

    private static let tree: [ConfigKey] = [
        choice(
            "sort", ["The column that the chains are sorted by."], SortColumn.allCases.map(\.rawValue), \.sortName,
            in: "tree"),
        flag("invert", ["The other way round than usual."], \.order.isInverted, in: "tree"),
        flag(
            "siblings", ["Sort nodes under a node, too, in chains of up to 4,096; else they stand in program order."],
            \.order.sortsSiblings,
            in: "tree"),
        flag("group", ["Put chains from the same call site together."], \.order.isGrouped, in: "tree"),
    ]

    private static let warnings: [ConfigKey] = [
        names(
            "warn",
            [
                "What is warned of; -W on the command line adds.",
                "all, or names: \(WarningKind.allCases.map(\.rawValue).joined(separator: ", ")).",
            ], value: "[\"all\"]"
        ) { $0 = $1 },
        names("allow", ["What of that is not; -A adds."], value: "[]") { $0.subtract($1) },
        duration("never-settled-after", ["A node that lives for longer."], \.warnings.neverSettledLimit),
        duration("long-handler-after", ["A handler that runs for longer."], \.warnings.longHandlerLimit),
        duration(
            "cancellation-ignored-after", ["A node that is not settled for longer after it was to be cancelled."],
            \.warnings.cancellationLimit),
        duration("long-queue-wait-after", ["A handler that waits for its turn for longer."], \.warnings.queueWaitLimit),
        duration(
            "blocked-worker-after", ["A pool thread that waits for a promise for longer."],
            \.warnings.blockedWorkerLimit),
        number(
            "deep-chain-from", ["A chain of more nodes from its root down."], 2...1_000_000, \.warnings.depthLimit,
            in: "warnings"),
        number(
            "too-many-threads-from", ["More threads that run handlers."], 1...1_000_000, \.warnings.threadLimit,
            in: "warnings"),
    ]

    private static let keep: [ConfigKey] = [
        number(
            "settled-nodes", ["Nodes of wholly settled chains; what settled first goes first."], 0...100_000_000,
            \.limits.settledNodeLimit, in: "keep"),
        number(
            "settled-leaves", ["Settled leaves of chains that are live."], 0...100_000_000,
            \.limits.settledLeafLimit, in: "keep"),
        duration("settled-for", ["How long either is kept at most."], \.limits.ageLimit, in: "keep"),
        number(
            "chain-nodes", ["From how many nodes on a chain sheds its settled beginning."], 100...100_000_000,
            \.limits.chainNodeLimit, in: "keep"),
        number(
            "nodes", ["Nodes at all; past it new ones are refused, and counted."], 1_000...100_000_000,
            \.limits.nodeLimit, in: "keep"),
    ]
}

// MARK: Kinds of keys

extension ConfigKey {
    private typealias Place<Value> = WritableKeyPath<Configuration, Value> & Sendable

    private static func flag(
        _ name: String, _ help: [String], _ place: Place<Bool>, in table: String? = nil
    ) -> ConfigKey {
        ConfigKey(
            path: (table.map { [$0] } ?? []) + [name], help: help, value: "\(Configuration()[keyPath: place])",
            allowed: "true or false"
        ) {
            guard let flag = $0.bool else { return "" }
            $1[keyPath: place] = flag
            return nil
        }
    }

    private static func number(
        _ name: String, _ help: [String], _ range: ClosedRange<Int>, _ place: Place<Int>, in table: String? = nil
    ) -> ConfigKey {
        ConfigKey(
            path: (table.map { [$0] } ?? []) + [name], help: help, value: "\(Configuration()[keyPath: place])",
            allowed: "a whole number from \(range.lowerBound) to \(range.upperBound)"
        ) {
            guard let number = $0.int, range.contains(number) else { return "" }
            $1[keyPath: place] = number
            return nil
        }
    }

    private static func duration(
        _ name: String, _ help: [String], _ place: Place<UInt64>, in table: String = "warnings"
    ) -> ConfigKey {
        ConfigKey(
            path: [table, name], help: help,
            value: TOMLText.quoted(DurationArgument.words(nanoseconds: Configuration()[keyPath: place])),
            allowed: "a duration such as \"500ms\", \"60s\" or \"10m\""
        ) {
            guard let text = $0.string, let duration = DurationArgument(argument: text)?.duration, duration > .zero
            else { return "" }
            $1[keyPath: place] = duration.clampedNanoseconds
            return nil
        }
    }

    private static func choice(
        _ name: String, _ help: [String], _ choices: [String], _ place: Place<String>,
        find: (@Sendable (String) -> String?)? = nil, in table: String? = nil
    ) -> ConfigKey {
        ConfigKey(
            path: (table.map { [$0] } ?? []) + [name], help: help + ["One of " + choices.joined(separator: ", ") + "."],
            value: TOMLText.quoted(Configuration()[keyPath: place]),
            allowed: "one of " + choices.joined(separator: ", ")
        ) {
            guard let text = $0.string else { return "" }
            let found = find.map { $0(text) } ?? choices.first { $0 == text.lowercased() }
            guard let found else { return "" }
            $1[keyPath: place] = found
            return nil
        }
    }

    /// A list of warnings, and what it does to those that are on.
    private static func names(
        _ name: String, _ help: [String], value: String,
        _ change: @escaping @Sendable (inout Set<WarningKind>, Set<WarningKind>) -> Void
    ) -> ConfigKey {
        ConfigKey(
            path: ["warnings", name], help: help, value: value, allowed: "a list of warnings (\(WarningName.list))"
        ) {
            switch WarningName.kinds($0) {
            case .success(let kinds): change(&$1.warnings.enabled, kinds)
            case .failure(let wrong): return wrong.words
            }
            return nil
        }
    }
}

extension Configuration {
    fileprivate var themeName: String {
        get { theme?.name ?? "auto" }
        set { theme = Theme.named(newValue) }
    }
    fileprivate var viewName: String {
        get { view.name }
        set { view = ViewID(name: newValue) ?? view }
    }
    fileprivate var detailName: String {
        get { detail.rawValue }
        set { detail = DetailVisibility(rawValue: newValue) ?? detail }
    }
    fileprivate var sortName: String {
        get { order.column.rawValue }
        set { order.column = SortColumn(rawValue: newValue) ?? order.column }
    }
}

extension ConfigKey {
    /// A file that says what holds without one.
    static var defaultFile: String {
        var lines = [
            "# chainview reads this as $XDG_CONFIG_HOME/chainview/config.toml, else as ~/.config/chainview/config.toml.",
            "# Every key stands here with its default. `chainview config --check` looks a file over.",
        ]
        var table: [String] = []
        for key in all {
            let own = Array(key.path.dropLast())
            if own != table {
                lines += ["", "[\(own.joined(separator: "."))]"]
                if own == ["keep"] { lines.append("# How much of what is settled stays to be looked at.") }
                table = own
            }
            lines.append("")
            for text in key.help { lines += wrapped(text).map { "# " + $0 } }
            lines.append("\(key.name) = \(key.value)")
        }
        lines += [
            "", "[queries]", "# Queries by name: type / and @NAME. Such as", "# slow = \"run>100ms\"",
            "# failed = \"state:rejected age<1m\"",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func wrapped(_ text: String) -> [String] {
        var lines = [""]
        for word in text.split(separator: " ") {
            if lines[lines.count - 1].count + word.count + 1 > 100 { lines.append("") }
            lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + word
        }
        return lines
    }
}
