// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel

// The rows of the view of warnings.
extension WarningsView {
    /// The warnings of all programs by group, and the counts for the rows that are not groups.
    private struct Grouping {
        var groups: [WarningGroup.ID: WarningGroup] = [:]
        /// By kind, how many warnings hold but are not kept.
        var notKept: [(kind: WarningKind, count: Int)] = []
        /// Warnings that hold and that the filter hides.
        var filteredCount = 0
        /// Ended warnings that the filter does not hide.
        var endedCount = 0

        mutating func add(_ warning: Warning, of source: SourceID, _ programIndex: Int, isNew: Bool) {
            let isEnded = warning.ended != nil
            if isEnded { endedCount += 1 }
            let id = WarningGroup.ID(kind: warning.kind, site: warning.site, source: source, isEnded: isEnded)
            if groups[id]?.add(warning, isNew: isNew && !isEnded) == nil {
                groups[id] = WarningGroup(warning, id: id, programIndex: programIndex, isNew: isNew && !isEnded)
            }
        }
    }

    /// Returns all rows. First comes a row for each kind at a call site of a program, the worst first; an unfolded row
    /// is followed by its warnings. Then come counts of warnings not kept or filtered out, ended warnings, and muted
    /// kinds. O(n log n) in the kept warnings.
    func allRows(_ context: ViewContext) -> [WarningRow] {
        let enabled = context.options.warnings.enabled
        var grouping = Grouping()
        for kind in WarningKind.byWeight where enabled.contains(kind) { add(kind, to: &grouping, context) }
        let clocks = context.programs.map(\.shownNow)
        func sorted(isEnded: Bool) -> [WarningGroup] {
            grouping.groups.values.filter { $0.id.isEnded == isEnded }
                .sorted { WarningGroup.precedes($0, $1) { clocks[$0] } }
        }
        var rows = sorted(isEnded: false).flatMap { self.rows(of: $0, context) }
        rows += grouping.notKept.map { .more($0.kind, count: $0.count) }
        if grouping.filteredCount > 0 { rows.append(.filtered(grouping.filteredCount)) }
        if grouping.endedCount > 0 {
            rows.append(.ended(grouping.endedCount, isFolded: !showsEnded))
            if showsEnded { rows += sorted(isEnded: true).flatMap { self.rows(of: $0, context) } }
        }
        rows += WarningKind.byWeight.filter { !enabled.contains($0) }.map { .muted($0) }
        return rows
    }

    /// Adds the warnings of a kind in all programs.
    private func add(_ kind: WarningKind, to grouping: inout Grouping, _ context: ViewContext) {
        var rest = 0
        for programIndex in context.programs.indices {
            let program = context.programs[programIndex]
            let seen = seenSerial(of: kind, program.info?.key)
            var keptCount = 0
            for warning in program.insight.warnings.warnings(of: kind) {
                if warning.ended == nil { keptCount += 1 }
                guard !context.filter.hidesUnmatched || isMatch(warning, in: programIndex, context) else {
                    if warning.ended == nil { grouping.filteredCount += 1 }
                    continue
                }
                grouping.add(warning, of: program.source, programIndex, isNew: warning.serial > seen)
            }
            rest += program.insight.warnings.count(of: kind) - keptCount
        }
        guard rest > 0 else { return }
        // Warnings that are not kept cannot be tested, so if the filter hides what does not match, they count as
        // hidden.
        if context.filter.hidesUnmatched {
            grouping.filteredCount += rest
        } else {
            grouping.notKept.append((kind, rest))
        }
    }

    /// Returns the row of a group, with a row for each warning if the group is unfolded.
    private func rows(of group: WarningGroup, _ context: ViewContext) -> [WarningRow] {
        let isUnfolded = group.warnings.count > 1 && unfolded.contains(group.id)
        guard isUnfolded else { return [.group(group, isFolded: true)] }
        return [.group(group, isFolded: false)]
            + group.warnings.map { .warning($0, group.id, programIndex: group.programIndex) }
    }

    /// Returns whether the warning's node matches the filter. Without a filter, all warnings match; with a filter, a
    /// warning without a kept node does not match.
    func isMatch(_ warning: Warning, in programIndex: Int, _ context: ViewContext) -> Bool {
        guard context.filter.isActive else { return true }
        guard let node = context.programs[programIndex].forest.index(of: warning.node) else { return false }
        return context.filterMatches(node, in: programIndex)
    }
}

// Which warnings are new since the user last looked.
extension WarningsView {
    /// Returns the last ``Warning/serial`` of a kind that the user has seen. Until the user first leaves the view, all
    /// warnings count as seen. This begins anew when the past is shown.
    func seenSerial(of kind: WarningKind, _ process: ProcessKey?) -> UInt64 {
        guard let seen else { return .max }
        return process.flatMap { seen[$0]?[kind] } ?? 0
    }

    mutating func willDisappear(_ context: inout ViewContext) {
        var seen: [ProcessKey: [WarningKind: UInt64]] = [:]
        for program in context.programs {
            guard let process = program.info?.key else { continue }
            for kind in WarningKind.allCases {
                seen[process, default: [:]][kind] = program.insight.warnings.lastSerial(of: kind)
            }
        }
        self.seen = seen
    }

    mutating func willLookBack() {
        (seen, seenOfLive) = (nil, seen)
    }

    mutating func didReturnToNow() {
        (seen, seenOfLive) = (seenOfLive, nil)
    }
}
