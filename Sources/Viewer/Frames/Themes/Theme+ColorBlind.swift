// SPDX-License-Identifier: MIT

extension Theme {
    /// For dark backgrounds. States differ in blue against yellow and in brightness, which protanopes and deuteranopes
    /// see: good states are blue, bad states are orange or yellow.
    package static let colorBlind = Theme(
        "color-blind", selection: .background(237),
        pictureColors: ("#16181d", "#c9ccd3")
    ) { role in
        let bar = Color(236, 4)
        func text(_ of256: Int16, _ of16: Int16) -> Entry {
            Entry(Color(of256, of16), selected: max(of256, 248))
        }
        func state(_ of256: Int16, _ of16: Int16, selected: Int16? = nil, _ modifiers: Style.Modifiers = []) -> Entry {
            Entry(Color(of256, of16), selected: selected ?? of256, modifiers)
        }
        return switch role {
        case .normal: Entry(.standard, selected: 252)
        case .dim: text(243, 8)
        case .header: Entry(Color(250, 15), on: bar)
        case .headerAccent: Entry(Color(255, 15), on: bar, .bold)
        case .selected: Entry(Color(255, 0), on: Color(237, 7))
        case .guide, .border: text(240, 8)
        case .label: text(254, 15)
        case .kind: text(248, 7)
        case .thread: text(245, 7)
        case .number: text(251, 7)
        case .key: Entry(Color(255, 15), selected: 255, .bold)
        case .keyText: text(246, 7)
        case .error: state(209, 11)
        case .warning: state(221, 11)
        case .match: Entry(Color(16, 0), on: Color(222, 3), selected: 222, .underlined)
        case .waiting: state(247, 7, selected: 248)
        case .queued: state(229, 3)
        case .running: state(159, 14, .bold)
        case .pending: state(110, 6)
        case .fulfilled: state(39, 12)
        case .rejected: state(209, 11, .bold)
        case .cancelled: state(136, 3, selected: 178)
        case .skipped: state(243, 8, selected: 245)
        case .abandoned: state(184, 11)
        case .unknown: state(251, 15)
        case .status: text(252, 15)
        case .title: Entry(Color(247, 7), selected: 248, .bold)
        case .overlay: Entry(Color(252, 15), on: Color(235, 0))
        case .recovered: state(221, 11)
        }
    }
}
