import Frames

/// Which keys do what: the one table that keys are looked up in and that help, footer and README are made of.
public enum KeyMap {
    /// What the keys are going to: one table each.
    public enum Context: String, Hashable, Sendable, CaseIterable {
        /// The tree, with or without a detail pane.
        case tree = "In the tree"
        /// The line on which a filter is typed; characters that are not bound are text.
        case filter = "While typing a filter"
        /// The question before a cancellation.
        case confirm = "Asked before cancelling"
        /// The help over the screen.
        case help = "In this help"
    }

    /// One row of a table.
    public struct Binding: Sendable {
        /// What the keys mean.
        public let intent: Intent
        /// The keys, the most telling first.
        public let keys: [KeyPress]
        /// What they do, in a few words without a capital letter.
        public let text: String
        /// One word for the footer, or nil if it is not shown there.
        public let footer: String?

        init(_ intent: Intent, _ keys: [KeyPress], _ text: String, footer: String? = nil) {
            self.intent = intent
            self.keys = keys
            self.text = text
            self.footer = footer
        }

        /// The keys as they are shown: `↑ k`.
        public func keyNames(_ glyphs: Glyphs = .unicode) -> String {
            keys.map { KeyMap.name(of: $0, glyphs) }.joined(separator: " ")
        }
    }

    /// What a key means in a context; nil if it is not bound there.
    public static func intent(for key: KeyPress, in context: Context) -> Intent? { table[context]?[key] }

    /// The rows of a context, in the order of the help.
    public static func bindings(in context: Context) -> [Binding] {
        switch context {
        case .tree: tree
        case .filter: filter
        case .confirm: confirm
        case .help: help
        }
    }

    private static func key(_ character: Character) -> KeyPress { .character(character) }

    private static let tree: [Binding] = [
        Binding(.up, [KeyPress(.up), key("k")], "up one row", footer: "move"),
        Binding(.down, [KeyPress(.down), key("j")], "down one row"),
        Binding(.pageUp, [KeyPress(.pageUp)], "up one page"),
        Binding(.pageDown, [KeyPress(.pageDown)], "down one page"),
        Binding(.home, [KeyPress(.home), key("g")], "to the first row"),
        Binding(.end, [KeyPress(.end), key("G")], "to the last row"),
        Binding(.left, [KeyPress(.left), key("h")], "fold; again: to the node above", footer: "fold"),
        Binding(.right, [KeyPress(.right), key("l")], "unfold; again: to the first node inside"),
        Binding(.unfoldAll, [key("*")], "unfold everything"),
        Binding(.foldAll, [key("_")], "fold every chain to one row"),
        Binding(.detail, [KeyPress(.enter)], "show or hide the details of the selected node", footer: "detail"),
        Binding(.detailUp, [key("K")], "scroll the details up"),
        Binding(.detailDown, [key("J")], "scroll the details down"),
        Binding(.why, [key("w")], "why does it wait? go to the node that holds it up", footer: "why"),
        Binding(.cancelNode, [key("c")], "cancel the node and all under it (asks first)", footer: "cancel"),
        Binding(.cancelChain, [key("C")], "cancel its whole chain (asks first)"),
        Binding(.tag, [KeyPress(.character(" "))], "tag or untag; tagged nodes are cancelled and copied together"),
        Binding(.untag, [key("U")], "untag all"),
        Binding(.filter, [key("/")], "show only nodes that hold a text", footer: "filter"),
        Binding(.nextMatch, [key("n")], "to the next match"),
        Binding(.previousMatch, [key("N")], "to the match before"),
        Binding(.dim, [key("m")], "dim what does not match instead of hiding it"),
        Binding(.follow, [key("f")], "follow the newest chain", footer: "follow"),
        Binding(.freeze, [key("p")], "freeze the picture, or go on", footer: "freeze"),
        Binding(.copy, [key("y")], "copy the node, or the tagged ones, as text"),
        Binding(.edit, [key("e")], "open its call site in $EDITOR"),
        Binding(.output, [key("o")], "show or hide what a program writes that `chainview run` started"),
        Binding(.back, [KeyPress(.escape)], "back: close details, drop the filter, stop following"),
        Binding(.redraw, [.control("l")], "draw the screen anew"),
        Binding(.suspend, [.control("z")], "suspend"),
        Binding(.help, [key("?"), KeyPress(.function(1))], "this help", footer: "help"),
        Binding(.quit, [key("q"), .control("c")], "quit", footer: "quit"),
    ]

    private static let filter: [Binding] = [
        Binding(.accept, [KeyPress(.enter)], "keep the filter and go to the tree", footer: "keep"),
        Binding(.abort, [KeyPress(.escape)], "drop the filter", footer: "drop"),
        Binding(.up, [KeyPress(.up)], "up one row"),
        Binding(.down, [KeyPress(.down)], "down one row"),
        Binding(.quit, [.control("c")], "quit"),
    ]

    private static let confirm: [Binding] = [
        Binding(.yes, [key("y"), KeyPress(.enter)], "cancel them", footer: "yes"),
        Binding(.no, [key("n"), KeyPress(.escape), key("q")], "leave them alone", footer: "no"),
        Binding(.quit, [.control("c")], "quit"),
    ]

    private static let help: [Binding] = [
        Binding(.up, [KeyPress(.up), key("k")], "up", footer: "scroll"),
        Binding(.down, [KeyPress(.down), key("j")], "down"),
        Binding(.pageUp, [KeyPress(.pageUp)], "up one page"),
        Binding(.pageDown, [KeyPress(.pageDown), KeyPress(.character(" "))], "down one page"),
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

extension KeyMap {
    /// A key as it is shown with a set of glyphs.
    static func name(of key: KeyPress, _ glyphs: Glyphs) -> String {
        guard glyphs.charset == .ascii else { return key.description }
        switch key.key {
        case .up: return "Up"
        case .down: return "Down"
        case .left: return "Left"
        case .right: return "Right"
        default: return key.description
        }
    }

    /// What the footer says: the first key, or both arrows of a pair, and one word.
    static func footer(in context: Context, _ glyphs: Glyphs) -> [(key: String, word: String, intent: Intent)] {
        let isASCII = glyphs.charset == .ascii
        return bindings(in: context).compactMap { binding in
            guard let word = binding.footer else { return nil }
            var key = name(of: binding.keys[0], glyphs)
            switch binding.intent {
            case .up: key = isASCII ? "jk" : "↑↓"
            case .left: key = isASCII ? "hl" : "←→"
            case .detail, .accept: key = glyphs.enter
            default: break
            }
            return (key, word, binding.intent)
        }
    }

    /// The tables as Markdown: what the README holds between its marks, ending in a newline.
    public static func markdown() -> String {
        var text = ""
        for context in Context.allCases {
            text += (text.isEmpty ? "" : "\n") + "| \(context.rawValue.lowercased()) | |\n| --- | --- |\n"
            for binding in bindings(in: context) {
                let keys = binding.keys.map { "`\($0)`" }.joined(separator: " ")
                text += "| \(keys) | \(binding.text) |\n"
            }
        }
        return text
    }
}
