// SPDX-License-Identifier: MIT

/// The number of colours that a terminal has.
package enum ColorDepth: Int, Comparable, CaseIterable, Sendable {
    /// No colours: only attributes, such as bold, underlined and reversed.
    case none = 0
    /// The eight ANSI colours.
    case ansi8 = 8
    /// The eight ANSI colours and their bright forms.
    case ansi16 = 16
    /// The palette of 256 colours.
    case ansi256 = 256

    /// Returns whether one terminal has fewer colours than another.
    package static func < (left: ColorDepth, right: ColorDepth) -> Bool { left.rawValue < right.rawValue }
}

/// A colour, for terminals with 256 colours and for terminals with 16 colours.
package struct Color: Hashable, Sendable {
    /// The number among 256: 0 to 15 are the terminal's own, then a 6×6×6 cube and 24 greys. -1 is the terminal's
    /// default.
    package var of256: Int16
    /// The number among 16: 8 colours and their bright forms. -1 is the terminal's default.
    package var of16: Int16

    /// Makes a colour of its numbers among 256 and among 16.
    package init(_ of256: Int16, _ of16: Int16) {
        self.of256 = of256
        self.of16 = of16
    }

    /// The terminal's default foreground or background.
    package static let standard = Color(-1, -1)
}

/// The look of a style on a terminal: colour numbers (-1 for the terminal's default) and attributes.
package struct Look: Hashable, Sendable {
    /// The number of the foreground; -1 is the terminal's default.
    package var foreground: Int16 = -1
    /// The number of the background; -1 is the terminal's default.
    package var background: Int16 = -1
    /// Attributes by the names of ``Style/Modifiers``; `selected` is never among them.
    package var attributes: Style.Modifiers = []

    /// Describes a look; by default the terminal's own.
    package init(foreground: Int16 = -1, background: Int16 = -1, attributes: Style.Modifiers = []) {
        self.foreground = foreground
        self.background = background
        self.attributes = attributes
    }
}

/// The colours of each role. Calm greys for text; colour means state.
package struct Theme: Hashable, Sendable {
    /// One role's colours and stress.
    package struct Entry: Hashable, Sendable {
        /// The foreground.
        package var foreground: Color
        /// The background; nil for the theme's background.
        package var background: Color?
        /// The foreground on the selected row in 256 colours, as ``Color/of256``.
        package var selected: Int16
        /// Stress that belongs to the role.
        package var modifiers: Style.Modifiers

        /// Describes an entry. By default: the theme's background, the same colour on the selected row, and no stress.
        package init(
            _ foreground: Color, on background: Color? = nil, selected: Int16? = nil, _ modifiers: Style.Modifiers = []
        ) {
            self.foreground = foreground
            self.background = background
            self.selected = selected ?? foreground.of256
            self.modifiers = modifiers
        }
    }

    /// How the selected row is distinguished in 256 colours. With fewer colours its foreground and background are
    /// exchanged, because most of the colours cannot be read on a bar of another one.
    package enum Selection: Hashable, Sendable {
        /// By its background, a number as ``Color/of256``.
        case background(Int16)
        /// By exchanging the terminal's own foreground and background, whatever colours the roles have.
        case reversed
    }

    /// The name in options, configuration and golden frames.
    package let name: String
    /// Whether text is darker than its background.
    package let isLight: Bool
    /// The background of the screen.
    package let screenBackground: Color
    /// How the selected row is distinguished.
    package let selection: Selection
    /// The background and foreground in pictures where the theme leaves them to the terminal, as `#rrggbb`.
    package let pictureColors: (background: String, foreground: String)
    /// The entries, by the raw value of ``Role``.
    private let entries: [Entry]
    /// The stress that replaces colours on a terminal without colours, by the raw value of ``Role``.
    private let colorlessStress: [Style.Modifiers]

    init(
        _ name: String, isLight: Bool = false, screenBackground: Color = .standard, selection: Selection,
        pictureColors: (background: String, foreground: String), _ entry: (Role) -> Entry
    ) {
        self.name = name
        self.isLight = isLight
        self.screenBackground = screenBackground
        self.selection = selection
        self.pictureColors = pictureColors
        entries = Role.allCases.map(entry)
        colorlessStress = Role.allCases.map(Self.stress)
    }

    /// Returns the look of a style on a terminal of a given depth.
    package func look(_ style: Style, depth: ColorDepth) -> Look {
        let entry = entries[Int(style.role.rawValue)]
        var attributes = style.modifiers.subtracting(.selected)
        let isSelected = style.modifiers.contains(.selected)
        guard depth != .none else {
            attributes.formUnion(colorlessStress[Int(style.role.rawValue)])
            if isSelected { attributes.formSymmetricDifference(.reversed) }
            return Look(attributes: attributes)
        }
        attributes.formUnion(entry.modifiers)
        let background = entry.background ?? screenBackground
        if isSelected, selection == .reversed {
            attributes.subtract(.dimmed)
            attributes.formSymmetricDifference(.reversed)
            return Look(attributes: attributes)
        }
        if depth == .ansi256 {
            guard isSelected, case .background(let bar) = selection else {
                return Look(foreground: entry.foreground.of256, background: background.of256, attributes: attributes)
            }
            return Look(foreground: entry.selected, background: bar, attributes: attributes)
        }
        var look = Look(foreground: entry.foreground.of16, background: background.of16, attributes: attributes)
        if isSelected {
            let (front, back) = exchangedColors
            // A bar with these colours is exchanged again, so that the selected row of it differs, too.
            let isBar = (look.foreground, look.background) == (front, back)
            (look.foreground, look.background) = isBar ? (back, front) : (front, back)
            look.attributes.subtract(.dimmed)
            // The bar hides the background by which a match differs.
            if style.role == .match { look.attributes.insert(.underlined) }
        }
        if depth == .ansi8 { look = withoutBrightColors(look) }
        // Many terminals show bold text in the bright colour, which for black is a grey.
        if look.foreground == 0 { look.attributes.subtract(.bold) }
        return look
    }

    /// The foreground and background of the selected row in 16 colours.
    private var exchangedColors: (foreground: Int16, background: Int16) {
        let text = entries[Int(Role.normal.rawValue)].foreground.of16
        return (max(screenBackground.of16, 0), text < 0 ? 7 : text)
    }

    /// Returns a look with the eight colours only: bold and dimmed stand for bright colours.
    private func withoutBrightColors(_ look: Look) -> Look {
        var look = look
        if look.foreground == 8 {
            look.foreground = isLight ? 0 : 7
            look.attributes.insert(.dimmed)
        } else if look.foreground == 12 {
            // Cyan, because plain blue can hardly be read on black.
            look.foreground = 6
        } else if look.foreground > 8 {
            look.foreground -= 8
            look.attributes.insert(.bold)
        }
        if look.background > 7 { look.background -= 8 }
        if look.foreground == look.background, look.foreground >= 0 { look.foreground = look.background == 7 ? 0 : 7 }
        // Bright colours cannot be read on the grey that stands for white.
        if isLight { look.attributes.subtract(.bold) }
        return look
    }

    /// Compares the names and the looks.
    package static func == (left: Theme, right: Theme) -> Bool {
        left.name == right.name && left.entries == right.entries && left.selection == right.selection
            && left.screenBackground == right.screenBackground
    }

    /// Hashes the name.
    package func hash(into hasher: inout Hasher) { hasher.combine(name) }

    private static func stress(_ role: Role) -> Style.Modifiers {
        switch role {
        case .header, .selected: .reversed
        case .headerAccent: [.reversed, .bold]
        case .key, .running, .rejected, .error, .warning, .title, .abandoned: .bold
        case .match: .underlined
        default: []
        }
    }
}

extension Theme {
    /// All themes, in the order in which they are offered.
    package static let all: [Theme] = [.dark, .light, .highContrast, .colorBlind, .terminal]

    /// Returns the theme of a name; nil if no theme has that name. Case, hyphens and the spelling of colour do not
    /// matter.
    package static func named(_ name: String) -> Theme? {
        func normalized(_ text: String) -> String {
            let letters = text.lowercased().filter { $0 != "-" && $0 != " " && $0 != "_" }
            return letters.hasPrefix("colour") ? "color" + letters.dropFirst("colour".count) : letters
        }
        return all.first { normalized($0.name) == normalized(name) }
    }
}

extension Theme.Entry {
    init(_ foreground: Color, _ modifiers: Style.Modifiers) { self.init(foreground, on: nil, modifiers) }
}
