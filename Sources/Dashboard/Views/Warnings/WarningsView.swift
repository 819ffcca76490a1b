import ChainEvents
import ChainInsight
import ChainModel
import ChainText
import Frames

/// What the view of warnings is at.
struct WarningsView {
    var cursor = ListCursor()
    /// The worst kind first, each with its warnings below it.
    var rows: [WarningRow] = []
    /// The row that keys act on, once somebody has moved; before that it is the first.
    var selected: WarningRow.ID?
    /// Kinds of which only the heading is shown, and those of which more than the first few are.
    var folded: Set<WarningKind> = []
    var expanded: Set<WarningKind> = []
    fileprivate var source: Source?

    /// What the rows were made of.
    fileprivate struct Source: Equatable {
        var revisions: [UInt64]
        var programs: [ProcessKey?]
        var filter: UInt64
        var hidesRest: Bool
        var folded: Set<WarningKind>
        var expanded: Set<WarningKind>
        var enabled: Set<WarningKind>
    }

    /// Warnings of a kind that are shown until more are asked for.
    static let shortCount = 8

    var selectedRow: WarningRow? { rows.indices.contains(cursor.selected) ? rows[cursor.selected] : nil }
}

extension State {
    /// Finds the rows anew.
    mutating func arrangeWarnings() {
        let source = WarningsView.Source(
            revisions: programs.map(\.insight.warnings.revision), programs: processKeys, filter: filterRevision,
            hidesRest: filter.hidesRest, folded: warnings.folded, expanded: warnings.expanded,
            enabled: options.warnings.enabled)
        if source != warnings.source {
            warnings.source = source
            warnings.rows = warningRows()
            if let selected = warnings.selected { follow(warning: selected) }
        }
        warnings.cursor.resize(warnings.rows.count, height: viewHeight)
        if warnings.selected != nil { warnings.selected = selectedWarningID }
        selectNodeOfWarning()
    }

    /// Keeps the selection on its row; where that went, on the row that took its place, in the same kind if it can.
    private mutating func follow(warning selected: WarningRow.ID) {
        if let row = warnings.rows.firstIndex(where: { id($0) == selected }) { warnings.cursor.moveSelection(to: row) }
    }

    private var selectedWarningID: WarningRow.ID? { warnings.selectedRow.map(id) }

    private func id(_ row: WarningRow) -> WarningRow.ID {
        switch row {
        case .head(let kind, _, _), .hidden(let kind): .kind(kind)
        case .more(let kind, _): .more(kind)
        case .warning(let warning, let programIndex): .warning(warning.id, programs[programIndex].source)
        }
    }

    // MARK: Selecting

    /// Another row was selected: the node that it stands for is what keys act on.
    mutating func didSelectInWarnings() {
        if warnings.selected != selectedWarningID { detailScroll = 0 }
        warnings.selected = selectedWarningID
        selectNodeOfWarning()
    }

    /// The node of the selected warning, as long as it is kept.
    var selectedWarningNode: RowID? {
        guard case .warning(let warning, let programIndex)? = warnings.selectedRow,
            let node = programs[programIndex].forest?.index(of: warning.node)
        else { return nil }
        return rowID(of: node, in: programIndex)
    }

    private mutating func selectNodeOfWarning() {
        guard view == .warnings, let rowID = selectedWarningNode, selection != rowID else { return }
        select(rowID)
    }

    // MARK: Keys

    /// Does what only this view does; nil where it is done as everywhere.
    mutating func performInWarnings(_ intent: Intent) -> [Effect]? {
        switch intent {
        case .visit: visitWarning()
        case .dismiss: dismissWarning()
        case .hide: hideWarningKind()
        case .left: foldWarnings()
        case .right: unfoldWarnings()
        case .foldAll: setFolded(Set(WarningKind.allCases))
        case .unfoldAll: setFolded([])
        case .sort, .invertSort: say("the worst are first, and of a kind those since longest; / finds others")
        case .nextMatch, .previousMatch: say("the filter shows what it finds; its nodes are in the tree: 1")
        case .cancelNode, .cancelChain, .tag, .why, .copy, .copyTree, .edit:
            guard selectedWarningNode == nil else { return nil }
            say("this row has no node; go to a warning that has one")
        default: return nil
        }
        return []
    }

    private mutating func setFolded(_ kinds: Set<WarningKind>) {
        guard !warnings.rows.isEmpty else { return say(whyEmpty) }
        if let kind = warnings.selectedRow?.kind, kinds.contains(kind) { warnings.selected = .kind(kind) }
        warnings.folded = kinds
        updateViewport()
    }

    private mutating func visitWarning() {
        switch warnings.selectedRow {
        case nil: say(whyEmpty)
        case .head(let kind, _, let isFolded):
            warnings.selected = .kind(kind)
            if isFolded { warnings.folded.remove(kind) } else { warnings.folded.insert(kind) }
            updateViewport()
        case .more(let kind, let count):
            guard !warnings.expanded.contains(kind) else {
                return say("the other \(CountText.grouped(count)) are counted and not kept")
            }
            warnings.expanded.insert(kind)
            updateViewport()
        case .hidden: hideWarningKind()
        case .warning(let warning, let programIndex):
            guard warning.node != .none else { return say("this is about the whole program, no single node") }
            guard let node = programs[programIndex].forest?.index(of: warning.node) else {
                return say("its node is no longer kept; x takes the warning away")
            }
            reveal(node, in: programIndex)
        }
    }

    /// Away with one, or with all of a kind that are there.
    private mutating func dismissWarning() {
        switch warnings.selectedRow {
        case nil: return say("there is nothing here to take away")
        case .hidden: return say("it is hidden; X shows it")
        case .warning(let warning, let programIndex): programs[programIndex].insight.warnings.dismiss(warning.id)
        case .head(let kind, _, _), .more(let kind, _):
            dismissAll(of: kind)
        }
        // What comes into its programIndex is selected.
        warnings.selected = nil
        updateViewport()
        warnings.selected = selectedWarningID
    }

    /// All that are kept; under a filter that hides the rest, those that it lets through.
    private mutating func dismissAll(of kind: WarningKind) {
        guard filter.hidesRest else {
            for programIndex in programs.indices { programs[programIndex].insight.warnings.dismissAll(of: kind) }
            return say("\(kind.rawValue): those that were there are away; X hides what comes")
        }
        for programIndex in programs.indices {
            for warning in programs[programIndex].insight.warnings.warnings(of: kind)
            where filterLetsThrough(warning, in: programIndex) {
                programs[programIndex].insight.warnings.dismiss(warning.id)
            }
        }
        say("\(kind.rawValue): those that match are away; X hides what comes")
    }

    /// Tells of a kind no more in this session, or again.
    private mutating func hideWarningKind() {
        guard let kind = warnings.selectedRow?.kind else { return say("there is nothing here to hide") }
        if options.warnings.enabled.remove(kind) != nil {
            say("\(kind.rawValue) is hidden until X on its line, at the end, shows it again")
        } else {
            options.warnings.enabled.insert(kind)
            say("\(kind.rawValue) is told of again")
        }
        for programIndex in programs.indices where !programs[programIndex].isHeld {
            _ = programs[programIndex].tickInsight(options.warnings, wall: wall)
        }
        updateViewport()
    }

    private mutating func foldWarnings() {
        switch warnings.selectedRow {
        case nil: say(whyEmpty)
        case .head(_, _, isFolded: true), .hidden: say("it is folded")
        case .head: visitWarning()
        case .warning(let warning, _): goToHead(warning.kind)
        case .more(let kind, _): goToHead(kind)
        }
    }

    private mutating func goToHead(_ kind: WarningKind) {
        if let row = warnings.rows.firstIndex(where: { id($0) == .kind(kind) }) { moveInView(to: row) }
    }

    private mutating func unfoldWarnings() {
        switch warnings.selectedRow {
        case nil: say(whyEmpty)
        case .head(_, _, isFolded: true), .more, .hidden: visitWarning()
        case .head: moveInView(to: warnings.cursor.selected + 1)
        case .warning: say("nothing is folded in here; Enter goes to its node")
        }
    }

    /// A click on a line of the view's rows, which has selected it; a second one shortly after is double.
    mutating func clickInWarnings(column: Int, isDouble: Bool) {
        switch warnings.selectedRow {
        case .head where column <= WarningColumns.head + 1 || isDouble: visitWarning()
        case .more: visitWarning()
        case .warning, .hidden: if isDouble { visitWarning() }
        default: break
        }
    }

    /// A number that changes when the passing of time alone changes the picture.
    var warningsStep: UInt64 {
        warnings.rows.isEmpty || programs.allSatisfy(\.isStill) ? 0 : wall / 1_000_000_000
    }
}
