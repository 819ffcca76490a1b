/// What the detail pane says of a row that is no node.
struct ViewDetail {
    /// What the row is called.
    var title: String
    var lines: [DetailLine]
}

extension State {
    /// Whether the details are those of what is selected: a row of a view may stand for no node.
    var tellsOfSelection: Bool {
        switch view {
        case .chains, .threads, .timeline, .events: true
        case .sites: false
        case .warnings: selectedWarningNode != nil
        }
    }

    /// What the view says of its selected row, where that is no node (or more than a node), wrapped to a width; nil where
    /// the pane is to tell of the selected node.
    func viewDetail(width: Int) -> ViewDetail? {
        switch view {
        case .chains: nil
        case .threads: nil
        case .timeline: nil
        case .sites: sitesDetail(width: width)
        case .warnings: warningsDetail(width: width)
        case .events: eventsDetail(width: width)
        }
    }
}
