extension Theme {
    /// On black, without dim text; the selected row is dark on white. Every role reaches a contrast of 7.
    public static let highContrast = Theme(
        "high-contrast", screenBackground: Color(16, 0), selection: .background(Color(231, 15)),
        pictureColors: ("#000000", "#ffffff")
    ) { role in
        let white = Color(231, 15)
        let black = Color(16, 0)
        let bar = Color(18, 4)
        return switch role {
        case .normal, .label, .number, .status: Entry(white, selected: black)
        case .dim, .thread, .waiting: Entry(Color(252, 7), selected: Color(237, 0))
        case .header: Entry(white, on: bar, selected: black)
        case .headerAccent: Entry(white, on: bar, selected: black, .bold)
        case .selected: Entry(black, on: white)
        case .guide, .border: Entry(Color(250, 7), selected: Color(240, 0))
        case .kind, .keyText: Entry(Color(254, 7), selected: Color(235, 0))
        case .key, .title: Entry(white, selected: black, .bold)
        case .error: Entry(Color(217, 9), selected: Color(88, 0))
        case .warning: Entry(Color(227, 11), selected: Color(52, 0), .bold)
        case .match: Entry(black, on: Color(226, 11), selected: Color(18, 0), .bold)
        case .queued: Entry(Color(223, 11), selected: Color(23, 0))
        case .running: Entry(Color(123, 14), selected: Color(18, 0), .bold)
        case .pending: Entry(Color(117, 14), selected: Color(19, 0))
        case .fulfilled: Entry(Color(120, 10), selected: Color(22, 0))
        case .rejected: Entry(Color(210, 9), selected: Color(88, 0), .bold)
        case .cancelled: Entry(Color(219, 13), selected: Color(90, 0))
        case .skipped: Entry(Color(250, 7), selected: Color(239, 0))
        case .abandoned: Entry(Color(214, 11), selected: Color(52, 0), .bold)
        case .unknown: Entry(Color(183, 13), selected: Color(54, 0))
        case .overlay: Entry(white, on: Color(234, 0), selected: black)
        case .recovered: Entry(Color(227, 11), selected: Color(52, 0))
        }
    }
}
