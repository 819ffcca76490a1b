// SPDX-License-Identifier: MIT

extension Frame {
    /// Returns the frame as text with 256 colours, one line per row, for programs that understand terminals' control
    /// sequences: `cat`, `less -R`, converters to HTML.
    ///
    /// Each line begins and ends in the terminal's default look; trailing blanks in that look are left out.
    package func ansi(theme: Theme) -> String {
        var text = ""
        for row in 0..<size.rows {
            var line = ""
            var shown = Look()
            var end = 0
            for run in styleRuns(row) {
                let look = theme.look(run.style, depth: .ansi256)
                if look != shown { line += Frame.sequence(look) }
                shown = look
                for column in run.columns {
                    self[row, column].forEachScalar { line.unicodeScalars.append($0) }
                    let isBlank = self[row, column].scalar == 0x20 && self[row, column].marks == 0
                    if !isBlank || look != Look() { end = line.unicodeScalars.count }
                }
            }
            text.unicodeScalars.append(contentsOf: line.unicodeScalars.prefix(end))
            if line.unicodeScalars.prefix(end).contains("\u{1b}") { text += "\u{1b}[0m" }
            text += "\n"
        }
        return text
    }

    private static func sequence(_ look: Look) -> String {
        var codes = ["0"]
        let attributes: [(Style.Modifiers, String)] = [
            (.bold, "1"), (.dimmed, "2"), (.italic, "3"), (.underlined, "4"), (.reversed, "7"),
        ]
        codes += attributes.filter { look.attributes.contains($0.0) }.map(\.1)
        codes += color(look.foreground, 30) + color(look.background, 40)
        return "\u{1b}[" + codes.joined(separator: ";") + "m"
    }

    /// Returns the codes of a colour; `base` is 30 for foregrounds, 40 for backgrounds. The first 16 colours use their
    /// own codes, because users configure these 16 colours.
    private static func color(_ number: Int16, _ base: Int16) -> [String] {
        switch number {
        case ..<0: []
        case 0..<8: ["\(base + number)"]
        case 8..<16: ["\(base + 60 + number - 8)"]
        default: ["\(base + 8)", "5", "\(number)"]
        }
    }
}
