// SPDX-License-Identifier: MIT

extension Theme {
    /// For dark backgrounds.
    package static let dark = Theme(
        "dark", selection: .background(237), pictureColors: ("#16181d", "#c9ccd3")
    ) { role in
        let bar = Color(236, 7)
        let dim: Int16 = 247
        return switch role {
        case .normal: Entry(.standard)
        case .dim: Entry(Color(243, 8), selected: dim)
        case .header: Entry(Color(250, 0), on: bar)
        case .headerAccent: Entry(Color(255, 0), on: bar, .bold)
        case .selected: Entry(Color(255, 15), on: Color(237, 4))
        case .guide: Entry(Color(240, 8), selected: dim)
        case .label: Entry(Color(254, 15))
        case .kind: Entry(Color(248, 7))
        case .thread: Entry(Color(245, 7), selected: 248)
        case .number: Entry(Color(251, 7))
        case .key: Entry(Color(255, 15), .bold)
        case .keyText: Entry(Color(246, 7), selected: 248)
        case .border: Entry(Color(240, 8), selected: dim)
        case .error: Entry(Color(210, 9))
        case .warning: Entry(Color(221, 11))
        case .match: Entry(Color(16, 0), on: Color(222, 3), selected: 222)
        case .waiting: Entry(Color(245, 7), selected: 248)
        case .queued: Entry(Color(180, 3))
        case .running: Entry(Color(81, 14), .bold)
        case .pending: Entry(Color(75, 12), selected: 75)
        case .fulfilled: Entry(Color(114, 2))
        case .rejected: Entry(Color(203, 9), selected: 210, .bold)
        case .cancelled: Entry(Color(176, 5), selected: 176)
        case .skipped: Entry(Color(242, 8), selected: dim)
        case .abandoned: Entry(Color(208, 11))
        case .unknown: Entry(Color(139, 13), selected: 182)
        case .status: Entry(Color(252, 15))
        case .title: Entry(Color(247, 7), selected: 248, .bold)
        case .overlay: Entry(Color(252, 15), on: Color(235, 0))
        case .recovered: Entry(Color(221, 11))
        }
    }
}
