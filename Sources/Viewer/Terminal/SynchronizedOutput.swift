// SPDX-License-Identifier: MIT

/// The terminal's private mode 2026: output between its beginning and end is shown in one step, so that no frame is
/// seen half drawn (https://contour-terminal.org/vt-extensions/synchronized-output/).
enum SynchronizedOutput {
    static let mode = 2026
    /// DECRQM: the terminal answers `ESC [ ? 2026 ; Ps $ y`, or not at all.
    static let query = Array("\u{1B}[?2026$p".utf8)
    static let begin = Array("\u{1B}[?2026h".utf8)
    static let end = Array("\u{1B}[?2026l".utf8)
    /// Output of at most this many bytes, like a clock's digits, is sent without the mode, because so little is hardly
    /// ever seen half drawn.
    static let plainByteLimit = 64

    /// Returns whether a terminal may be queried. The terminals listed in the body would show the query as text.
    static func mayQuery(terminal: String) -> Bool {
        !["linux", "vt52", "cons25", "sun"].contains { terminal == $0 || terminal.hasPrefix($0 + "-") }
    }
}
