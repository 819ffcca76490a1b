// SPDX-License-Identifier: MIT

extension Theme {
    /// For light backgrounds. Sets its own background, so that it is readable on a dark terminal, too.
    package static let light = Theme(
        "light", isLight: true, screenBackground: Color(231, 15),
        selection: .background(254), pictureColors: ("#ffffff", "#303030")
    ) { role in
        let bar = Color(253, 7)
        let dim: Int16 = 241
        return switch role {
        case .normal: Entry(Color(236, 0))
        case .dim: Entry(Color(243, 8), selected: dim)
        case .header: Entry(Color(238, 0), on: bar)
        case .headerAccent: Entry(Color(16, 0), on: bar, .bold)
        case .selected: Entry(Color(16, 0), on: Color(254, 6))
        case .guide: Entry(Color(248, 8), selected: 245)
        case .label: Entry(Color(233, 0))
        case .kind: Entry(Color(241, 0))
        case .thread: Entry(Color(242, 0), selected: dim)
        case .number: Entry(Color(238, 0))
        case .key: Entry(Color(16, 0), .bold)
        case .keyText: Entry(Color(240, 0))
        case .border: Entry(Color(248, 8), selected: 245)
        case .error: Entry(Color(124, 1), selected: 124)
        case .warning: Entry(Color(94, 1), selected: 88)
        case .match: Entry(Color(16, 0), on: Color(222, 3), selected: 88, .underlined)
        case .waiting: Entry(Color(242, 8), selected: dim)
        case .queued: Entry(Color(94, 0), selected: 58)
        case .running: Entry(Color(25, 4), selected: 25, .bold)
        case .pending: Entry(Color(62, 4), selected: 56)
        case .fulfilled: Entry(Color(28, 0), selected: 22)
        case .rejected: Entry(Color(160, 1), selected: 124, .bold)
        case .cancelled: Entry(Color(127, 5), selected: 127)
        case .skipped: Entry(Color(245, 8), selected: 243)
        case .abandoned: Entry(Color(130, 1), selected: 94)
        case .unknown: Entry(Color(96, 5), selected: 60)
        case .status: Entry(Color(235, 0))
        case .title: Entry(Color(240, 0), .bold)
        case .overlay: Entry(Color(235, 0), on: Color(255, 7))
        case .recovered: Entry(Color(94, 1), selected: 88)
        }
    }
}
