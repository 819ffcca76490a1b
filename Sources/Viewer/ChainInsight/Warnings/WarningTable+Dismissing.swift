// SPDX-License-Identifier: MIT

/// Warnings that the user has dismissed.
extension WarningTable {
    /// The dismissed warnings of one run of a program, for another table of the same run.
    package struct Dismissals: Sendable {
        fileprivate var ids: Set<Warning.ID> = []
        fileprivate var lossCount: UInt64 = 0

        /// Makes an empty set.
        package init() {}
    }

    /// The warnings that were dismissed, for ``restore(_:)``.
    package var dismissals: Dismissals {
        var all = Dismissals()
        (all.ids, all.lossCount) = (dismissed, dismissedLossCount)
        return all
    }

    /// Dismisses warnings, including warnings that are not found yet. O(`dismissals`).
    package mutating func restore(_ dismissals: Dismissals) {
        for id in dismissals.ids {
            dismiss(id)
            dismissed.insert(id)
        }
        guard dismissals.lossCount > dismissedLossCount else { return }
        // The next tick adds the losses beyond the number of dismissed losses.
        lists[WarningKind.lostEvents.index].remove(.none)
        dismissedLossCount = dismissals.lossCount
        revision += 1
    }

    /// Dismisses a kept warning. It does not come back for its node, unless all dismissals are forgotten
    /// (``dismissedLimit``). A warning about the whole program comes back when its condition has ended and holds again.
    /// The warning about lost events comes back when more events are lost.
    package mutating func dismiss(_ id: Warning.ID) {
        guard let warning = self[id] else { return }
        recordDismissal(of: warning)
        lists[id.kind.index].remove(id.node)
        if !id.kind.isFault { held[id.node]? &= ~id.kind.bit }
        revision += 1
    }

    /// Dismisses all kept warnings of a kind.
    package mutating func dismissAll(of kind: WarningKind) {
        for warning in lists[kind.index].kept.values {
            recordDismissal(of: warning)
            if !kind.isFault { held[warning.node]? &= ~kind.bit }
        }
        lists[kind.index].removeAll()
        revision += 1
    }

    /// Removes all ended warnings.
    package mutating func removeEnded() {
        for index in lists.indices { lists[index].removeEnded() }
        revision += 1
    }

    private mutating func recordDismissal(of warning: Warning) {
        if warning.kind == .lostEvents {
            dismissedLossCount = dismissedLossCount.addingClamped(warning.amount)
            return
        }
        if dismissed.count >= Self.dismissedLimit { dismissed.removeAll() }
        dismissed.insert(warning.id)
    }

    func isDismissed(_ id: Warning.ID) -> Bool { !dismissed.isEmpty && dismissed.contains(id) }
}
