// SPDX-License-Identifier: MIT

/// The glyphs that frames are drawn with, in two sets. Each glyph takes one column, except
/// ``enter`` and ``atLeast`` in ASCII.
package struct Glyphs: Hashable, Sendable {
    /// The characters that a frame drawn with these glyphs may hold.
    package let charset: Charset
    /// `unicode` or `ascii`, as golden frames name it.
    package let name: String

    /// The states of a node.
    package let waiting, queued, running, pending, fulfilled, rejected, cancelled, skipped, abandoned, unknown: String
    /// Marks besides a state: cancellation was requested; a handler still runs although the node is settled.
    package let cancelRequested, stillRunning: String

    /// The tree: a line passing by, a child, the last child, and the dash in front of a node.
    package let guideLine, guideBranch, guideLast, guideDash: String
    /// The glyph in front of a node: its children are shown (`unfolded`) or hidden (`folded`).
    package let unfolded, folded: String

    /// The lines and corners of a box.
    package let horizontal, vertical, topLeft, topRight, bottomLeft, bottomRight: String

    /// Glyphs in texts and rows, named after their shape or their meaning.
    package let up, down, left, right, enter, ellipsis, dot, live, lost, frozen, ascending, descending, tagged,
        taggedInside, pinned, prompt, change, atLeast: String
    /// The track and the thumb of a scroll bar.
    package let scrollTrack, scrollThumb: String
    /// Eight steps of a bar, rising; the first is the lowest that is not empty.
    package let bars: [String]

    /// For terminals and locales that have Unicode.
    package static let unicode = Glyphs(
        charset: .unicode, name: "unicode",
        waiting: "◌", queued: "◎", running: "●", pending: "◍", fulfilled: "✔", rejected: "✖", cancelled: "⊘",
        skipped: "↷", abandoned: "◇", unknown: "?", cancelRequested: "⨯", stillRunning: "◷",
        guideLine: "│", guideBranch: "├", guideLast: "└", guideDash: "─", unfolded: "▾", folded: "▸",
        horizontal: "─", vertical: "│", topLeft: "╭", topRight: "╮", bottomLeft: "╰", bottomRight: "╯",
        up: "↑", down: "↓", left: "←", right: "→", enter: "⏎", ellipsis: "…", dot: "·",
        live: "●", lost: "○", frozen: "‖", ascending: "▴", descending: "▾", tagged: "◆", taggedInside: "◈", pinned: "⚑",
        prompt: "›", change: "Δ", atLeast: "≥",
        scrollTrack: "│",
        scrollThumb: "┃", bars: ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"])

    /// For `--ascii`, locales without Unicode, and the console of Linux.
    package static let ascii = Glyphs(
        charset: .ascii, name: "ascii",
        waiting: ".", queued: ":", running: "*", pending: "o", fulfilled: "+", rejected: "x", cancelled: "/",
        skipped: "-", abandoned: "!", unknown: "?", cancelRequested: "~", stillRunning: "&",
        guideLine: "|", guideBranch: "|", guideLast: "`", guideDash: "-", unfolded: "v", folded: ">",
        horizontal: "-", vertical: "|", topLeft: "+", topRight: "+", bottomLeft: "+", bottomRight: "+",
        up: "^", down: "v", left: "<", right: ">", enter: "Enter", ellipsis: "~", dot: "-",
        live: "*", lost: "o", frozen: "=", ascending: "^", descending: "v", tagged: "#", taggedInside: "@", pinned: "P",
        prompt: ">", change: "+", atLeast: ">=",
        scrollTrack: "|",
        scrollThumb: "#", bars: [".", ":", "-", "=", "+", "*", "%", "#"])

    /// Returns the set for a charset.
    package static func of(_ charset: Charset) -> Glyphs { charset == .unicode ? unicode : ascii }

    /// Returns the glyph of a state of a node or chain; a space for a role that is not a state.
    package func state(_ role: Role) -> String {
        switch role {
        case .waiting: waiting
        case .queued: queued
        case .running: running
        case .pending: pending
        case .fulfilled: fulfilled
        case .rejected: rejected
        case .cancelled: cancelled
        case .skipped: skipped
        case .abandoned: abandoned
        case .unknown: unknown
        case .recovered: fulfilled
        default: " "
        }
    }
}

// Texts as frames with these glyphs show them.
extension Glyphs {
    /// Returns the number of columns that a text takes.
    package func width(of text: String) -> Int { TextWidth.of(text, charset: charset) }

    /// Returns the safe form of a text.
    package func safe(_ text: String) -> String { SafeText.line(text, charset: charset) }

    /// Returns the safe form of a text in at most `columns` columns, with an ellipsis if it was cut.
    package func cut(_ text: String, to columns: Int) -> String {
        SafeText.cut(text, to: columns, ellipsis: ellipsis, charset: charset)
    }
}
