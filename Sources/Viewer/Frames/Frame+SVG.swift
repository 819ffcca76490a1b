// SPDX-License-Identifier: MIT

extension Frame {
    /// Returns the frame as an SVG picture of a terminal window, as in the README.
    ///
    /// Each run of ASCII text has its own position and length on a monospaced grid, so that columns line up in any
    /// font. Other characters are placed cell by cell.
    package func svg(theme: Theme = .dark, title: String = "chainview") -> String {
        var picture = SVGPicture(frame: self, theme: theme)
        return picture.draw(title: title)
    }
}

struct SVGPicture {
    /// The size of a cell, in pixels.
    private let cell = (width: 8.4, height: 18.0)
    /// The margin around the grid, in pixels.
    private let margin = 14.0
    /// The height of the bar with the dots, in pixels.
    private let bar = 36.0
    private let frame: Frame
    private let theme: Theme
    private var out = ""

    init(frame: Frame, theme: Theme) {
        self.frame = frame
        self.theme = theme
    }

    mutating func draw(title: String) -> String {
        let width = Double(frame.size.columns) * cell.width + 2 * margin
        let height = Double(frame.size.rows) * cell.height + bar + margin
        out = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(short(width)) \(short(height))" \
            width="\(short(width))" height="\(short(height))" role="img" aria-label="\(escaped(title))">
            <style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;\
            white-space:pre}.b{font-weight:700}.i{font-style:italic}.u{text-decoration:underline}.d{opacity:.65}</style>
            <rect x="0.5" y="0.5" width="\(short(width - 1))" height="\(short(height - 1))" rx="9" \
            fill="\(theme.pictureColors.background)" stroke="#3a3f4b"/>
            <g><circle cx="20" cy="18" r="6" fill="#ff5f57"/><circle cx="40" cy="18" r="6" fill="#febc2e"/>\
            <circle cx="60" cy="18" r="6" fill="#28c840"/></g>
            <text x="\(short(width / 2))" y="23" text-anchor="middle" fill="#8b909c">\(escaped(title))</text>

            """
        for row in 0..<frame.size.rows {
            let runs = frame.styleRuns(row)
            drawBackgrounds(runs, row)
            for run in runs { drawText(run, row) }
        }
        return out + "</svg>\n"
    }

    /// Draws the backgrounds of a row. Adjacent runs of one colour share a rectangle, because seams would show.
    private mutating func drawBackgrounds(_ runs: [(columns: Range<Int>, style: Style)], _ row: Int) {
        var index = 0
        while index < runs.count {
            let first = runs[index].columns.lowerBound
            let color = colors(runs[index].style).background
            while index + 1 < runs.count, colors(runs[index + 1].style).background == color { index += 1 }
            if let color {
                out += """
                    <rect x="\(x(first))" y="\(short(bar + Double(row) * cell.height))" \
                    width="\(short(Double(runs[index].columns.upperBound - first) * cell.width))" \
                    height="\(short(cell.height))" fill="\(color)"/>

                    """
            }
            index += 1
        }
    }

    /// Draws a box character as lines, so that the lines of neighbouring cells meet. Returns false for any other
    /// character.
    private mutating func drawLine(_ scalar: UInt32, _ row: Int, _ column: Int, _ color: String) -> Bool {
        guard let ends = SVGPicture.lines[scalar] else { return false }
        let centre = (x: margin + (Double(column) + 0.5) * cell.width, y: bar + (Double(row) + 0.5) * cell.height)
        var path = ""
        for (letter, dx, dy) in [("u", 0, -1), ("d", 0, 1), ("l", -1, 0), ("r", 1, 0)] where ends.contains(letter) {
            let end = (x: centre.x + Double(dx) * cell.width / 2, y: centre.y + Double(dy) * cell.height / 2)
            path += "M\(short(centre.x)) \(short(centre.y))L\(short(end.x)) \(short(end.y))"
        }
        out += "<path d=\"\(path)\" stroke=\"\(color)\" stroke-width=\"\(ends.contains("b") ? "2.5" : "1.2")\"/>\n"
        return true
    }

    /// The lines of each box character: up (`u`), down (`d`), left (`l`) and right (`r`); with `b` they are bold.
    private static let lines: [UInt32: String] = [
        0x2500: "lr", 0x2502: "ud", 0x2503: "udb", 0x250C: "dr", 0x2510: "dl", 0x2514: "ur", 0x2518: "ul",
        0x251C: "udr",
        0x2524: "udl", 0x252C: "dlr", 0x2534: "ulr", 0x253C: "udlr", 0x256D: "dr", 0x256E: "dl", 0x256F: "ul",
        0x2570: "ur",
    ]

    private mutating func drawText(_ run: (columns: Range<Int>, style: Style), _ row: Int) {
        var column = run.columns.lowerBound
        while column < run.columns.upperBound {
            let first = frame[row, column]
            guard first.scalar != 0x20, first.scalar != 0 else {
                column += 1
                continue
            }
            if drawLine(first.scalar, row, column, colors(run.style).foreground) {
                column += 1
                continue
            }
            var text = first.text
            var end = column + first.width
            // A run of ASCII is one element; two consecutive blanks end it.
            while first.isASCII, end < run.columns.upperBound, frame[row, end].isASCII,
                frame[row, end].scalar != 0x20
                    || (end + 1 < run.columns.upperBound && frame[row, end + 1].isASCII
                        && frame[row, end + 1].scalar != 0x20)
            {
                text += frame[row, end].text
                end += 1
            }
            let color = colors(run.style)
            let length = first.isASCII ? " textLength=\"\(short(Double(end - column) * cell.width))\"" : ""
            out += """
                <text x="\(x(column))" y="\(short(bar + Double(row) * cell.height + 13.5))"\(length) \
                fill="\(color.foreground)"\(classes(run.style))>\(escaped(text))</text>

                """
            column = max(end, column + 1)
        }
    }

    private func colors(_ style: Style) -> (foreground: String, background: String?) {
        let look = theme.look(style, depth: .ansi256)
        let front = look.foreground < 0 ? theme.pictureColors.foreground : Palette.hex(look.foreground)
        let back = look.background < 0 ? nil : Palette.hex(look.background)
        return look.attributes.contains(.reversed) ? (back ?? theme.pictureColors.background, front) : (front, back)
    }

    private func classes(_ style: Style) -> String {
        let look = theme.look(style, depth: .ansi256).attributes
        var names: [String] = []
        if look.contains(.bold) { names.append("b") }
        if look.contains(.italic) { names.append("i") }
        if look.contains(.underlined) { names.append("u") }
        if look.contains(.dimmed) { names.append("d") }
        return names.isEmpty ? "" : " class=\"\(names.joined(separator: " "))\""
    }

    private func x(_ column: Int) -> String { short(margin + Double(column) * cell.width) }

    private func short(_ value: Double) -> String {
        let tenths = Int(value * 10 + 0.5)
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }

    private func escaped(_ text: String) -> String {
        var result = ""
        for character in SafeText.line(text).unicodeScalars {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}
