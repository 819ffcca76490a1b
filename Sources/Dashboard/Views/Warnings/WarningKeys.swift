import ChainInsight
import ChainModel
import ChainText

// What keys do in the view of warnings.
extension WarningsView {
    static func handleOwn(_ intent: Intent, _ state: inout State) -> [Effect]? {
        switch intent {
        case .visit: visit(&state)
        case .dismiss: dismiss(&state)
        case .hide: hideKind(&state)
        case .left: foldKind(&state)
        case .right: unfoldKind(&state)
        case .foldAll: setFolded(Set(WarningKind.allCases), &state)
        case .unfoldAll: setFolded([], &state)
        case .sort, .invertSort: state.notify("the worst are first, and of a kind those since longest; / finds others")
        case .nextMatch, .previousMatch: state.notify("the filter shows what it finds; its nodes are in the tree: 1")
        case .cancelNode, .cancelChain, .tag, .why, .copy, .copyTree, .edit:
            guard selectedNode(state) == nil else { return nil }
            state.notify("this row has no node; go to a warning that has one")
        default: return nil
        }
        return []
    }

    private static func setFolded(_ kinds: Set<WarningKind>, _ state: inout State) {
        guard !state.warnings.rows.isEmpty else { return state.notify(state.emptyReason) }
        if let kind = state.warnings.selectedRow?.kind, kinds.contains(kind) { state.warnings.selected = .kind(kind) }
        state.warnings.folded = kinds
        state.updateViewport()
    }

    /// Goes to the node of a warning; folds, unfolds or expands a kind.
    static func visit(_ state: inout State) {
        switch state.warnings.selectedRow {
        case nil: state.notify(state.emptyReason)
        case .head(let kind, _, let isFolded):
            state.warnings.selected = .kind(kind)
            if isFolded { state.warnings.folded.remove(kind) } else { state.warnings.folded.insert(kind) }
            state.updateViewport()
        case .more(let kind, let count):
            guard !state.warnings.expanded.contains(kind) else {
                return state.notify("the other \(CountText.grouped(count)) are counted and not kept")
            }
            state.warnings.expanded.insert(kind)
            state.updateViewport()
        case .hidden: hideKind(&state)
        case .warning(let warning, let programIndex):
            guard warning.node != .none else {
                return state.notify("this is about the whole program, no single node")
            }
            guard let node = state.programs[programIndex].forest.index(of: warning.node) else {
                return state.notify("its node is no longer kept; x takes the warning away")
            }
            state.reveal(node, in: programIndex)
        }
    }

    /// Dismisses one warning, or those of a kind.
    private static func dismiss(_ state: inout State) {
        switch state.warnings.selectedRow {
        case nil: return state.notify("there is nothing here to take away")
        case .hidden: return state.notify("it is hidden; X shows it")
        case .warning(let warning, let programIndex):
            state.programs[programIndex].insight.warnings.dismiss(warning.id)
        case .head(let kind, _, _), .more(let kind, _): dismissAll(of: kind, &state)
        }
        // The row that comes into the same line is selected.
        state.warnings.selected = nil
        state.updateViewport()
        state.warnings.selected = selectedID(state)
    }

    /// Dismisses all warnings of a kind that are kept; under a filter that hides the rest, those that match.
    private static func dismissAll(of kind: WarningKind, _ state: inout State) {
        guard state.filter.hidesRest else {
            for index in state.programs.indices { state.programs[index].insight.warnings.dismissAll(of: kind) }
            return state.notify("\(kind.rawValue): those that were there are away; X hides what comes")
        }
        for programIndex in state.programs.indices {
            for warning in state.programs[programIndex].insight.warnings.warnings(of: kind)
            where isMatch(warning, in: programIndex, state) {
                state.programs[programIndex].insight.warnings.dismiss(warning.id)
            }
        }
        state.notify("\(kind.rawValue): those that match are away; X hides what comes")
    }

    /// Hides a kind for this session, or shows it again.
    private static func hideKind(_ state: inout State) {
        guard let kind = state.warnings.selectedRow?.kind else {
            return state.notify("there is nothing here to hide")
        }
        if state.options.warnings.enabled.remove(kind) != nil {
            state.notify("\(kind.rawValue) is hidden until X on its line, at the end, shows it again")
        } else {
            state.options.warnings.enabled.insert(kind)
            state.notify("\(kind.rawValue) is told of again")
        }
        for index in state.programs.indices where !state.programs[index].isFrozen {
            _ = state.programs[index].tickInsight(state.options.warnings, wall: state.wall)
        }
        state.updateViewport()
    }

    private static func foldKind(_ state: inout State) {
        switch state.warnings.selectedRow {
        case nil: state.notify(state.emptyReason)
        case .head(_, _, isFolded: true), .hidden: state.notify("it is folded")
        case .head: visit(&state)
        case .warning(let warning, _): goToHeading(of: warning.kind, &state)
        case .more(let kind, _): goToHeading(of: kind, &state)
        }
    }

    private static func goToHeading(of kind: WarningKind, _ state: inout State) {
        if let row = rowNumber(of: .kind(kind), state) { moveCursor(to: row, &state) }
    }

    private static func unfoldKind(_ state: inout State) {
        switch state.warnings.selectedRow {
        case nil: state.notify(state.emptyReason)
        case .head(_, _, isFolded: true), .more, .hidden: visit(&state)
        case .head: moveCursor(to: state.warnings.cursor.selected + 1, &state)
        case .warning: state.notify("nothing is folded in here; Enter goes to its node")
        }
    }
}
