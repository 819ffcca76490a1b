import Frames
import GoldenSupport
import Testing

@testable import Dashboard

/// One screen in each theme: the frame, and the colours and attributes of each style in it.
@Suite struct ThemeGoldenTests {
    @Test(arguments: Theme.all.map(\.name)) func theme(_ name: String) throws {
        let theme = try #require(Theme.named(name))
        var screen = GoldenTests.checkout(120, 24, options: State.Options(theme: theme))
        screen.go(to: 203)
        let frame = screen.frame
        var text = screen.golden()
        for style in Set(frame.styles).sorted(by: { $0.name < $1.name }) {
            let looks = [ColorDepth.ansi256, .ansi16, .ansi8, .none].map { Self.words(theme.look(style, depth: $0)) }
            text += "\(style.name): \(looks.joined(separator: " | "))\n"
        }
        let complaint = Golden.complaint(about: text, named: "theme/\(name)-120x24")
        #expect(complaint == nil)
    }

    /// Returns a look as text, such as `203 on 237 bold`; `-` is the terminal's own colour.
    private static func words(_ look: Look) -> String {
        let front = look.foreground < 0 ? "-" : "\(look.foreground)"
        let back = look.background < 0 ? "" : " on \(look.background)"
        let stress = Style(.normal, look.attributes).name.split(separator: ".").dropFirst()
        return ([front + back] + stress.map(String.init)).joined(separator: " ")
    }
}

extension Frame {
    /// The style of each cell.
    fileprivate var styles: [Style] {
        (0..<size.rows).flatMap { row in (0..<size.columns).map { self[row, $0].style } }
    }
}

// SPDX-License-Identifier: MIT
