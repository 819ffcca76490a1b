// SPDX-License-Identifier: MIT

import Frames

/// The tables of key bindings. Keys are looked up in them; help, footer and manual are made from them.
package enum KeyMap {
    /// The context in which a key is pressed; each has a table.
    package enum Context: Hashable, Sendable, CaseIterable {
        /// All views.
        case allViews
        /// One view; its own table precedes the table of ``allViews``.
        case view(ViewID)
        /// A recording or the past of live programs, in every view; precedes ``allViews``.
        case replay
        /// Live programs with a past, in every view; precedes ``allViews``.
        case live
        /// The past of live programs, in every view; precedes the view's own table, too.
        case past
        /// The line on which a filter is typed; characters that are not bound are text.
        case filter
        /// The line on which a command is typed.
        case command
        /// The question before a cancellation.
        case confirm
        /// The help over the screen.
        case help
        /// The list of marks.
        case marks

        /// All contexts, in the order of the help.
        package static let allCases: [Context] =
            [.allViews] + ViewID.allCases.map(Context.view) + [
                .replay, .live, .past, .marks, .filter, .command, .confirm, .help,
            ]

        /// The title of the table in the help.
        package var title: String {
            switch self {
            case .allViews: "In every view"
            case .view(let view): "In \(view.title)"
            case .replay: "Looking back, and in a recording"
            case .live: "Live, to look back"
            case .past: "Looking back, to return"
            case .filter: "While typing a filter"
            case .command: "While typing a command"
            case .confirm: "Asked before cancelling"
            case .help: "In this help"
            case .marks: "In the list of marks"
            }
        }

        /// Whether this is the context of a view or of all views, in which the keys of ``allViews`` and the keys for
        /// time apply, too.
        var isView: Bool {
            switch self {
            case .allViews, .view: true
            case .replay, .live, .past, .filter, .command, .confirm, .help, .marks: false
            }
        }
    }

    /// One row of a table.
    package struct Binding: Sendable {
        /// What the keys mean.
        package let intent: Intent
        /// The keys; the footer shows the first one, or a pair such as `↑↓`.
        package let keys: [KeyPress]
        /// What the keys do, in a few words without a capital letter.
        package let text: String
        /// One word for the footer; nil if the binding is not shown there.
        package let footer: String?
        /// In a view's own table, when the footer leaves the binding out for want of room: the highest rank first, and
        /// never without a rank.
        let rank: Int?
        /// In a view's own table, the intent whose key the footer shows as the second of a pair such as `+-`.
        let partner: Intent?

        init(
            _ intent: Intent, _ keys: [KeyPress], _ text: String, footer: String? = nil, rank: Int? = nil,
            partner: Intent? = nil
        ) {
            self.intent = intent
            self.keys = keys
            self.text = text
            self.footer = footer
            self.rank = rank
            self.partner = partner
        }

        /// Makes a binding of a view's own key.
        init<Own: RawRepresentable<String>>(
            own: Own, _ keys: [KeyPress], _ text: String, footer: String? = nil, rank: Int? = nil,
            partner: Own? = nil
        ) {
            self.init(
                .own(own.rawValue), keys, text, footer: footer, rank: rank, partner: partner.map { .own($0.rawValue) })
        }

        /// Returns the names of the keys: `↑ k`.
        package func keyNames(_ glyphs: Glyphs = .unicode) -> String {
            keys.map { KeyMap.name(of: $0, glyphs) }.joined(separator: " ")
        }
    }

    /// Returns the intent of a key in a context; nil if the key is not bound there. In a view, several tables are
    /// searched, and the first table that binds the key decides. Their order: ``Context/past`` if `time` begins with
    /// it, the view's own table, the tables of `time`, ``Context/allViews``.
    ///
    /// - Parameter time: the contexts of keys for time that apply at present (``Context/replay``, ``Context/live``,
    ///   ``Context/past``), the context that takes precedence first.
    package static func intent(for key: KeyPress, in context: Context, time: [Context] = []) -> Intent? {
        if context.isView, time.first == .past, let own = table[.past]?[key] { return own }
        if let own = table[context]?[key] { return own }
        guard context.isView else { return nil }
        return (time + [.allViews]).lazy.compactMap { table[$0]?[key] }.first
    }

    /// Returns the bindings of a context, in the order of the help.
    package static func bindings(in context: Context) -> [Binding] {
        switch context {
        case .allViews: common
        case .view(let view): view.type.bindings
        case .replay: replay
        case .live: live
        case .past: past
        case .filter: filter
        case .command: command
        case .confirm: confirm
        case .help: help
        case .marks: marks
        }
    }

    static func key(_ character: Character) -> KeyPress { .character(character) }

    /// The second intent of each pair of keys in the views' own tables, by the first.
    static let partners: [Intent: Intent] = {
        var partners: [Intent: Intent] = [:]
        for view in ViewID.allCases {
            for binding in view.type.bindings where binding.partner != nil {
                partners[binding.intent] = binding.partner
            }
        }
        return partners
    }()

    static let common: [Binding] =
        ViewID.allCases.map { view in
            Binding(.show(view), [key(Character("\(view.rawValue)"))], view.type.keyText)
        } + [
            Binding(.nextView, [KeyPress(.tab)], "the next link of the details, then the next view"),
            Binding(.previousView, [KeyPress(.backTab)], "the link before, then the view before"),
            Binding(.up, [KeyPress(.up), key("k"), .control("p")], "up one row", footer: "move"),
            Binding(.down, [KeyPress(.down), key("j"), .control("n")], "down one row"),
            Binding(.pageUp, [KeyPress(.pageUp), .control("b"), key("b")], "up one page"),
            Binding(.pageDown, [KeyPress(.pageDown), .control("f")], "down one page"),
            Binding(.halfUp, [.control("u")], "up half a page"),
            Binding(.halfDown, [.control("d")], "down half a page"),
            Binding(.home, [KeyPress(.home), key("g")], "to the first row"),
            Binding(.end, [KeyPress(.end), key("G")], "to the last row"),
            Binding(.windowTop, [key("H")], "to the first row on the screen"),
            Binding(.windowMiddle, [key("M")], "to the middle of the screen"),
            Binding(.windowBottom, [key("L")], "to the last row on the screen"),
            Binding(.centre, [key("z")], "bring the selected row to the middle"),
            Binding(.previousChain, [key("[")], "to the beginning of the chain, then to the chain before"),
            Binding(.nextChain, [key("]")], "to the next chain"),
            Binding(.chainStart, [key("0")], "to the first row of the chain, or of the list"),
            Binding(.chainEnd, [key("$")], "to the last row of the chain, or of the list"),
            Binding(.left, [KeyPress(.left), key("h")], "fold; again: to the node above", footer: "fold"),
            Binding(.right, [KeyPress(.right), key("l")], "unfold; again: to the first node inside"),
            Binding(.unfoldAll, [key("*")], "unfold everything"),
            Binding(.foldAll, [key("_")], "fold every chain to one row"),
            Binding(.foldLess, [key("}")], "show one level more of every chain"),
            Binding(.foldMore, [key("{")], "show one level less"),
            Binding(
                .group, [key("t"), KeyPress(.function(5))], "put chains from the same call site together, or apart",
                footer: "group"),
            Binding(.sort, [key("s"), KeyPress(.function(6))], "sort by the next column"),
            Binding(.invertSort, [key("I")], "reverse the order"),
            Binding(.visit, [KeyPress(.enter)], "open the row: show or hide its details", footer: "detail"),
            Binding(.detail, [key("d"), key("i")], "show or hide the details"),
            Binding(.detailUp, [key("K")], "scroll the details up"),
            Binding(.detailDown, [key("J")], "scroll the details down"),
            Binding(
                .threadStack, [key("S")], "the stack of the thread that runs the task, which is stopped to read it"),
            Binding(.why, [key("w")], "why does it wait? go to the node that holds it up", footer: "why"),
            Binding(
                .cancelNode, [key("c"), KeyPress(.function(9)), KeyPress(.delete)],
                "cancel the node and all under it (asks first)", footer: "cancel"),
            Binding(.cancelChain, [key("C")], "cancel its whole chain (asks first)"),
            Binding(.tag, [KeyPress(.character(" "))], "tag or untag; tagged nodes are cancelled and copied together"),
            Binding(.untag, [key("U")], "untag all"),
            Binding(.pin, [key("P")], "pin the chain: it is kept until unpinned; again: unpin it"),
            Binding(
                .filter, [key("/"), KeyPress(.function(3)), KeyPress(.function(4))],
                "show only nodes that a text or query finds", footer: "filter"),
            Binding(.onlyLive, [key("A")], "only live nodes; again: all", footer: "live"),
            Binding(.onlyFailed, [key("F")], "only nodes that failed; again: all", footer: "failed"),
            Binding(
                .onlySlow, [key("T")], "only nodes over 1 s in total, or what @slow is; again: all", footer: "slow"),
            Binding(
                .onlyStuck, [key("B")], "only what is blocked or waits for too long, or what @stuck is; again: all",
                footer: "stuck"),
            Binding(.nextMatch, [key("n")], "to the next match"),
            Binding(.previousMatch, [key("N")], "to the match before"),
            Binding(.dim, [key("m")], "dim what does not match instead of hiding it"),
            Binding(.follow, [key("f")], "follow the newest chain, then the selected one, then none", footer: "follow"),
            Binding(.commandLine, [key(":")], "type a command"),
            Binding(.freeze, [key("p")], "freeze the picture, or resume", footer: "freeze"),
            Binding(.copy, [key("y")], "copy the node, or the tagged ones, as text"),
            Binding(.copyTree, [key("Y")], "copy it and all under it, as a tree"),
            Binding(.edit, [key("e"), key("v")], "open its call site in $EDITOR"),
            Binding(.record, [key("R")], "record the program into a file here; again: stop that"),
            Binding(.output, [key("o")], "show or hide what a program writes that `chainview run` started"),
            Binding(
                .back, [KeyPress(.escape), .control("g")],
                "back: clear the filter, close details, stop following, untag; to the overview"
            ),
            Binding(
                .previousNode, [KeyPress(.backspace), .control("o")],
                "back to the node before, after a link (Tab, Enter), w or :goto"),
            Binding(.redraw, [.control("l"), .control("r")], "redraw the screen"),
            Binding(.suspend, [.control("z")], "suspend"),
            Binding(.help, [key("?"), KeyPress(.function(1))], "this help", footer: "help"),
            Binding(.quit, [key("q"), .control("c"), KeyPress(.function(10))], "quit", footer: "quit"),
            Binding(.setup, [KeyPress(.function(2))], "how to set up columns, colours and warnings"),
            Binding(.priority, [KeyPress(.function(7)), KeyPress(.function(8))], "promises have no priority"),
        ]

    private static let replay: [Binding] = [
        Binding(.play, [KeyPress(.character(" ")), key("p")], "play, or pause", footer: "play"),
        Binding(.secondBack, [key("<")], "back one second", footer: "second"),
        Binding(.secondOn, [key(">")], "on one second"),
        Binding(.previousEvent, [key(",")], "back one event", footer: "event"),
        Binding(.nextEvent, [key(".")], "on one event"),
        Binding(
            .previousNotable, [key("[")], "back to the rejection, warning or mark before", footer: "rejection"),
        Binding(.nextNotable, [key("]")], "on to the next rejection, warning or mark"),
        Binding(.mark, [key("M")], "mark the moment; :mark NAME names it"),
        Binding(.marks, [key("'")], "list the marks, to go to one"),
        Binding(.playFaster, [key("+")], "play faster", footer: "speed"),
        Binding(.playSlower, [key("-")], "play slower"),
    ]

    private static let live: [Binding] = [
        Binding(.secondBack, [key("<")], "look back: one second before now"),
        Binding(.previousEvent, [key(",")], "look back: the last event"),
        Binding(.secondOn, [key(">")], "on one second, until now"),
        Binding(.nextEvent, [key(".")], "on one event, until now"),
    ]

    private static let past: [Binding] = [
        Binding(.now, [KeyPress(.end)], "return to now", footer: "now")
    ]

    private static let help: [Binding] = [
        Binding(.up, [KeyPress(.up), key("k")], "up", footer: "scroll"),
        Binding(.down, [KeyPress(.down), key("j")], "down"),
        Binding(.pageUp, [KeyPress(.pageUp), .control("b"), key("b")], "up one page"),
        Binding(.pageDown, [KeyPress(.pageDown), KeyPress(.character(" ")), .control("f")], "down one page"),
        Binding(.halfUp, [.control("u"), key("u")], "up half a page"),
        Binding(.halfDown, [.control("d"), key("d")], "down half a page"),
        Binding(.home, [KeyPress(.home), key("g")], "to its beginning"),
        Binding(.end, [KeyPress(.end), key("G")], "to its end"),
        Binding(.filter, [key("/")], "search in this help", footer: "search"),
        Binding(.nextMatch, [key("n")], "to the next match", footer: "next"),
        Binding(.previousMatch, [key("N")], "to the match before"),
        Binding(.back, [KeyPress(.escape), key("?"), key("q"), KeyPress(.enter)], "close", footer: "close"),
        Binding(.quit, [.control("c")], "quit"),
    ]

    private static let table: [Context: [KeyPress: Intent]] = {
        var table: [Context: [KeyPress: Intent]] = [:]
        for context in Context.allCases {
            for binding in bindings(in: context) {
                for key in binding.keys { table[context, default: [:]][key] = binding.intent }
            }
        }
        return table
    }()
}
