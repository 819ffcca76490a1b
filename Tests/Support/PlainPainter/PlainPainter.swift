import Frames
import Terminal

extension ScreenPainter {
    /// Returns a painter with xterm's sequences, without terminfo, for tests' virtual terminals.
    package static func plain(_ depth: ColorDepth = .ansi256, scrollsAtEnd: Bool = false) -> ScreenPainter {
        ScreenPainter(
            depth: depth, clear: Array("\u{1B}[m\u{1B}[H\u{1B}[2J".utf8), scrollsAtEnd: scrollsAtEnd,
            move: { Array("\u{1B}[\($0 + 1);\($1 + 1)H".utf8) },
            look: { look in
                var text = "\u{1B}[0"
                if look.attributes.contains(.bold) { text += ";1" }
                if look.attributes.contains(.underlined) { text += ";4" }
                if look.attributes.contains(.reversed) { text += ";7" }
                if look.foreground >= 0 { text += ";38;5;\(look.foreground)" }
                if look.background >= 0 { text += ";48;5;\(look.background)" }
                return Array((text + "m").utf8)
            })
    }
}

// SPDX-License-Identifier: MIT
