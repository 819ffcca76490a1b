import ChainInsight
import ChainModel
import ChainText

// What keys do in the profile.
extension ProfileView {
    static func handleOwn(_ intent: Intent, _ state: inout State) -> [Effect]? {
        switch intent {
        case .visit: visit(&state)
        case .left: foldSelected(&state)
        case .right: unfoldSelected(&state)
        case .unfoldAll:
            state.profile.folded = []
            state.updateViewport()
        case .foldAll:
            state.profile.folded = Set(state.profile.rows.filter { $0.depth == 0 && $0.hasChildren }.map(\.id))
            state.updateViewport()
        case .sort: sortByNext(&state)
        case .invertSort: invertSort(&state)
        case .why: goToSlowest(&state)
        case .cancelNode, .cancelChain, .tag:
            state.notify("these rows are call paths; w goes to the slowest node of one")
        case .nextMatch, .previousMatch:
            let query = state.filter.query
            goToMatch(forward: intent == .nextMatch, &state) { row, state in
                query.map { isMatch(state.profile.rows[row], $0) } ?? false
            }
        case .copy: return copy(&state)
        case .copyTree: return copyStacks(&state)
        case .edit: return state.open(state.profile.selectedRow?.site)
        default: return handleBaseline(intent, &state)
        }
        return []
    }

    static func offers(_ intent: Intent, _ state: borrowing State) -> Bool {
        intent != .why || state.profile.selectedRow?.isFrame == true
    }

    // MARK: Folding

    /// Folds or unfolds the selected row, or lists the short steps that a `more` row stands for. From a path with
    /// nothing under it, goes to the slowest node of that path.
    static func visit(_ state: inout State) {
        guard let row = state.profile.selectedRow else { return state.notify(state.emptyReason) }
        switch row.id {
        case .frame where row.hasChildren:
            state.profile.selected = row.id
            if row.isFolded { state.profile.folded.remove(row.id) } else { state.profile.folded.insert(row.id) }
            state.updateViewport()
        case .frame: goToSlowest(&state)
        case .more: expand(row, &state)
        case .omitted: state.notify("\(ProfileTree.frameLimit) call paths are distinguished; these are part of others")
        }
    }

    /// Lists the short steps that a `more` row stands for.
    private static func expand(_ row: ProfileRow, _ state: inout State) {
        state.profile.expanded.insert(row.id)
        state.updateViewport()
    }

    /// Folds the selected row; if there is nothing to fold, goes to the row that the selected row is under.
    private static func foldSelected(_ state: inout State) {
        guard let row = state.profile.selectedRow else { return state.notify(state.emptyReason) }
        if row.hasChildren, !row.isFolded {
            state.profile.selected = row.id
            state.profile.folded.insert(row.id)
            return state.updateViewport()
        }
        let rows = state.profile.rows[..<state.profile.cursor.selected]
        guard row.depth > 0, let above = rows.lastIndex(where: { $0.depth < row.depth }) else {
            return state.notify("these are whole chains; nothing is above them")
        }
        moveCursor(to: above, &state)
    }

    /// Unfolds the selected row; from an unfolded row, goes to the first row under it.
    private static func unfoldSelected(_ state: inout State) {
        guard let row = state.profile.selectedRow else { return state.notify(state.emptyReason) }
        if case .more = row.id { return expand(row, &state) }
        guard row.hasChildren else { return state.notify("nothing is under it; Enter goes to its slowest node") }
        guard row.isFolded else { return moveCursor(to: state.profile.cursor.selected + 1, &state) }
        state.profile.selected = row.id
        state.profile.folded.remove(row.id)
        state.updateViewport()
    }

    // MARK: Going

    /// Goes to the slowest node of the selected row, or to the newest node if the slowest is no longer kept.
    private static func goToSlowest(_ state: inout State) {
        guard let row = state.profile.selectedRow else { return state.notify(state.emptyReason) }
        guard row.isFrame else { return state.notify("this row stands for several call paths") }
        let forest = state.programs[row.programIndex].forest
        if let node = forest.index(of: row.slowest) {
            state.reveal(node, in: row.programIndex)
            state.notify("the slowest of \(CountText.grouped(row.count)): \(DurationText.settled(row.time.max))")
        } else if let node = forest.index(of: row.newest) {
            state.reveal(node, in: row.programIndex)
            state.notify("the slowest is no longer kept; this is the newest of \(CountText.grouped(row.count))")
        } else {
            state.notify("none of its nodes is kept any more")
        }
    }

    static func isMatch(_ row: ProfileRow, _ query: Query) -> Bool {
        guard row.isFrame else { return false }
        return query.mayFind(site: row.site, kind: row.key.kind, label: row.label)
    }

    // MARK: Copying

    private static func copy(_ state: inout State) -> [Effect] {
        guard let row = state.profile.selectedRow else { return state.refuse(state.emptyReason) }
        state.notify(state.copied(NodeText.safe(row.name)))
        return [.copy(ProfileDetail.line(row))]
    }

    /// Copies a line for each path in the format of `flamegraph.pl`: names joined by semicolons, and microseconds of
    /// self time. Paths with less than a microsecond of self time are left out.
    private static func copyStacks(_ state: inout State) -> [Effect] {
        var lines: [String] = []
        for program in state.programs {
            let frames = program.insight.chains.table?.profile?.frames ?? []
            var names: [String] = []
            for frame in frames {
                let site = program.forest.sites[frame.key.site].map { " (\($0.description))" } ?? ""
                let label = frame.label.flatMap { $0.isEmpty ? nil : $0 } ?? frame.key.kind.word
                let name = NodeText.safe(label + site).replacing(";", with: ",")
                names.append((frame.parent.map { names[$0] + ";" } ?? "") + name)
                if frame.ownTime >= 1_000 { lines.append("\(names[names.count - 1]) \(frame.ownTime / 1_000)") }
            }
        }
        guard !lines.isEmpty else { return state.refuse(state.emptyReason) }
        var text = ClipboardText()
        for line in lines where !text.isFull { text.add(line) }
        if text.isFull {
            let (count, all) = (CountText.grouped(text.count), CountText.grouped(lines.count))
            state.notify(state.copied("the first \(count) of \(all) stacks") + ": \(State.limitReason)", .warning)
        } else {
            state.notify(
                state.copied(CountText.counted(lines.count, "folded stack")) + ", in microseconds of self time")
        }
        return [.copy(text.text)]
    }
}
