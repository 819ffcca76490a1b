// SPDX-License-Identifier: MIT

import ChainModel
import ChainText
import Frames

/// An event as a line of text: time of day, thread and event in columns of fixed width, then node and text. Texts of
/// the program are escaped.
package struct EventLine: Sendable {
    /// The glyphs, and whether all text is reduced to ASCII.
    package var glyphs: Glyphs
    /// Seconds to add to UTC for times of day.
    package var clockOffset: Int

    /// Writes times of day in UTC plus an offset in seconds.
    package init(glyphs: Glyphs = .unicode, clockOffset: Int = 0) {
        self.glyphs = glyphs
        self.clockOffset = clockOffset
    }

    private static let threadWidth = 14

    /// Returns the line, without a newline.
    ///
    /// - Parameters:
    ///   - text: the event's dynamic text.
    ///   - forest: the forest after the event.
    ///   - wallOffset: what to add to the event's time to get nanoseconds since 1970.
    package func text(
        _ event: ChainEvent, text: String?, in forest: borrowing ChainForest, wallOffset: UInt64
    ) -> String {
        let thread = event.thread == 0 ? "" : forest.threads[event.thread] ?? "\(event.thread)"
        let shownThread = glyphs.cut(thread, to: Self.threadWidth)
        let width = glyphs.width(of: shownThread)
        var name = "\(event.node)"
        if let node = forest.index(of: event.node) { name += " " + NodeText.name(of: node, in: forest) }
        let detail = EventText.detail(of: event, text: text, in: forest).text
        let word = EventText.word(event.kind)
        var line = ClockText.milliseconds(event.time &+ wallOffset, offset: clockOffset) + "  " + shownThread
        line += String(repeating: " ", count: max(0, Self.threadWidth - width) + 2) + word
        line += String(repeating: " ", count: max(0, EventText.wordWidth - word.count) + 2) + safe(name)
        return detail.isEmpty ? line : line + "  " + safe(detail)
    }

    private func safe(_ text: String) -> String { glyphs.safe(text) }
}
