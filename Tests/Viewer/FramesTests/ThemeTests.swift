import Testing

@testable import Frames

/// The contrast of every theme, computed from the palette of 256 colours, also for colour-blind users.
@Suite struct ThemeTests {
    /// Roles that may be faint.
    private static let dim: Set<Role> = [.dim, .skipped]
    /// Lines, not text.
    private static let lines: Set<Role> = [.guide, .border]
    static let states: [Role] = [
        .waiting, .queued, .running, .pending, .fulfilled, .rejected, .cancelled, .skipped, .abandoned, .unknown,
    ]
    /// Themes with known colours.
    static let painted = Theme.all.filter { $0.name != "terminal" }

    /// Returns the colours in which a theme shows a style.
    private func lights(_ style: Style, _ theme: Theme) -> (front: Vision.Light, back: Vision.Light) {
        let look = theme.look(style, depth: .ansi256)
        let front = Vision.Light(look.foreground, orElse: theme.pictureColors.foreground)
        let back = Vision.Light(look.background, orElse: theme.pictureColors.background)
        return look.attributes.contains(.reversed) ? (back, front) : (front, back)
    }

    @Test func eachThemeHasAName() {
        #expect(Theme.all.map(\.name) == ["dark", "light", "high-contrast", "color-blind", "terminal"])
        for theme in Theme.all {
            #expect(Theme.named(theme.name) == theme && Theme.named(theme.name.uppercased()) == theme)
        }
        for other in ["colour-blind", "colorblind", "Colour Blind"] { #expect(Theme.named(other) == .colorBlind) }
        #expect(Theme.named("highcontrast") == .highContrast)
        #expect(Theme.named("") == nil && Theme.named("colour") == nil && Theme.named("darker") == nil)
    }

    @Test(arguments: painted) func textCanBeRead(_ theme: Theme) {
        for role in Role.allCases {
            for style in [Style(role), Style(role).selected] {
                let (front, back) = lights(style, theme)
                let contrast = Vision.contrast(front, back)
                var least = Self.lines.contains(role) ? 2 : Self.dim.contains(role) ? 3 : 4.5
                if theme == .highContrast { least = 7 }
                #expect(contrast >= least, "\(theme.name): \(style.name) has \(contrast)")
            }
        }
    }

    /// Text stays readable on other dark backgrounds than the theme's.
    @Test(arguments: ["#000000", "#1e1e1e"]) func darkThemesSuitOtherBackgrounds(_ background: String) {
        for theme in [Theme.dark, .colorBlind] {
            for role in Role.allCases where !Self.lines.contains(role) && !Self.dim.contains(role) {
                let look = theme.look(Style(role), depth: .ansi256)
                guard look.background < 0 else { continue }
                let front = Vision.Light(look.foreground, orElse: theme.pictureColors.foreground)
                let contrast = Vision.contrast(front, Vision.Light(-1, orElse: background))
                #expect(contrast >= 4.5, "\(theme.name): \(role) on \(background) has \(contrast)")
            }
        }
    }

    @Test(arguments: Vision.allCases) func theStatesDifferForTheColourBlind(_ vision: Vision) {
        for isSelected in [false, true] {
            for (index, one) in Self.states.enumerated() {
                for other in Self.states[(index + 1)...] {
                    let fronts = [one, other].map { role in
                        lights(isSelected ? Style(role).selected : Style(role), .colorBlind).front
                    }
                    let distance = vision.distance(fronts[0], fronts[1])
                    // The states that matter are distinct at a glance.
                    let isVital = [one, other].contains(.rejected) && [one, other].contains(.fulfilled)
                    let least = isVital ? 60.0 : 9
                    #expect(distance >= least, "\(vision): \(one) and \(other), selected: \(isSelected): \(distance)")
                }
            }
        }
    }

    /// The formulas, against published pairs.
    @Test func theFiguresAreRight() {
        func light(_ hex: String) -> Vision.Light { Vision.Light(-1, orElse: hex) }
        #expect(abs(Vision.contrast(light("#000000"), light("#ffffff")) - 21) < 0.001)
        #expect(abs(Vision.contrast(light("#767676"), light("#ffffff")) - 4.54) < 0.01)
        // CIELAB of red is 53.24, 80.09, 67.20; of black 0, 0, 0.
        #expect(abs(Vision.usual.distance(light("#ff0000"), light("#000000")) - 117.34) < 0.1)
        // Red and green of one brightness are one colour to a deuteranope, nearly.
        let (red, green) = (light("#c80000"), light("#6b7a00"))
        #expect(Vision.deutan.distance(red, green) < Vision.usual.distance(red, green) / 4)
        #expect(Palette.hex(16) == "#000000" && Palette.hex(231) == "#ffffff" && Palette.hex(232) == "#080808")
        #expect(Palette.hex(203) == "#ff5f5f" && Palette.hex(255) == "#eeeeee")
    }

    @Test func theTerminalThemeUsesTheTerminalsPalette() {
        for raw in 0..<Style.count {
            for depth in [ColorDepth.ansi8, .ansi16, .ansi256] {
                let look = Theme.terminal.look(Style(rawValue: UInt16(raw)), depth: depth)
                #expect(look.foreground < 8 && look.background < 8)
                // On the selected row the theme sets both colours.
                if Style(rawValue: UInt16(raw)).modifiers.contains(.selected) {
                    #expect(look.foreground == -1 && look.background == -1)
                }
            }
        }
    }

    /// On a white terminal yellow text cannot be read.
    @Test func theTerminalThemeHasNoYellowText() {
        for role in Role.allCases {
            let look = Theme.terminal.look(Style(role), depth: .ansi256)
            #expect(look.foreground != 3, "\(role)")
            #expect(look.background < 0 || look.foreground == 0, "\(role) is dark on a colour")
        }
    }

    @Test(arguments: painted) func sixteenColorsAreEnough(_ theme: Theme) {
        for role in Role.allCases {
            for style in [Style(role), Style(role).selected] {
                for depth in [ColorDepth.ansi8, .ansi16] {
                    let look = theme.look(style, depth: depth)
                    #expect(look.foreground != look.background || look.foreground < 0, "\(style.name) \(depth)")
                    let hasScreenBackground = theme.isLight || theme == .highContrast
                    #expect(
                        !hasScreenBackground || (look.foreground >= 0 && look.background >= 0), "\(style.name) \(depth)"
                    )
                }
            }
        }
    }

    /// The sixteen colours of Linux's console, where bold text is bright, and of xterm.
    private static let consoles: [(colors: [String], brightensBold: Bool)] = [
        (
            [
                "#000000", "#aa0000", "#00aa00", "#aa5500", "#0000aa", "#aa00aa", "#00aaaa", "#aaaaaa", "#555555",
                "#ff5555", "#55ff55", "#ffff55", "#5555ff", "#ff55ff", "#55ffff", "#ffffff",
            ], true
        ),
        (
            [
                "#000000", "#cd0000", "#00cd00", "#cdcd00", "#0000ee", "#cd00cd", "#00cdcd", "#e5e5e5", "#7f7f7f",
                "#ff0000", "#00ff00", "#ffff00", "#5c5cff", "#ff00ff", "#00ffff", "#ffffff",
            ], false
        ),
    ]

    @Test(arguments: painted) func textCanBeReadInSixteenColors(_ theme: Theme) {
        for role in Role.allCases where !Self.lines.contains(role) {
            for style in [Style(role), Style(role).selected] {
                for (depth, console) in [ColorDepth.ansi8, .ansi16].flatMap({ depth in
                    Self.consoles.map { (depth, $0) }
                }) {
                    let look = theme.look(style, depth: depth)
                    let isBright = console.brightensBold && look.attributes.contains(.bold) && look.foreground < 8
                    let front = look.foreground < 0 ? 7 : Int(look.foreground) + (isBright ? 8 : 0)
                    let contrast = Vision.contrast(
                        Vision.Light(-1, orElse: console.colors[front]),
                        Vision.Light(-1, orElse: console.colors[Int(max(look.background, 0))]))
                    let least = style.modifiers.contains(.selected) ? 4.5 : 2.5
                    #expect(contrast >= least, "\(theme.name): \(style.name), \(depth), \(look): \(contrast)")
                }
            }
        }
    }
}

extension Theme: CustomTestStringConvertible {
    /// The theme's name.
    public var testDescription: String { name }
}

// SPDX-License-Identifier: MIT
