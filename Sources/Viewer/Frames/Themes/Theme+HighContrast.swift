// SPDX-License-Identifier: MIT

extension Theme {
    /// On black, without dim text; the selected row is dark on white. Every role reaches a contrast of 7.
    package static let highContrast = Theme(
        "high-contrast", screenBackground: Color(16, 0), selection: .background(231),
        pictureColors: ("#000000", "#ffffff")
    ) { role in
        let white = Color(231, 15)
        let black = Color(16, 0)
        let bar = Color(18, 4)
        return switch role {
        case .normal, .label, .number, .status: Entry(white, selected: black.of256)
        case .dim, .thread, .waiting: Entry(Color(252, 7), selected: 237)
        case .header: Entry(white, on: bar, selected: black.of256)
        case .headerAccent: Entry(white, on: bar, selected: black.of256, .bold)
        case .selected: Entry(black, on: white)
        case .guide, .border: Entry(Color(250, 7), selected: 240)
        case .kind, .keyText: Entry(Color(254, 7), selected: 235)
        case .key, .title: Entry(white, selected: black.of256, .bold)
        case .error: Entry(Color(217, 9), selected: 88)
        case .warning: Entry(Color(227, 11), selected: 52, .bold)
        case .match: Entry(black, on: Color(226, 11), selected: 18, .bold)
        case .queued: Entry(Color(223, 11), selected: 23)
        case .running: Entry(Color(123, 14), selected: 18, .bold)
        case .pending: Entry(Color(117, 14), selected: 19)
        case .fulfilled: Entry(Color(120, 10), selected: 22)
        case .rejected: Entry(Color(210, 9), selected: 88, .bold)
        case .cancelled: Entry(Color(219, 13), selected: 90)
        case .skipped: Entry(Color(250, 7), selected: 239)
        case .abandoned: Entry(Color(214, 11), selected: 52, .bold)
        case .unknown: Entry(Color(183, 13), selected: 54)
        case .overlay: Entry(white, on: Color(234, 0), selected: black.of256)
        case .recovered: Entry(Color(227, 11), selected: 52)
        }
    }
}
