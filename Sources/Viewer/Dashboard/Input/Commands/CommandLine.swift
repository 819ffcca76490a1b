// SPDX-License-Identifier: MIT

import ChainEvents
import ChainInsight
import ChainModel
import ChainRows
import ChainText
import Frames

// The line that is typed after `:`.
extension State {
    mutating func typeCommand(_ text: String) {
        typing = Typing()
        mode = .command(text)
        revision += 1
    }

    mutating func leaveCommand() {
        typing = Typing()
        mode = .normal
        revision += 1
    }

    mutating func handleInCommand(_ intent: Intent, _ text: String) -> [Effect] {
        revision += 1
        switch intent {
        case .abort: leaveCommand()
        case .quit: return [.quit]
        case .accept: return accept(command: text)
        case .complete:
            if let line = typing.complete(typing.choices ?? commandChoices(text, marks: timeStrip.marks)) {
                mode = .command(line)
            }
        case .up, .down:
            if let line = typing.recall(intent == .up ? 1 : -1, from: commandHistory.lines, instead: text) {
                mode = .command(line)
            }
        default: break
        }
        return []
    }

    private mutating func accept(command line: String) -> [Effect] {
        leaveCommand()
        let words = CommandWords(line)
        guard let name = words.words.first else { return [] }
        commandHistory.add(line)
        do throws(Typing.Problem) {
            if words.words.count == 1, NodeNumber.read(name.text) != nil {
                try goTo(name)
                return []
            }
            guard let entry = CommandTable.entry(of: name.text) else {
                throw Typing.Problem(text: Self.unknown(name.text), range: name.range)
            }
            if words.isForced, entry.name != .save, entry.name != .quit {
                throw Typing.Problem(text: "only save and quit can be followed by !", range: name.range)
            }
            return try perform(entry.name, words)
        } catch {
            // The line stays open and shows the problem.
            mode = .command(line)
            typing.problem = error
            return []
        }
    }

    /// Commands of other programs and words of the help, each with the command of the dashboard that it stands for.
    private static let synonyms: [String: String] = [
        "stop": "cancel", "kill": "cancel", "abort": "cancel", "find": "filter", "search": "filter", "grep": "filter",
        "exit": "quit", "wq": "quit", "x": "quit", "pause": "freeze", "resume": "freeze", "write": "save",
        "open": "unfold", "expand": "unfold", "close": "fold", "collapse": "fold", "blocker": "why",
        "order": "sort", "yank": "copy", "colors": "theme", "colours": "theme", "fps": "rate", "notify": "alert",
        "tail": "follow",
    ]

    /// Returns the message for an unknown command, with the command that was probably meant, or a list of commands.
    private static func unknown(_ name: String) -> String {
        if name.first == "Q" { return "there is no command \(name): did you mean :q?" }
        if let meant = synonyms[name.lowercased()] { return "there is no command \(name): did you mean :\(meant)?" }
        let near = CommandTable.entries.filter { $0.name.rawValue.hasPrefix(name.prefix(1).lowercased()) }
        let known = near.isEmpty ? CommandTable.entries : near
        return "there is no command \(name): " + known.map(\.name.rawValue).joined(separator: " ")
    }

    private mutating func perform(_ name: CommandTable.Name, _ words: CommandWords) throws(Typing.Problem) -> [Effect] {
        switch name {
        case .filter: try setFilter(words)
        case .alert:
            let isQuery = !words.rest.isEmpty && words.rest.lowercased() != "off"
            let query = isQuery ? try query(of: words) : nil
            var alerts = alerts
            let done = try alerts.perform(words, query, in: &live)
            self.alerts = alerts
            notify(done)
        case .at: return try seek(words)
        case .baseline: return try perform(baseline: words)
        case .record: return record(into: words.rest.isEmpty ? nil : words.rest)
        case .mark, .unmark, .marks: return try perform(marking: name, words)
        case .follow, .why, .tag, .untag, .freeze, .unfold:
            try words.noMore(than: 0)
            return handle(Self.intents[name]!)
        case .view: try showView(words)
        case .fold:
            let levels = try number(0...1_000, words, "say how many levels to show: 0 folds every chain to one row")
            showTree()
            callTree { $0.fold(toLevel: levels, &$1) }
        case .sort: try sort(words)
        case .columns:
            if let columns = try TreeColumn.columns(namedIn: words) {
                tree.columns = columns
                showTree()
                updateViewport()
            }
            notify(tree.columnWords(ViewContext(self)))
        case .group:
            try words.noMore(than: 0)
            showTree()
            callTree { $0.toggleGroups(&$1) }
        case .goto: try goTo(try words.one("say which node: its number stands first in its details"))
        case .cancel: return handle(try isGiven("chain", words) ? .cancelChain : .cancelNode)
        case .copy: return handle(try isGiven("tree", words) ? .copyTree : .copy)
        case .save: return try save(words)
        case .theme: try setTheme(words)
        case .rate:
            options.refreshRate = try number(
                RefreshRate.range, words, "say how many frames a second: \(RefreshRate.words)")
            notify("at most \(RefreshRate.words(for: options.refreshRate))")
        case .warn: try warn(words)
        case .reset:
            try words.noMore(than: 0)
            resetSettings()
        case .help:
            try words.noMore(than: 0)
            return handle(.help)
        case .quit:
            try words.noMore(than: 0)
            return [.quit]
        }
        return []
    }

    /// The intents of commands that do the same as a key.
    private static let intents: [CommandTable.Name: Intent] = [
        .follow: .follow, .why: .why, .tag: .tag, .untag: .untag, .freeze: .freeze, .unfold: .unfoldAll,
    ]

    private static var viewNames: String { ViewID.allCases.map(\.name).joined(separator: " ") }

    private mutating func showView(_ words: CommandWords) throws(Typing.Problem) {
        let word = try words.one("say which view: \(Self.viewNames)")
        guard let view = ViewID(name: word.text) ?? UInt8(digits: word.text).flatMap(ViewID.init) else {
            throw Typing.Problem(text: "there is no view \(word.text): \(Self.viewNames)", range: word.range)
        }
        show(view)
    }

    private mutating func save(_ words: CommandWords) throws(Typing.Problem) -> [Effect] {
        let saved = try SavedContent(words)
        // A message on the status line is not part of the picture.
        status = nil
        let content: String
        switch saved {
        case .picture(let format): content = picture(of: self, as: format)
        case .json:
            let frame = view == .chains ? nil : render(self)
            content = call { $1.json(frame) }.result
        }
        return [.save(path: words.rest, content: content, overwrites: words.isForced)]
    }

    private mutating func setTheme(_ words: CommandWords) throws(Typing.Problem) {
        let names = Theme.all.map(\.name).joined(separator: " ")
        let word = try words.one("say which theme: \(names)")
        guard let theme = Theme.named(word.text) else {
            throw Typing.Problem(text: "there is no theme \(word.text): \(names)", range: word.range)
        }
        options.theme = theme
        notify("theme: \(theme.name)")
    }

    /// Parses the only argument as a number in a range; throws `message` if there is no argument.
    private func number(
        _ range: ClosedRange<Int>, _ words: CommandWords, _ message: String
    ) throws(Typing.Problem) -> Int {
        let word = try words.one(message)
        guard let number = Int(digits: word.text), range.contains(number) else {
            throw Typing.Problem(
                text: "a number from \(range.lowerBound) to \(CountText.grouped(range.upperBound)) is needed",
                range: word.range)
        }
        return number
    }

    /// Returns whether the argument `option`, or its beginning, is given; throws at any other argument.
    private func isGiven(_ option: String, _ words: CommandWords) throws(Typing.Problem) -> Bool {
        guard let word = words.arguments.first else { return false }
        try words.noMore(than: 1)
        guard option.hasPrefix(word.text.lowercased()) else {
            throw Typing.Problem(text: "only \(option) can stand here", range: word.range)
        }
        return true
    }

    private mutating func setFilter(_ words: CommandWords) throws(Typing.Problem) {
        guard !words.rest.isEmpty else { return dropFilter() }
        // The query is parsed here for the problem's range in the line; ``filter(by:)`` then cannot throw.
        _ = try query(of: words)
        try? filter(by: words.rest)
    }

    /// Parses the text after a command's name as a query; a problem has its range in the whole line.
    func query(of words: CommandWords) throws(Typing.Problem) -> Query {
        do throws(QueryError) {
            return try query(words.rest)
        } catch {
            let range = error.range
            throw Typing.Problem(
                text: error.description,
                range: range.lowerBound + words.argumentStart..<range.upperBound + words.argumentStart)
        }
    }

    private mutating func sort(_ words: CommandWords) throws(Typing.Problem) {
        var wanted = TreeOrder()
        if let name = words.arguments.first {
            guard let column = SortColumn(rawValue: name.text.lowercased()) else {
                let names = SortColumn.allCases.map(\.rawValue).joined(separator: " ")
                throw Typing.Problem(text: "there is no column \(name.text): \(names)", range: name.range)
            }
            wanted.column = column
        }
        var hasDirection = false
        for word in words.arguments.dropFirst() {
            switch word.text.lowercased() {
            case "asc" where !hasDirection, "desc" where !hasDirection:
                hasDirection = true
                wanted.isInverted = (word.text.lowercased() == "desc") != wanted.column.isDescending
            case "siblings" where !wanted.sortsSiblings: wanted.sortsSiblings = true
            default: throw Typing.Problem(text: "only asc or desc, and siblings can stand here", range: word.range)
            }
        }
        showTree()
        callTree {
            $0.sort(by: wanted.column, inverted: wanted.isInverted, siblings: wanted.sortsSiblings, &$1)
        }
    }

    private mutating func goTo(_ word: CommandWords.Word) throws(Typing.Problem) {
        guard let id = NodeNumber.read(word.text) else {
            throw Typing.Problem(text: "an id is a number, as in #17", range: word.range)
        }
        // The selected program is searched first, because ids are unique only within a program.
        let order =
            (selectedProgramIndex.map { [$0] } ?? []) + world.programs.indices.filter { $0 != selectedProgramIndex }
        for programIndex in order {
            guard let node = world.programs[programIndex].forest.index(of: id) else { continue }
            return reveal(node, in: programIndex)
        }
        let isEvicted = world.programs.contains { $0.forest.isEvicted(id) }
        throw Typing.Problem(
            text: isEvicted ? "node \(id) has ended and is no longer kept" : "there is no node \(id)",
            range: word.range)
    }

    private mutating func warn(_ words: CommandWords) throws(Typing.Problem) {
        let names = WarningKind.allCases.map(\.rawValue).joined(separator: " ")
        guard let name = words.arguments.first else { throw words.missing("say what to warn of: \(names)") }
        var kinds = WarningKind.allCases.filter { $0.rawValue == name.text.lowercased() }
        if name.text.lowercased() == "all" { kinds = WarningKind.allCases }
        guard !kinds.isEmpty else {
            throw Typing.Problem(text: "there is no warning \(name.text): \(names)", range: name.range)
        }
        guard let word = words.arguments.dropFirst().first else { throw words.missing("say on or off") }
        try words.noMore(than: 2)
        switch word.text.lowercased() {
        case "on": options.warnings.enabled.formUnion(kinds)
        case "off": options.warnings.enabled.subtract(kinds)
        default: throw Typing.Problem(text: "say on or off", range: word.range)
        }
        notify("\(name.text.lowercased()): \(word.text.lowercased())")
        updateViewport()
    }
}
