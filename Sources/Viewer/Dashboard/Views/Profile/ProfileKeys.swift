// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel
import ChainText

// What keys do in the profile.
extension ProfileView {
    mutating func handleShared(_ intent: Intent, _ context: inout ViewContext) -> Bool {
        switch intent {
        case .visit: visit(&context)
        case .left: foldSelected(&context)
        case .right: unfoldSelected(&context)
        case .unfoldAll: folded = []
        case .foldAll: folded = Set(rows.filter { $0.depth == 0 && $0.hasChildren }.map(\.id))
        case .sort: sortByNext(&context)
        case .invertSort: invertSort(&context)
        case .why: goToSlowest(&context)
        case .cancelNode, .cancelChain, .tag:
            context.notify("these rows are call paths; w goes to the slowest node of one")
        case .nextMatch, .previousMatch:
            let query = context.filter.query
            goToMatch(forward: intent == .nextMatch, &context) { row, view, _ in
                query.map { Self.isMatch(view.rows[row], $0) } ?? false
            }
        case .copy: copy(&context)
        case .copyTree: copyStacks(&context)
        case .edit: context.open(selectedRow?.site)
        default: return endBaseline(by: intent, &context)
        }
        return true
    }

    mutating func perform(_ intent: Own, _ context: inout ViewContext) {
        switch intent {
        case .baseline: makeBaseline(&context)
        }
    }

    func offers(_ intent: Intent, hasSelection: Bool) -> Bool {
        intent != .why || selectedRow?.isFrame == true
    }

    // MARK: Folding

    /// Folds or unfolds the selected row, or lists the short steps that a `more` row stands for. From a path with
    /// nothing under it, goes to the slowest node of that path.
    mutating func visit(_ context: inout ViewContext) {
        guard let row = selectedRow else { return context.notify(context.emptyReason) }
        switch row.id {
        case .frame where row.hasChildren:
            selected = row.id
            if row.isFolded { folded.remove(row.id) } else { folded.insert(row.id) }
        case .frame: goToSlowest(&context)
        case .more: expand(row)
        case .omitted:
            context.notify("\(ProfileCount.frameLimit) call paths are distinguished; these are part of others")
        }
    }

    /// Lists the short steps that a `more` row stands for.
    private mutating func expand(_ row: ProfileRow) { expanded.insert(row.id) }

    /// Folds the selected row; if there is nothing to fold, goes to the row that the selected row is under.
    private mutating func foldSelected(_ context: inout ViewContext) {
        guard let row = selectedRow else { return context.notify(context.emptyReason) }
        if row.hasChildren, !row.isFolded {
            selected = row.id
            folded.insert(row.id)
            return
        }
        let rows = rows[..<cursor.selected]
        guard row.depth > 0, let above = rows.lastIndex(where: { $0.depth < row.depth }) else {
            return context.notify("these are whole chains; nothing is above them")
        }
        moveCursor(to: above, &context)
    }

    /// Unfolds the selected row; from an unfolded row, goes to the first row under it.
    private mutating func unfoldSelected(_ context: inout ViewContext) {
        guard let row = selectedRow else { return context.notify(context.emptyReason) }
        if case .more = row.id { return expand(row) }
        guard row.hasChildren else { return context.notify("nothing is under it; Enter goes to its slowest node") }
        guard row.isFolded else { return moveCursor(to: cursor.selected + 1, &context) }
        selected = row.id
        folded.remove(row.id)
    }

    // MARK: Going

    /// Goes to the slowest node of the selected row, or to the newest node if the slowest is no longer kept.
    private func goToSlowest(_ context: inout ViewContext) {
        guard let row = selectedRow else { return context.notify(context.emptyReason) }
        guard row.isFrame else { return context.notify("this row stands for several call paths") }
        let forest = context.programs[row.programIndex].forest
        if let node = forest.index(of: row.slowest) {
            context.reveal(node, in: row.programIndex)
            context.notify("the slowest of \(CountText.grouped(row.count)): \(DurationText.settled(row.time.max))")
        } else if let node = forest.index(of: row.newest) {
            context.reveal(node, in: row.programIndex)
            context.notify("the slowest is no longer kept; this is the newest of \(CountText.grouped(row.count))")
        } else {
            context.notify("none of its nodes is kept any more")
        }
    }

    static func isMatch(_ row: ProfileRow, _ query: Query) -> Bool {
        guard row.isFrame else { return false }
        return query.mayFind(site: row.site, kind: row.key.kind, label: row.label)
    }

    // MARK: Copying

    private func copy(_ context: inout ViewContext) {
        guard let row = selectedRow else { return context.notify(context.emptyReason) }
        context.copy(ProfileDetail.line(row), as: NodeText.safe(row.name))
    }

    /// Copies a line for each path in the format of `flamegraph.pl`: names joined by semicolons, and microseconds of
    /// self time. Paths with less than a microsecond of self time are left out.
    private func copyStacks(_ context: inout ViewContext) {
        var lines: [String] = []
        for program in context.programs {
            let frames = program.insight.profile.figures?.frames ?? []
            var names: [String] = []
            for frame in frames {
                let site = program.forest.sites[frame.key.site].map { " (\($0.description))" } ?? ""
                let label = frame.label.flatMap { $0.isEmpty ? nil : $0 } ?? frame.key.kind.word
                let name = NodeText.safe(label + site).replacing(";", with: ",")
                names.append((frame.parent.map { names[$0] + ";" } ?? "") + name)
                if frame.ownTime >= 1_000 { lines.append("\(names[names.count - 1]) \(frame.ownTime / 1_000)") }
            }
        }
        guard !lines.isEmpty else { return context.notify(context.emptyReason) }
        var text = ClipboardText()
        for line in lines where !text.isFull { text.add(line) }
        if text.isFull {
            let (count, all) = (CountText.grouped(text.count), CountText.grouped(lines.count))
            context.notify(
                context.copied("the first \(count) of \(all) stacks") + ": \(ClipboardText.limitReason)", .warning)
        } else {
            context.notify(
                context.copied(CountText.counted(lines.count, "folded stack")) + ", in microseconds of self time")
        }
        context.request(.copy(text.text))
    }
}
