import ChainInsight
import ChainModel
import ChainText

// What keys do in the view of warnings.
extension WarningsView {
    /// Failures are neither dismissed nor muted.
    static func offers(_ intent: Intent, _ state: borrowing State) -> Bool {
        !state.warnings.showsFailures || ![.dismiss, .hide].contains(intent)
    }

    static func footerWord(for intent: Intent, _ state: borrowing State) -> String? {
        intent == .failures && state.warnings.showsFailures ? "warnings" : nil
    }

    static func handleOwn(_ intent: Intent, _ state: inout State) -> [Effect]? {
        switch intent {
        case .visit: visit(&state)
        case .dismiss: dismiss(&state)
        case .hide: hideKind(&state)
        case .failures: toggleFailures(&state)
        case .left: fold(&state)
        case .right: unfold(&state)
        case .foldAll: setUnfolded([], showsEnded: false, &state)
        case .unfoldAll: unfoldAll(&state)
        case .sort, .invertSort: state.notify("sorted by severity, then by when they were last seen")
        case .nextMatch, .previousMatch: state.notify("the filter shows what it finds; its nodes are in the tree: 1")
        case .edit where state.warnings.showsFailures:
            guard case .failure(let failure, _, _)? = state.warnings.selectedRow else { return nodeEffects(&state) }
            return state.open(failure.cause.site)
        case .edit:
            guard case .group(let group, _)? = state.warnings.selectedRow, let site = group.id.site,
                !site.fileID.isEmpty
            else { return nodeEffects(&state) }
            return [.openEditor(site)]
        case _ where intent.isForSelection: return nodeEffects(&state)
        default: return nil
        }
        return []
    }

    /// Returns nil if the row has a node, so that the key acts on the node; else shows a message that the row has no
    /// node.
    private static func nodeEffects(_ state: inout State) -> [Effect]? {
        guard selectedNode(state) == nil else { return nil }
        guard state.warnings.selectedRow != nil else {
            state.notify(state.emptyReason)
            return []
        }
        if case .group? = state.warnings.selectedRow, state.warnings.selectedRow?.folds == true {
            state.notify("these are several nodes; Enter unfolds them")
        } else if case .failure? = state.warnings.selectedRow {
            state.notify("these are failed chains; Enter shows their nodes")
        } else {
            state.notify("this row has no node; go to a warning that has one")
        }
        return []
    }

    /// Goes to the node of a single warning; folds or unfolds a row of several warnings; shows a muted kind again.
    static func visit(_ state: inout State) {
        switch state.warnings.selectedRow {
        case nil: return state.notify(state.emptyReason)
        case .more(_, let count)?:
            return state.notify("the other \(CountText.grouped(count)) are counted and not kept")
        case .filtered?: return state.notify("Esc clears the filter, which shows them")
        case .muted?: return hideKind(&state)
        case .failure(let failure, _, _)?: return visit(failure, &state)
        case .omittedFailures(let count)?:
            return state.notify("the other \(CountText.grouped(count)) are counted and not listed")
        case .ended?, .group?, .warning?: break
        }
        if state.warnings.selectedRow?.folds == true { return toggle(&state) }
        guard let (warning, programIndex) = state.warnings.selectedRow?.warning else { return }
        guard warning.node != .none else { return state.notify("this is about the whole program, no single node") }
        guard let node = state.programs[programIndex].forest.index(of: warning.node) else {
            return state.notify("its node is no longer kept; x dismisses the warning")
        }
        state.reveal(node, in: programIndex)
    }

    // MARK: Folding

    private static func toggle(_ state: inout State) {
        state.warnings.selected = state.warnings.selectedRow?.id
        switch state.warnings.selectedRow {
        case .group(let group, let isFolded)?:
            if isFolded { state.warnings.unfolded.insert(group.id) } else { state.warnings.unfolded.remove(group.id) }
        case .ended(_, let isFolded)?: state.warnings.showsEnded = isFolded
        default: return
        }
        state.updateViewport()
    }

    private static func setUnfolded(_ groups: Set<WarningGroup.ID>, showsEnded: Bool, _ state: inout State) {
        guard !state.warnings.rows.isEmpty else { return state.notify(state.emptyReason) }
        if case .warning(_, let group, _)? = state.warnings.selectedRow { state.warnings.selected = .group(group) }
        state.warnings.unfolded = groups
        state.warnings.showsEnded = showsEnded
        state.updateViewport()
    }

    private static func unfoldAll(_ state: inout State) {
        let groups = state.warnings.rows.compactMap { row -> WarningGroup.ID? in
            if case .group(let group, _) = row { group.id } else { nil }
        }
        setUnfolded(state.warnings.unfolded.union(groups), showsEnded: true, &state)
    }

    private static func fold(_ state: inout State) {
        switch state.warnings.selectedRow {
        case nil: state.notify(state.emptyReason)
        case .warning?:
            if let row = state.warnings.selectedRow.flatMap({ groupNumber(of: $0, state) }) {
                moveCursor(to: row, &state)
            }
        case .group(_, isFolded: false)?, .ended(_, isFolded: false)?: toggle(&state)
        case .group(let group, _)? where group.id.isEnded:
            if let row = rowNumber(of: .ended, state) { moveCursor(to: row, &state) }
        default: state.notify("nothing is unfolded here")
        }
    }

    private static func unfold(_ state: inout State) {
        guard let row = state.warnings.selectedRow else { return state.notify(state.emptyReason) }
        switch row {
        case .group(_, isFolded: true) where row.folds, .ended(_, isFolded: true): toggle(&state)
        case .group where row.folds, .ended: moveCursor(to: state.warnings.cursor.selected + 1, &state)
        case .muted: state.notify("this kind is muted; Enter shows it again")
        case .more, .filtered, .failure, .omittedFailures: state.notify("nothing is folded here")
        default: state.notify("nothing is folded here; Enter goes to its node")
        }
    }

    // MARK: Dismissing and muting

    /// Dismisses the warnings of a row.
    private static func dismiss(_ state: inout State) {
        switch state.warnings.selectedRow {
        case nil: return state.notify("there is nothing to dismiss")
        case .muted?: return state.notify("this kind is muted; X shows it again")
        case .filtered?: return state.notify("the filter hides these; Esc clears it")
        case .failure?, .omittedFailures?: return state.notify("failures stay listed; E shows the warnings")
        case .warning(let warning, _, let programIndex)?:
            state.programs[programIndex].insight.warnings.dismiss(warning.id)
        case .group(let group, _)?:
            for warning in group.warnings {
                state.programs[group.programIndex].insight.warnings.dismiss(warning.id)
            }
            if group.warnings.count > 1 {
                state.notify("\(CountText.counted(group.warnings.count, "warning")) dismissed; X mutes this kind")
            }
        case .more(let kind, _)?:
            for index in state.programs.indices { state.programs[index].insight.warnings.dismissAll(of: kind) }
            state.notify("\(kind.rawValue): all dismissed; X mutes this kind")
        case .ended?: dismissEnded(&state)
        }
        // Selects the row that moves up into the same line.
        state.warnings.selected = nil
        state.updateViewport()
        state.warnings.selected = state.warnings.selectedRow?.id
    }

    /// Dismisses the ended warnings that the filter does not hide.
    private static func dismissEnded(_ state: inout State) {
        for index in state.programs.indices {
            guard state.filter.hidesUnmatched else {
                state.programs[index].insight.warnings.removeEnded()
                continue
            }
            for warning in WarningKind.allCases.flatMap(state.programs[index].insight.warnings.warnings(of:))
            where warning.ended != nil && isMatch(warning, in: index, state) {
                state.programs[index].insight.warnings.dismiss(warning.id)
            }
        }
    }

    /// Mutes a kind for this session, or shows it again.
    private static func hideKind(_ state: inout State) {
        guard let kind = state.warnings.selectedRow?.kind else {
            return state.notify("there is no kind of warning here to mute")
        }
        if state.options.warnings.enabled.remove(kind) != nil {
            state.notify("\(kind.rawValue) is muted until X on its row, at the end, shows it again")
        } else {
            state.options.warnings.enabled.insert(kind)
            state.notify("\(kind.rawValue) is shown again")
        }
        for index in state.programs.indices where !state.programs[index].isFrozen {
            _ = state.programs[index].tickInsight(state.options.warnings, wall: state.wall)
        }
        state.updateViewport()
    }
}
