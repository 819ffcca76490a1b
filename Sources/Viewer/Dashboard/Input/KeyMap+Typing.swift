// SPDX-License-Identifier: MIT

import Frames

// The keys of the lines on which filters and commands are typed, of the list of marks, and of the question before a
// cancellation.
extension KeyMap {
    static let filter: [Binding] =
        [
            Binding(.accept, [KeyPress(.enter)], "apply the filter", footer: "apply"),
            Binding(.complete, [KeyPress(.tab)], "complete what is typed", footer: "complete"),
            Binding(.abort, [KeyPress(.escape)], "clear the filter", footer: "clear"),
            Binding(.up, [KeyPress(.up), .control("p")], "the filter before; then those of the configuration"),
            Binding(.down, [KeyPress(.down), .control("n")], "the filter after"),
            Binding(.quit, [.control("c")], "quit"),
        ] + line

    /// The keys that edit the text of a filter or a command, as in a shell.
    static let line: [Binding] = [
        Binding(
            .editLine, [KeyPress(.left), .control("b"), KeyPress(.right), .control("f")],
            "the cursor back or on"),
        Binding(
            .editLine, [KeyPress(.home), .control("a"), KeyPress(.end), .control("e")],
            "to the start or the end of the line"),
        Binding(.editLine, [.alt("b"), .alt("f")], "a word back or on"),
        Binding(
            .editLine, [.control("w"), .control("u"), .control("k")],
            "delete the word before, all before, all after the cursor"),
        Binding(
            .editLine, [KeyPress(.delete), .control("d"), .alt("d")],
            "delete the character or the word after the cursor"),
    ]

    static let command: [Binding] =
        [
            Binding(.accept, [KeyPress(.enter)], "do it", footer: "do it"),
            Binding(.complete, [KeyPress(.tab)], "complete what is typed", footer: "complete"),
            Binding(.up, [KeyPress(.up), .control("p")], "the command before"),
            Binding(.down, [KeyPress(.down), .control("n")], "the command after"),
            Binding(.abort, [KeyPress(.escape)], "close the line", footer: "close"),
            Binding(.quit, [.control("c")], "quit"),
        ] + line

    static let marks: [Binding] = [
        Binding(.up, [KeyPress(.up), key("k")], "to the mark before", footer: "move"),
        Binding(.down, [KeyPress(.down), key("j")], "to the next mark"),
        Binding(.pageUp, [KeyPress(.pageUp)], "up one page"),
        Binding(.pageDown, [KeyPress(.pageDown)], "down one page"),
        Binding(.home, [KeyPress(.home), key("g")], "to the first mark"),
        Binding(.end, [KeyPress(.end), key("G")], "to the last mark"),
        Binding(.accept, [KeyPress(.enter)], "show its moment", footer: "go"),
        Binding(.remove, [key("d"), KeyPress(.delete)], "remove the mark", footer: "remove"),
        Binding(.back, [KeyPress(.escape), key("q"), key("'")], "close", footer: "close"),
        Binding(.quit, [.control("c")], "quit"),
    ]

    static let confirm: [Binding] = [
        Binding(.yes, [key("y"), KeyPress(.enter)], "cancel them", footer: "cancel"),
        Binding(.no, [key("n"), KeyPress(.escape), key("q")], "keep them running", footer: "keep"),
        Binding(.quit, [.control("c")], "quit"),
    ]
}
