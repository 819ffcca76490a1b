/// Warnings that the user has dismissed.
extension WarningTable {
    /// Dismisses a kept warning: it does not come back for its node. Lost events come back when more are lost.
    public mutating func dismiss(_ id: Warning.ID) {
        guard let warning = self[id] else { return }
        recordDismissal(of: warning)
        lists[id.kind.index].remove(id.node)
        if !id.kind.isFault { held[id.node]? &= ~id.kind.bit }
        revision += 1
    }

    /// Dismisses all kept warnings of a kind.
    public mutating func dismissAll(of kind: WarningKind) {
        for warning in lists[kind.index].kept.values {
            recordDismissal(of: warning)
            if !kind.isFault { held[warning.node]? &= ~kind.bit }
        }
        lists[kind.index].removeAll()
        revision += 1
    }

    /// Removes all ended warnings.
    public mutating func dismissEnded() {
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
