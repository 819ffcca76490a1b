import ChainEvents
import Dashboard
import Foundation
import TOMLKit

/// What a user set is kept from session to session: a file for each program (or set of programs) by name.
struct Memory {
    /// Where the files are.
    var folder: String
    /// What holds where nothing is remembered.
    var base: ViewSettings
    /// What flags say for this session.
    var demanded: ViewSettings

    /// The file of programs of these names, which may be anything.
    func path(for names: [String]) -> String {
        let name = Set(names).sorted().joined(separator: "+")
        var safe = ""
        for byte in name.utf8 {
            let letter = Character(UnicodeScalar(byte))
            let isPlain = letter.isASCII && (letter.isLetter || letter.isNumber || "-_+".contains(letter))
            safe += isPlain || (letter == "." && !safe.isEmpty) ? String(letter) : "%" + String(byte, radix: 16)
        }
        // Longer than a file's name may be: the end tells them apart.
        if safe.utf8.count > 150 {
            let sum = name.utf8.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
            safe = String(safe.prefix(120)) + "~" + String(sum, radix: 16)
        }
        return "\(folder)/\(safe.isEmpty ? "unnamed" : safe).toml"
    }

    /// What is remembered, and what is wrong with the file if anything is.
    func load(_ names: [String]) -> (ViewSettings, complaint: String?) {
        let path = path(for: names)
        do throws(SmallFile.Trouble) {
            let text = try SmallFile.read(path)
            guard let old = ViewSettings(toml: text) else {
                return (ViewSettings(), "\(path) is broken and counts as empty: it will be written anew")
            }
            return (old, nil)
        } catch {
            guard case .unreadable(let words) = error else { return (ViewSettings(), nil) }
            return (ViewSettings(), "\(path) \(words): nothing is remembered")
        }
    }

    /// Keeps what is worth it; one sentence where that fails.
    func save(_ kept: ViewSettings, for names: [String]) -> String? {
        let path = path(for: names)
        if kept.isEmpty {
            unlink(path)
            return nil
        }
        do throws(SmallFile.Trouble) {
            try SmallFile.replace(path, with: kept.toml(for: names))
            return nil
        } catch {
            guard case .unreadable(let words) = error else { return nil }
            return "what was set is forgotten: \(path) \(words)"
        }
    }
}

/// What a session began with, for what it leaves behind.
struct SavedSettings {
    private let memory: Memory
    private let names: [String]
    private let old: ViewSettings
    private let start: ViewSettings
    /// How things are to be shown.
    let shown: ViewSettings
    /// What is wrong with the file.
    let complaint: String?

    /// Looks up what was set the last time for programs of these names. What the user changed since `begun`, when the
    /// session began, stays as it is.
    init(_ memory: Memory, names: [String], begun: ViewSettings, now: ViewSettings) {
        self.memory = memory
        self.names = names
        (old, complaint) = memory.load(names)
        let changed = ViewSettings().after(start: begun, end: now, base: ViewSettings())
        shown = old.overlaid(with: memory.demanded).overlaid(with: changed)
        start = begun.overlaid(with: old).overlaid(with: memory.demanded)
    }

    /// Keeps how things are shown at the end; one sentence where that fails.
    func keep(_ end: ViewSettings) -> String? {
        let kept = old.after(start: start, end: end, base: memory.base)
        return kept == old ? nil : memory.save(kept, for: names)
    }
}

// MARK: The file

extension ViewSettings {
    /// As a file, which says whose it is.
    func toml(for names: [String]) -> String {
        var lines = [
            "# What was set in chainview for " + names.map(TOMLText.quoted).joined(separator: ", ")
                + "; without this file it is forgotten."
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
        add("theme", theme.map(TOMLText.quoted))
        add("refresh-rate", refreshRate.map(String.init))
        add("folded", folded.map(TOMLText.array))
        return lines.joined(separator: "\n") + "\n"
    }

    /// Reads a file; nil for what is none. What another version wrote and this one does not know is passed over.
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
        theme = table["theme"]?.string
        refreshRate = table["refresh-rate"]?.int
        folded = table["folded"]?.array.map { $0.compactMap(\.string) }
    }

    private static func size(_ number: Int) -> Int? { (0...10_000).contains(number) ? number : nil }
}
