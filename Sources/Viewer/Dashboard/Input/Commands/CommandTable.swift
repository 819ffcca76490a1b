// SPDX-License-Identifier: MIT

import ChainRows
import Frames

/// The table of the commands that can be typed after `:`. Commands are looked up in it; completion, help and manual are
/// made from it.
package enum CommandTable {
    /// One command.
    package struct Entry: Sendable {
        let name: Name
        /// The arguments; words in capitals are placeholders.
        let arguments: String
        /// What the command does, in a few words without a capital letter.
        let text: String

        init(_ name: Name, _ arguments: String = "", _ text: String) {
            self.name = name
            self.arguments = arguments
            self.text = text
        }

        /// The command as it is typed, with its colon and the placeholders.
        var usage: String {
            ":" + name.rawValue + (arguments.isEmpty ? "" : " " + arguments)
        }
    }

    enum Name: String, CaseIterable, Sendable {
        case filter, alert, at, baseline, mark, unmark, marks, record, view, fold, unfold, sort, columns, group, goto
        case follow, why, tag, untag, freeze, cancel
        case copy, save, theme, rate, warn, reset, help, quit
    }

    /// All commands, in the order of the help.
    static let entries: [Entry] = [
        Entry(.filter, "QUERY", "show only what a query finds; without one, everything"),
        Entry(
            .alert, "[QUERY/off]",
            "ring the bell when a node begins to match; without a query, list the alerts; off removes them"),
        Entry(.at, "TIME", "to a moment of a recording or of the past, or to a mark"),
        Entry(.baseline, "[TIME]", "as =, or since TIME; off ends it"),
        Entry(.mark, "[NAME]", "give the moment that is shown a name, or a number; [ and ] go there"),
        Entry(.unmark, "NAME", "remove a mark"),
        Entry(.marks, "", "list the marks"),
        Entry(
            .record, "[FILE]", "record the program into a file, as R does; without a name: stop recording"),
        Entry(.view, "NAME", "change to a view: " + ViewID.allCases.map(\.name).joined(separator: ", ")),
        Entry(.fold, "LEVELS", "show so many levels of every chain"),
        Entry(.unfold, "", "unfold everything"),
        Entry(
            .sort, "[COLUMN]",
            "sort by " + SortColumn.allCases.map(\.rawValue).joined(separator: ", ") + "; then asc or desc, siblings"),
        Entry(
            .columns, "[NAMES]",
            "choose and order columns: " + TreeColumn.allCases.map(\.rawValue).joined(separator: ", ")
                + "; or default"),
        Entry(.group, "", "group chains by call site, or no longer"),
        Entry(.goto, "ID", "go to the node with this number, as in #17; also :17"),
        Entry(.follow, "", "follow the newest chain, then the selected node, then nothing"),
        Entry(.why, "", "go to the node that the selected one waits for"),
        Entry(.tag, "", "tag or untag the node"),
        Entry(.untag, "", "untag all"),
        Entry(.freeze, "", "freeze the picture, or resume"),
        Entry(.cancel, "[chain]", "cancel the node or its whole chain, or the tagged ones (asks first)"),
        Entry(.copy, "[tree]", "copy the node, or all under it as a tree, or the tagged ones"),
        Entry(.save, "FILE", "save the screen to FILE.txt, .ansi, .svg or .json; save! writes over what is there"),
        Entry(.theme, "NAME", "change the colours: " + Theme.all.map(\.name).joined(separator: ", ")),
        Entry(.rate, "N", "at most N frames a second, \(RefreshRate.words)"),
        Entry(.warn, "NAME on/off", "turn a warning on or off; all is for every warning"),
        Entry(.reset, "", "back to the defaults: view, columns, order, filter, details and colours"),
        Entry(.help, "", "all keys and commands"),
        Entry(.quit, "", "quit; also :q"),
    ]

    /// Returns the command that the first word of a line means: a name, the beginning of exactly one name, or `q`.
    static func entry(of line: String) -> Entry? {
        let word = line.prefix { !$0.isWhitespace && $0 != "!" }.lowercased()
        guard !word.isEmpty else { return nil }
        // A Q may be a slip of the Shift key, which must not quit.
        if line.first == "Q" { return nil }
        if word == "q" { return entries.first { $0.name == .quit } }
        let fitting = entries.filter { $0.name.rawValue.hasPrefix(word) }
        return fitting.first { $0.name.rawValue == word } ?? (fitting.count == 1 ? fitting[0] : nil)
    }

    /// The forms of a query, for the help.
    static let queries: [(form: String, text: String)] = [
        (
            "charge",
            "the text is in the label, kind, state, error or value, or without a label in the site; for a suspended task "
                + "also in its frames, as far as they were read"
        ),
        ("charge|bank -card", "one of two texts, and not a third"),
        ("\"two words\"", "a text with spaces or punctuation"),
        ("/order 1[0-9]+$/", "a regular expression; also after a text field: label:/^bank/"),
        ("live", "nodes in these states; also settled, failed"),
        ("kind:all|race", "the operation that made it, or one of several; also operation:"),
        ("Checkout.swift:106", "the call site"),
        ("#17", "the node with this number; also id:17"),
        ("state:rejected", "a state"),
        ("label:charge", "also error: value: thread: executor: site: canceller:, with = for the whole text"),
        ("chain:\"order 17\"", "the text is in the label of the chain's first node; parent: in that of the node above"),
        ("error~timeout", "the text is in the error"),
        ("total > 5s", "also wait, run, and age of live nodes, with > >= < <= and ns us ms s m h"),
        ("warning:deadlock", "nodes with a warning of that kind; any is every kind"),
        ("in:reserve", "the text is in a function in which a suspended task continues; reads the frames of all tasks"),
        (
            "waits-for:timer",
            "also resolver, parent, members, promise, executor, handler, system, task, continuation, group, actor, lock"
        ),
        ("a b  not a  a or b", "and, not, or; ( ) group"),
        ("@slow", "a saved query: live, failed, slow, stuck, and those of the configuration"),
    ]
}

/// The line of a command, split into words.
struct CommandWords {
    struct Word {
        var text: String
        /// The word's range in the line, in characters.
        var range: Range<Int>
    }

    let line: String
    let words: [Word]
    /// Whether the name of the command ends with `!`.
    let isForced: Bool
    /// The offset of the first argument, in characters; without arguments, the end of the line.
    let argumentStart: Int

    init(_ line: String) {
        self.line = line
        var words: [Word] = []
        var isInside = false
        for (offset, character) in line.enumerated() {
            if character.isWhitespace {
                isInside = false
            } else if isInside {
                words[words.count - 1].text.append(character)
                words[words.count - 1].range = words[words.count - 1].range.lowerBound..<offset + 1
            } else {
                isInside = true
                words.append(Word(text: String(character), range: offset..<offset + 1))
            }
        }
        isForced = words.first?.text.hasSuffix("!") ?? false
        argumentStart = words.count > 1 ? words[1].range.lowerBound : line.count
        self.words = words
    }

    var arguments: ArraySlice<Word> { words.dropFirst() }

    /// The text after the name, as typed, without blanks around it.
    var rest: String {
        let end = words.last?.range.upperBound ?? 0
        return argumentStart < end ? String(line.prefix(end).dropFirst(argumentStart)) : ""
    }

    /// Returns the problem of a missing argument, at the end of the line, with this message.
    func missing(_ message: String) -> Typing.Problem { Typing.Problem(text: message, range: line.count..<line.count) }

    /// Returns the only argument; if there is none, throws `message`. Throws at a second argument, too.
    func one(_ message: String) throws(Typing.Problem) -> Word {
        guard let word = arguments.first else { throw missing(message) }
        try noMore(than: 1)
        return word
    }

    /// Throws if there are more arguments than `count`.
    func noMore(than count: Int) throws(Typing.Problem) {
        if let more = arguments.dropFirst(count).first {
            throw Typing.Problem(text: "this word is one too many: leave it out", range: more.range)
        }
    }
}
