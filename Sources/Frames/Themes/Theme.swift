/// How many colours a terminal has.
public enum ColorDepth: Int, Comparable, CaseIterable, Sendable {
    /// Bold, underlined and reversed only.
    case none = 0
    /// The eight of ANSI.
    case ansi8 = 8
    /// Those and their bright forms.
    case ansi16 = 16
    /// The palette of 256.
    case ansi256 = 256

    /// By number.
    public static func < (left: ColorDepth, right: ColorDepth) -> Bool { left.rawValue < right.rawValue }
}

/// A colour, for terminals with 256 and with 16 of them.
public struct Color: Hashable, Sendable {
    /// Of the 256: 0 to 15 are the terminal's own, then a 6×6×6 cube and 24 greys. -1 is the terminal's default.
    public var of256: Int16
    /// Of the 16: 8 colours and their bright forms. -1 is the terminal's default.
    public var of16: Int16

    /// Takes both forms.
    public init(_ of256: Int16, _ of16: Int16) {
        self.of256 = of256
        self.of16 = of16
    }

    /// What the terminal has for it.
    public static let standard = Color(-1, -1)
}

/// What a terminal is told: colour numbers (-1 for its default) and attributes.
public struct Look: Hashable, Sendable {
    /// The text's; -1 is the terminal's default.
    public var foreground: Int16 = -1
    /// What is behind it; -1 is the terminal's default.
    public var background: Int16 = -1
    /// Attributes by the names of ``Style/Modifiers``; `selected` is never among them.
    public var attributes: Style.Modifiers = []

    /// Describes a look; the terminal's own by default.
    public init(foreground: Int16 = -1, background: Int16 = -1, attributes: Style.Modifiers = []) {
        self.foreground = foreground
        self.background = background
        self.attributes = attributes
    }
}

/// The colours of each role. Calm greys for text; colour means state.
public struct Theme: Hashable, Sendable {
    /// One role's colours and stress.
    public struct Entry: Hashable, Sendable {
        /// The text's.
        public var foreground: Color
        /// What is behind it; nil is what is behind everything.
        public var background: Color?
        /// The text's on the selected row.
        public var selected: Color
        /// Stress that belongs to the role.
        public var modifiers: Style.Modifiers

        /// Describes an entry; on the background of the theme, in the same colour on the selected row, and without
        /// stress, by default.
        public init(
            _ foreground: Color, on background: Color? = nil, selected: Color? = nil, _ modifiers: Style.Modifiers = []
        ) {
            self.foreground = foreground
            self.background = background
            self.selected = selected ?? foreground
            self.modifiers = modifiers
        }
    }

    /// How the selected row is told from the others.
    public enum Selection: Hashable, Sendable {
        /// By what is behind it.
        case background(Color)
        /// By the terminal's own foreground and background, exchanged, whatever the roles are.
        case reversed
    }

    /// As options, configuration and golden frames name it.
    public let name: String
    /// Whether text is darker than what is behind it.
    public let isLight: Bool
    /// Behind everything.
    public let paper: Color
    /// The selected row.
    public let selection: Selection
    /// `#rrggbb` of the background and foreground where the theme leaves them to the terminal, for pictures.
    public let page: (background: String, foreground: String)
    /// By the raw value of ``Role``.
    private let entries: [Entry]
    /// Stress that replaces colours where there are none.
    private let plain: [Style.Modifiers]

    init(
        _ name: String, isLight: Bool = false, paper: Color = .standard, selection: Selection,
        page: (background: String, foreground: String), _ entry: (Role) -> Entry
    ) {
        self.name = name
        self.isLight = isLight
        self.paper = paper
        self.selection = selection
        self.page = page
        entries = Role.allCases.map(entry)
        plain = Role.allCases.map(Self.stress)
    }

    /// What a terminal of some depth is told for a style.
    public func look(_ style: Style, depth: ColorDepth) -> Look {
        let entry = entries[Int(style.role.rawValue)]
        var attributes = style.modifiers.subtracting(.selected)
        let isSelected = style.modifiers.contains(.selected)
        guard depth != .none else {
            attributes.formUnion(plain[Int(style.role.rawValue)])
            if isSelected { attributes.formSymmetricDifference(.reversed) }
            return Look(attributes: attributes)
        }
        attributes.formUnion(entry.modifiers)
        var foreground = isSelected ? entry.selected : entry.foreground
        var background = entry.background ?? paper
        if isSelected {
            switch selection {
            case .background(let color): background = color
            case .reversed:
                (foreground, background) = (.standard, .standard)
                attributes.subtract(.dimmed)
                attributes.formSymmetricDifference(.reversed)
            }
        }
        if depth == .ansi256 {
            return Look(foreground: foreground.of256, background: background.of256, attributes: attributes)
        }
        let look = Look(foreground: foreground.of16, background: background.of16, attributes: attributes)
        return depth == .ansi8 ? withoutBrightColors(look) : look
    }

    /// The same with eight colours: stress stands for brightness.
    private func withoutBrightColors(_ look: Look) -> Look {
        var look = look
        if look.foreground == 8 {
            look.foreground = isLight ? 0 : 7
            look.attributes.insert(.dimmed)
        } else if look.foreground > 8 {
            look.foreground -= 8
            look.attributes.insert(.bold)
        }
        if look.background > 7 { look.background -= 8 }
        if look.foreground == look.background, look.foreground >= 0 { look.foreground = look.background == 7 ? 0 : 7 }
        return look
    }

    /// By name and by what it looks like.
    public static func == (left: Theme, right: Theme) -> Bool {
        left.name == right.name && left.entries == right.entries && left.selection == right.selection
            && left.paper == right.paper
    }

    /// By name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

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
    /// Every theme, in the order in which they are offered.
    public static let all: [Theme] = [.dark, .light, .highContrast, .colorBlind, .terminal]

    /// The theme of a name, in upper or lower case, with or without hyphens, and however colour is spelt; nil where there
    /// is none.
    public static func named(_ name: String) -> Theme? {
        func plain(_ text: String) -> String {
            let letters = text.lowercased().filter { $0 != "-" && $0 != " " && $0 != "_" }
            return letters.hasPrefix("colour") ? "color" + letters.dropFirst("colour".count) : letters
        }
        return all.first { plain($0.name) == plain(name) }
    }
}

extension Theme.Entry {
    init(_ foreground: Color, _ modifiers: Style.Modifiers) { self.init(foreground, on: nil, modifiers) }
}
