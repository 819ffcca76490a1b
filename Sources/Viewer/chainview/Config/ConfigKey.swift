// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel
import ChainRows
import Dashboard
import Frames
import PromiseRuntime
import TOMLKit

/// A key of the configuration file: its documentation, its allowed values, and the setting that it changes.
struct ConfigKey: Sendable {
    /// A function that applies a value. It returns nil, or the part of the value that is not allowed. The part is empty
    /// if the whole value is not allowed.
    typealias Read = @Sendable (any TOMLValueConvertible, inout Configuration) -> String?

    /// The key's table, and its name.
    var path: [String]
    /// Lines of explanation.
    var help: [String]
    /// The default, as TOML.
    var value: String
    /// The allowed values, as the end of a sentence.
    var allowed: String
    /// Checks a value of the file and applies it.
    var read: Read

    var name: String { path[path.count - 1] }
    var pathText: String { path.joined(separator: ".") }

    /// The tables of the file, in order.
    static let tables = ["tree", "warnings", "keep", "history"]

    /// All keys, in the order of the default file.
    static let all = look + tree + warnings + WarningLimit.all.map(limit) + keep + history

    private static let look: [ConfigKey] = [
        choice(
            "theme", ["The colour theme. auto is light if $COLORFGBG says that the background is light, else dark."],
            ["auto"] + Theme.all.map(\.name), \.themeName,
            find: { $0.lowercased() == "auto" ? "auto" : Theme.named($0)?.name }),
        flag(
            "ascii", ["Draw with ASCII only; the default if the locale is not UTF-8, and on the Linux console."],
            \.isASCII),
        number("refresh-rate", ["At most so many frames a second."], RefreshRate.range, \.refreshRate),
        choice("view", ["The first view."], ViewID.allCases.map(\.name), \.viewName),
        choice(
            "detail", ["The details of the selected row. auto shows them if there is room beside the rows."],
            DetailVisibility.allCases.map(\.rawValue), \.detailName),
        flag("read-only", ["Refuse to cancel anything."], \.isReadOnly),
        text(
            "alert-command",
            [
                "A command for /bin/sh that is run when an alert (:alert QUERY) finds a node; empty for none. It gets "
                    + "\(AlertCommand.variables)."
            ], \.alertCommand),
    ]

    private static let tree: [ConfigKey] = [
        choice(
            "sort", ["The column that the chains are sorted by."], SortColumn.allCases.map(\.rawValue), \.sortName,
            in: "tree"),
        flag("invert", ["Sort in the opposite direction."], \.order.isInverted, in: "tree"),
        flag(
            "siblings",
            ["Sort the nodes inside chains, too, up to 4,096 nodes a chain; else they stand in program order."],
            \.order.sortsSiblings,
            in: "tree"),
        flag("group", ["Put chains from the same call site together."], \.order.isGrouped, in: "tree"),
        columns, unimportant,
    ]

    private static let warnings: [ConfigKey] = [
        warningList(
            "warn",
            [
                "The enabled warnings; -W on the command line adds some.",
                "all, or names: \(WarningKind.allCases.map(\.rawValue).joined(separator: ", ")).",
            ], value: "[\"all\"]"
        ) { $0 = $1 },
        warningList("allow", ["The warnings to disable of those; -A adds some."], value: "[]") { $0.subtract($1) },
    ]

    private static let keep: [ConfigKey] = [
        number(
            "settled-nodes", ["Nodes of settled chains; what settled first is dropped first."], 0...100_000_000,
            \.limits.settledNodeLimit, in: "keep"),
        number(
            "settled-leaves", ["Settled leaves of chains that are live."], 0...100_000_000,
            \.limits.settledLeafLimit, in: "keep"),
        duration(
            "settled-for",
            [
                "The longest time that either is kept, except for what failed or has a warning: the last 1,000 such "
                    + "chains stay until the room for settled nodes is needed."
            ], \.limits.ageLimit, in: "keep"),
        number(
            "chain-nodes", ["A chain of more nodes drops its settled beginning."], 100...100_000_000,
            \.limits.chainNodeLimit, in: "keep"),
        number(
            "nodes", ["All nodes; further ones are dropped, and counted."], 1_000...100_000_000,
            \.limits.nodeLimit, in: "keep"),
    ]
}

// MARK: Kinds of keys

extension ConfigKey {
    private typealias Setting<Value> = WritableKeyPath<Configuration, Value> & Sendable

    private static func flag(
        _ name: String, _ help: [String], _ setting: Setting<Bool>, in table: String? = nil
    ) -> ConfigKey {
        ConfigKey(
            path: (table.map { [$0] } ?? []) + [name], help: help, value: "\(Configuration()[keyPath: setting])",
            allowed: "true or false"
        ) {
            guard let flag = $0.bool else { return "" }
            $1[keyPath: setting] = flag
            return nil
        }
    }

    private static func text(_ name: String, _ help: [String], _ setting: Setting<String>) -> ConfigKey {
        ConfigKey(
            path: [name], help: help, value: TOMLText.quoted(Configuration()[keyPath: setting]), allowed: "a text"
        ) {
            guard let text = $0.string else { return "" }
            $1[keyPath: setting] = text
            return nil
        }
    }

    private static func number<Number: FixedWidthInteger & Sendable>(
        _ name: String, _ help: [String], _ range: ClosedRange<Int>, _ setting: Setting<Number>,
        in table: String? = nil
    ) -> ConfigKey {
        ConfigKey(
            path: (table.map { [$0] } ?? []) + [name], help: help, value: "\(Configuration()[keyPath: setting])",
            allowed: "a whole number from \(range.lowerBound) to \(range.upperBound)"
        ) {
            guard let number = $0.int, range.contains(number) else { return "" }
            $1[keyPath: setting] = Number(number)
            return nil
        }
    }

    private static func duration(
        _ name: String, _ help: [String], _ setting: Setting<UInt64>, in table: String
    ) -> ConfigKey {
        ConfigKey(
            path: [table, name], help: help,
            value: TOMLText.quoted(DurationArgument.words(nanoseconds: Configuration()[keyPath: setting])),
            allowed: "a duration such as \"500ms\", \"60s\" or \"10m\""
        ) {
            guard let text = $0.string, let duration = DurationArgument(argument: text)?.duration, duration > .zero
            else { return "" }
            $1[keyPath: setting] = duration.clampedNanoseconds
            return nil
        }
    }

    private static func limit(_ limit: WarningLimit) -> ConfigKey {
        let setting = \Configuration.warnings[limit.kinds[0]]
        return switch limit.unit {
        case .nanoseconds: duration(limit.name, [limit.meaning], setting, in: "warnings")
        case .count(_, let least): number(limit.name, [limit.meaning], least...1_000_000, setting, in: "warnings")
        }
    }

    private static func choice(
        _ name: String, _ help: [String], _ choices: [String], _ setting: Setting<String>,
        find: (@Sendable (String) -> String?)? = nil, in table: String? = nil
    ) -> ConfigKey {
        ConfigKey(
            path: (table.map { [$0] } ?? []) + [name], help: help + ["One of " + choices.joined(separator: ", ") + "."],
            value: TOMLText.quoted(Configuration()[keyPath: setting]),
            allowed: "one of " + choices.joined(separator: ", ")
        ) {
            guard let text = $0.string else { return "" }
            let found = find.map { $0(text) } ?? choices.first { $0 == text.lowercased() }
            guard let found else { return "" }
            $1[keyPath: setting] = found
            return nil
        }
    }

    private static var columns: ConfigKey {
        let names = TreeColumn.allCases.map(\.rawValue).joined(separator: ", ")
        return ConfigKey(
            path: ["tree", "columns"],
            help: ["The columns, from left to right, as far as there is room; node is always shown.", "Of \(names)."],
            value: TOMLText.array(Configuration().columns.map(\.rawValue)), allowed: "a list of columns (\(names))"
        ) {
            guard let list = $0.array else { return "" }
            var columns: [TreeColumn] = []
            for entry in list {
                guard let column = entry.string.flatMap({ TreeColumn(rawValue: $0.lowercased()) }) else {
                    return ConfigFile.words(entry)
                }
                columns.append(column)
            }
            $1.columns = TreeColumn.valid(columns)
            return nil
        }
    }

    /// The key of the query for nodes that are folded when they appear.
    private static var unimportant: ConfigKey {
        ConfigKey(
            path: ["tree", "unimportant"],
            help: [
                "A query, as after /: nodes that match it when they are created come as one row, with what is under "
                    + "them folded.", "Empty for none.",
            ], value: "\"\"", allowed: "a query such as \"kind:delay|label:log\""
        ) {
            guard let text = $0.string else { return "" }
            guard !text.isEmpty else { return nil }
            guard let query = try? Query(text) else { return "" }
            $1.unimportant = query
            return nil
        }
    }

    /// Returns a key with a list of warnings; `change` applies the list to the enabled warnings.
    private static func warningList(
        _ name: String, _ help: [String], value: String,
        _ change: @escaping @Sendable (inout Set<WarningKind>, Set<WarningKind>) -> Void
    ) -> ConfigKey {
        ConfigKey(
            path: ["warnings", name], help: help, value: value, allowed: "a list of warnings (\(WarningName.list))"
        ) {
            switch WarningName.kinds($0) {
            case .success(let kinds): change(&$1.warnings.enabled, kinds)
            case .failure(let invalid): return invalid.part
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
