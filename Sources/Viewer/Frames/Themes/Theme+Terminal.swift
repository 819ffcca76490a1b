// SPDX-License-Identifier: MIT

extension Theme {
    /// The terminal's own foreground, background and first eight colours, so that the user's palette applies. Bright
    /// colours are not used, because popular palettes have greys in their place, and one of these greys is the
    /// background.
    package static let terminal = Theme(
        "terminal", selection: .reversed, pictureColors: ("#1d1f21", "#c5c8c6")
    ) { role in
        func color(_ number: Int16, _ modifiers: Style.Modifiers = []) -> Entry {
            Entry(Color(number, number), modifiers)
        }
        // Yellow is only a background, because yellow text cannot be read on white.
        return switch role {
        case .normal, .label, .number, .status, .overlay: Entry(.standard)
        case .dim, .guide, .border, .waiting, .skipped: Entry(.standard, .dimmed)
        case .kind, .thread, .keyText: Entry(.standard)
        case .header: Entry(.standard, .reversed)
        case .headerAccent: Entry(.standard, [.reversed, .bold])
        case .selected: Entry(.standard, .reversed)
        case .key, .title: Entry(.standard, .bold)
        case .error: color(1)
        case .warning: Entry(Color(0, 0), on: Color(3, 3))
        case .match: Entry(.standard, [.bold, .underlined])
        case .queued: color(6)
        case .recovered: Entry(Color(0, 0), on: Color(3, 3))
        case .running: color(6, .bold)
        case .pending: color(4)
        case .fulfilled: color(2)
        case .rejected: color(1, .bold)
        case .cancelled: color(5)
        case .abandoned: color(1, .underlined)
        case .unknown: color(5, .dimmed)
        }
    }
}
