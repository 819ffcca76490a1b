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
        /// What is behind it.
        public var background: Color
        /// Stress that belongs to the role.
        public var modifiers: Style.Modifiers

        /// Describes an entry; on the terminal's own background, without stress, by default.
        public init(_ foreground: Color, on background: Color = .standard, _ modifiers: Style.Modifiers = []) {
            self.foreground = foreground
            self.background = background
            self.modifiers = modifiers
        }
    }

    /// As options and golden frames name it.
    public let name: String
    /// By the raw value of ``Role``.
    private let entries: [Entry]
    /// Stress that replaces colours where there are none.
    private let plain: [Style.Modifiers]
    /// Behind the selected row.
    public let selection: Color
    /// `#rrggbb` of the terminal's own background and foreground, for pictures.
    public let page: (background: String, foreground: String)

    init(
        name: String, selection: Color, page: (background: String, foreground: String), _ entry: (Role) -> Entry,
        plain: (Role) -> Style.Modifiers
    ) {
        self.name = name
        self.selection = selection
        self.page = page
        entries = Role.allCases.map(entry)
        self.plain = Role.allCases.map(plain)
    }

    /// What a terminal of some depth is told for a style.
    public func look(_ style: Style, depth: ColorDepth) -> Look {
        let entry = entries[Int(style.role.rawValue)]
        var attributes = style.modifiers.subtracting(.selected)
        let isSelected = style.modifiers.contains(.selected)
        if depth == .none {
            attributes.formUnion(plain[Int(style.role.rawValue)])
            if isSelected { attributes.formSymmetricDifference(.reversed) }
            return Look(attributes: attributes)
        }
        attributes.formUnion(entry.modifiers)
        let background = isSelected ? selection : entry.background
        if depth == .ansi256 {
            var look = Look(foreground: entry.foreground.of256, background: background.of256, attributes: attributes)
            // Dark greys cannot be read on the grey of the selection.
            if isSelected, (232..<247).contains(look.foreground) { look.foreground = 247 }
            return look
        }
        var look = Look(foreground: entry.foreground.of16, background: background.of16, attributes: attributes)
        // Grey on the colour of the selection cannot be read where there are only 16.
        if isSelected, look.foreground == look.background || look.foreground == 8 { look.foreground = 7 }
        if depth == .ansi8 {
            if look.foreground == 8 {
                look.foreground = 7
                look.attributes.insert(.dimmed)
            } else if look.foreground > 8 {
                look.foreground -= 8
                look.attributes.insert(.bold)
            }
            if look.background > 7 { look.background -= 8 }
            if look.foreground == look.background { look.foreground = 7 }
        }
        return look
    }

    /// By name and by what it looks like.
    public static func == (left: Theme, right: Theme) -> Bool {
        left.name == right.name && left.entries == right.entries && left.selection == right.selection
    }

    /// By name, and by what it looks like.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(entries)
    }
}

extension Theme {
    /// For dark backgrounds.
    public static let dark = Theme(
        name: "dark", selection: Color(237, 4), page: ("#16181d", "#c9ccd3"), darkEntry, plain: stress)

    private static func darkEntry(_ role: Role) -> Entry {
        let bar = Color(236, 7)
        let box = Color(235, 0)
        return switch role {
        case .normal: Entry(.standard)
        case .dim: Entry(Color(243, 8))
        case .header: Entry(Color(250, 0), on: bar)
        case .headerAccent: Entry(Color(255, 0), on: bar, .bold)
        case .selected: Entry(Color(255, 15), on: Color(237, 4))
        case .guide: Entry(Color(240, 8))
        case .label: Entry(Color(254, 15))
        case .kind: Entry(Color(248, 7))
        case .thread: Entry(Color(245, 7))
        case .number: Entry(Color(251, 7))
        case .key: Entry(Color(255, 15), .bold)
        case .keyText: Entry(Color(246, 7))
        case .border: Entry(Color(240, 8))
        case .error: Entry(Color(210, 9))
        case .warning: Entry(Color(221, 11))
        case .match: Entry(Color(16, 0), on: Color(222, 3))
        case .waiting: Entry(Color(244, 7))
        case .queued: Entry(Color(180, 3))
        case .running: Entry(Color(81, 14), .bold)
        case .pending: Entry(Color(75, 12))
        case .fulfilled: Entry(Color(114, 2))
        case .rejected: Entry(Color(203, 9), .bold)
        case .cancelled: Entry(Color(176, 5))
        case .skipped: Entry(Color(241, 8))
        case .abandoned: Entry(Color(208, 11))
        case .unknown: Entry(Color(139, 13))
        case .footer: Entry(Color(246, 7))
        case .status: Entry(Color(252, 15))
        case .title: Entry(Color(247, 7), .bold)
        case .overlay: Entry(Color(252, 15), on: box)
        }
    }

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

extension Theme.Entry {
    fileprivate init(_ foreground: Color, _ modifiers: Style.Modifiers) {
        self.init(foreground, on: .standard, modifiers)
    }
}
