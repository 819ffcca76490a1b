// SPDX-License-Identifier: MIT

import ChainEvents
import ChainRows
import Dashboard
import Foundation
import TOMLKit

/// The files of settings made in the dashboard: a file for each program, or for each set of programs, by their names.
struct SettingsStore {
    var folder: String
    /// The settings from the configuration file, which saved settings override.
    var configuredSettings: ViewSettings
    /// The settings from flags, which override saved settings.
    var flagSettings: ViewSettings

    /// Returns the path of the file for programs of these names. Names may hold any characters. Each set of names has a
    /// path of its own.
    func path(for names: [String]) -> String {
        var safe = Set(names).sorted().map(Self.escaped).joined(separator: "+")
        // A long name is shortened, because the length of a file name is limited; the hash (FNV-1a) keeps long names
        // apart.
        if safe.utf8.count > 150 {
            let sum = safe.utf8.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
            safe = String(safe.prefix(120)) + "~" + String(sum, radix: 16)
        }
        // With a `%`, because a program may be called unnamed.
        return "\(folder)/\(safe.isEmpty ? "%unnamed" : safe).toml"
    }

    /// Returns a name as a part of a file's name: bytes that are not plain are in hexadecimal. A `+` is not plain,
    /// because it separates names.
    private static func escaped(_ name: String) -> String {
        var text = ""
        for byte in name.utf8 {
            let letter = Character(UnicodeScalar(byte))
            let isPlain = letter.isASCII && (letter.isLetter || letter.isNumber || "-_".contains(letter))
            // Two digits, because a digit of the name may follow.
            let isKept = isPlain || (letter == "." && !text.isEmpty)
            text += isKept ? String(letter) : "%" + String(hexadecimal: byte, digits: 2)
        }
        return text
    }

    /// Returns the saved settings, and one sentence if the file cannot be read.
    func load(_ names: [String]) -> (ViewSettings, problem: String?) {
        let path = path(for: names)
        do throws(SmallFile.Problem) {
            let text = try SmallFile.read(path)
            guard let old = ViewSettings(toml: text) else {
                return (ViewSettings(), "\(path) is not valid TOML: it is ignored, and will be overwritten")
            }
            return (old, nil)
        } catch {
            guard case .unreadable(let words) = error else { return (ViewSettings(), nil) }
            return (ViewSettings(), "\(path) \(words): no saved settings are used")
        }
    }

    /// Saves settings, or removes the file if there are no settings. Returns one sentence if saving fails.
    func save(_ kept: ViewSettings, for names: [String]) -> String? {
        let path = path(for: names)
        if kept.isEmpty {
            unlink(path)
            return nil
        }
        do throws(SmallFile.Problem) {
            try SmallFile.replace(path, with: kept.toml(for: names))
            return nil
        } catch {
            guard case .unreadable(let words) = error else { return nil }
            return "the settings are not saved: \(path) \(words)"
        }
    }
}

/// The saved settings of one session: loaded at its start, saved at its end.
struct SavedSettings {
    private let store: SettingsStore
    private let names: [String]
    /// The settings that the session began with, including the settings from the file and from flags.
    private let start: ViewSettings
    /// The settings to apply: the settings from the file and from flags, and the changes that the user has made so far.
    let shown: ViewSettings
    /// One sentence if the file cannot be read.
    let problem: String?

    /// Loads the settings for programs of these names. What the user has changed since the start of the session stays.
    ///
    /// - Parameters:
    ///   - initial: the settings at the start of the session.
    ///   - now: the settings at this moment.
    init(_ store: SettingsStore, names: [String], initial: ViewSettings, now: ViewSettings) {
        self.store = store
        self.names = names
        let (old, problem) = store.load(names)
        self.problem = problem
        let changed = ViewSettings().after(start: initial, end: now, base: ViewSettings())
        shown = old.overlaid(with: store.flagSettings).overlaid(with: changed)
        start = initial.overlaid(with: old).overlaid(with: store.flagSettings)
    }

    /// Saves the settings that the session has changed, at its end. Returns one sentence if saving fails.
    func save(_ end: ViewSettings) -> String? {
        // The file is loaded again, because another session may have saved other settings since the file was loaded
        // first.
        let (old, _) = store.load(names)
        let kept = old.after(start: start, end: end, base: store.configuredSettings)
        return kept == old ? nil : store.save(kept, for: names)
    }
}

// MARK: The file

extension ViewSettings {
    /// Returns the settings as the text of a file for programs of these names.
    func toml(for names: [String]) -> String {
        var lines = [
            "# Settings made in chainview for " + names.map(TOMLText.quoted).joined(separator: ", ")
                + "; delete this file to reset them."
        ]
        func add(_ name: String, _ value: String?) { if let value { lines.append("\(name) = \(value)") } }
        add("view", view.map { TOMLText.quoted($0.name) })
        add("detail", detail.map { TOMLText.quoted($0.rawValue) })
        add("detail-columns", detailColumns.map(String.init))
        add("detail-rows", detailRows.map(String.init))
        add("filter", filter.map(TOMLText.quoted))
        add("dims", dims.map(String.init))
        add("sort", order.map { TOMLText.quoted($0.column.rawValue) })
        add("invert", order.map { "\($0.isInverted)" })
        add("siblings", order.map { "\($0.sortsSiblings)" })
        add("group", order.map { "\($0.isGrouped)" })
        add("columns", columns.map { TOMLText.array($0.map(\.rawValue)) })
        add("theme", theme.map(TOMLText.quoted))
        add("refresh-rate", refreshRate.map(String.init))
        add("folded", folded.map(TOMLText.array))
        return lines.joined(separator: "\n") + "\n"
    }

    /// Parses the text of a file; nil if the text is not TOML. Unknown keys, such as keys of another version, are
    /// ignored.
    init?(toml text: String) {
        guard let table = try? TOMLTable(string: text) else { return nil }
        self.init()
        view = table["view"]?.string.flatMap(ViewID.init(name:))
        detail = table["detail"]?.string.flatMap(DetailVisibility.init(rawValue:))
        detailColumns = table["detail-columns"]?.int.flatMap(Self.size)
        detailRows = table["detail-rows"]?.int.flatMap(Self.size)
        filter = table["filter"]?.string
        dims = table["dims"]?.bool
        order = table["sort"]?.string.flatMap(SortColumn.init(rawValue:)).map { column in
            TreeOrder(
                column: column, isInverted: table["invert"]?.bool ?? false,
                sortsSiblings: table["siblings"]?.bool ?? false, isGrouped: table["group"]?.bool ?? false)
        }
        columns = table["columns"]?.array.map { $0.compactMap { $0.string.flatMap(TreeColumn.init(rawValue:)) } }
        theme = table["theme"]?.string
        refreshRate = table["refresh-rate"]?.int
        folded = table["folded"]?.array.map { $0.compactMap(\.string) }
    }

    private static func size(_ number: Int) -> Int? { (0...10_000).contains(number) ? number : nil }
}
