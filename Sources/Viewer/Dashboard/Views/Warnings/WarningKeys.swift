// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel
import ChainText

// What keys do in the view of warnings.
extension WarningsView {
    /// Failures are neither dismissed nor muted.
    func offers(_ intent: Intent, hasSelection: Bool) -> Bool {
        !showsFailures || ![.own(Own.dismiss.rawValue), .own(Own.mute.rawValue)].contains(intent)
    }

    func footerWord(for intent: Intent) -> String? {
        intent == .own(Own.failures.rawValue) && showsFailures ? "warnings" : nil
    }

    mutating func handleShared(_ intent: Intent, _ context: inout ViewContext) -> Bool {
        switch intent {
        case .visit: visit(&context)
        case .left: fold(&context)
        case .right: unfold(&context)
        case .foldAll: setUnfolded([], showsEnded: false, &context)
        case .unfoldAll: unfoldAll(&context)
        case .sort, .invertSort: context.notify("sorted by severity, then by when they were last seen")
        case .nextMatch, .previousMatch: context.notify("the filter shows what it finds; its nodes are in the tree: 1")
        case .edit where showsFailures:
            guard case .failure(let failure, _, _)? = selectedRow else { return refuseWithoutNode(&context) }
            context.open(failure.cause.site)
        case .edit:
            guard case .group(let group, _)? = selectedRow, let site = group.id.site,
                !site.fileID.isEmpty
            else { return refuseWithoutNode(&context) }
            context.open(site)
        case _ where intent.isForSelection: return refuseWithoutNode(&context)
        default: return false
        }
        return true
    }

    mutating func perform(_ intent: Own, _ context: inout ViewContext) {
        switch intent {
        case .dismiss: dismiss(&context)
        case .mute: muteKind(&context)
        case .failures: toggleFailures(&context)
        }
    }

    /// Returns false if the row has a node, so that the key acts on the node; else shows a message that the row has no
    /// node.
    private func refuseWithoutNode(_ context: inout ViewContext) -> Bool {
        guard selectedNode(context) == nil else { return false }
        guard selectedRow != nil else {
            context.notify(context.emptyReason)
            return true
        }
        if case .group? = selectedRow, selectedRow?.folds == true {
            context.notify("these are several nodes; Enter unfolds them")
        } else if case .failure? = selectedRow {
            context.notify("these are failed chains; Enter shows their nodes")
        } else {
            context.notify("this row has no node; go to a warning that has one")
        }
        return true
    }

    /// Goes to the node of a single warning; folds or unfolds a row of several warnings; shows a muted kind again.
    mutating func visit(_ context: inout ViewContext) {
        switch selectedRow {
        case nil: return context.notify(context.emptyReason)
        case .more(_, let count)?:
            return context.notify("the other \(CountText.grouped(count)) are counted and not kept")
        case .filtered?: return context.notify("Esc clears the filter, which shows them")
        case .muted?: return muteKind(&context)
        case .failure(let failure, _, _)?: return visit(failure, &context)
        case .omittedFailures(let count)?:
            return context.notify("the other \(CountText.grouped(count)) are counted and not listed")
        case .ended?, .group?, .warning?: break
        }
        if selectedRow?.folds == true { return toggle(&context) }
        guard let (warning, programIndex) = selectedRow?.warning else { return }
        guard warning.node != .none else { return context.notify("this is about the whole program, no single node") }
        guard let node = context.programs[programIndex].forest.index(of: warning.node) else {
            return context.notify("its node is no longer kept; x dismisses the warning")
        }
        context.reveal(node, in: programIndex)
    }

    // MARK: Folding

    private mutating func toggle(_ context: inout ViewContext) {
        selected = selectedRow?.id
        switch selectedRow {
        case .group(let group, let isFolded)?:
            if isFolded { unfolded.insert(group.id) } else { unfolded.remove(group.id) }
        case .ended(_, let isFolded)?: showsEnded = isFolded
        default: return
        }
    }

    private mutating func setUnfolded(_ groups: Set<WarningGroup.ID>, showsEnded: Bool, _ context: inout ViewContext) {
        guard !rows.isEmpty else { return context.notify(context.emptyReason) }
        if case .warning(_, let group, _)? = selectedRow { selected = .group(group) }
        unfolded = groups
        self.showsEnded = showsEnded
    }

    private mutating func unfoldAll(_ context: inout ViewContext) {
        let groups = rows.compactMap { row -> WarningGroup.ID? in
            if case .group(let group, _) = row { group.id } else { nil }
        }
        setUnfolded(unfolded.union(groups), showsEnded: true, &context)
    }

    private mutating func fold(_ context: inout ViewContext) {
        switch selectedRow {
        case nil: context.notify(context.emptyReason)
        case .warning?:
            if let row = selectedRow.flatMap({ groupNumber(of: $0) }) {
                moveCursor(to: row, &context)
            }
        case .group(_, isFolded: false)?, .ended(_, isFolded: false)?: toggle(&context)
        case .group(let group, _)? where group.id.isEnded:
            if let row = rowNumber(of: .ended) { moveCursor(to: row, &context) }
        default: context.notify("nothing is unfolded here")
        }
    }

    private mutating func unfold(_ context: inout ViewContext) {
        guard let row = selectedRow else { return context.notify(context.emptyReason) }
        switch row {
        case .group(_, isFolded: true) where row.folds, .ended(_, isFolded: true): toggle(&context)
        case .group where row.folds, .ended: moveCursor(to: cursor.selected + 1, &context)
        case .muted: context.notify("this kind is muted; Enter shows it again")
        case .more, .filtered, .failure, .omittedFailures: context.notify("nothing is folded here")
        default: context.notify("nothing is folded here; Enter goes to its node")
        }
    }

    // MARK: Dismissing and muting

    /// Dismisses the warnings of a row.
    private mutating func dismiss(_ context: inout ViewContext) {
        switch selectedRow {
        case nil: return context.notify("there is nothing to dismiss")
        case .muted?: return context.notify("this kind is muted; X shows it again")
        case .filtered?: return context.notify("the filter hides these; Esc clears it")
        case .failure?, .omittedFailures?: return context.notify("failures stay listed; E shows the warnings")
        case .warning(let warning, _, let programIndex)?:
            context.request(.dismiss([warning.id], programIndex: programIndex))
        case .group(let group, _)?:
            context.request(.dismiss(group.warnings.map(\.id), programIndex: group.programIndex))
            if group.warnings.count > 1 {
                context.notify("\(CountText.counted(group.warnings.count, "warning")) dismissed; X mutes this kind")
            }
        case .more(let kind, _)?:
            context.request(.dismissAll(kind))
            context.notify("\(kind.rawValue): all dismissed; X mutes this kind")
        case .ended?: dismissEnded(&context)
        }
        // Selects the row that moves up into the same line.
        selected = nil
        selectsRowInLine = true
    }

    /// Dismisses the ended warnings that the filter does not hide.
    private func dismissEnded(_ context: inout ViewContext) {
        guard context.filter.hidesUnmatched else { return context.request(.removeEndedWarnings) }
        for index in context.programs.indices {
            let ended = WarningKind.allCases.flatMap(context.programs[index].insight.warnings.warnings(of:))
                .filter { $0.ended != nil && isMatch($0, in: index, context) }
            context.request(.dismiss(ended.map(\.id), programIndex: index))
        }
    }

    /// Mutes a kind for this session, or shows it again.
    private func muteKind(_ context: inout ViewContext) {
        guard let kind = selectedRow?.kind else {
            return context.notify("there is no kind of warning here to mute")
        }
        let isMuted = context.options.warnings.enabled.contains(kind)
        context.request(.mute(kind, isMuted))
        context.notify(
            isMuted
                ? "\(kind.rawValue) is muted until X on its row, at the end, shows it again"
                : "\(kind.rawValue) is shown again")
    }
}
