// SPDX-License-Identifier: MIT

/// The runs and suspensions of Swift tasks.
extension ForestData {
    /// Returns when a Swift task last began to run or was suspended; 0 for other nodes.
    func lastSwitchTime(_ slot: UInt32) -> UInt64 {
        let extra = nodes[slot].pointee.extra
        return extra == noSlot ? 0 : extras[extra].pointee.switched
    }

    /// Applies the beginning of a run or of a suspension. The latest run or suspension holds; at equal times, the
    /// suspension holds.
    func applySwitch(_ slot: UInt32, _ time: UInt64, isSuspended: Bool, _ thread: ThreadID) {
        guard time != 0 else { return }
        let extra = ensureExtra(of: slot)
        let known = extras[extra].pointee.switched
        let node = nodes[slot]
        // Called before `isSwitching` is set, because the first run is also the start, and because `applyStarted` sets
        // no thread once `isSwitching` is set.
        applyStarted(slot, time, thread)
        guard known <= time, known < time || isSuspended || !node.pointee.isSuspended else { return }
        let isSame = known == time && isSuspended == node.pointee.isSuspended
        extras[extra].pointee.switched = time
        endTaskWait(of: slot, before: time)
        node.pointee.handlerFlags.insert(.isSwitching)
        if isSuspended {
            node.pointee.handlerFlags.insert(.isSuspended)
            noteSuspension(of: slot, at: time)
        } else {
            node.pointee.handlerFlags.remove(.isSuspended)
            forgetFrames(of: slot)
        }
        // If two events of the same kind have the same time, the greater thread number holds. The order of the events
        // then does not matter.
        if thread != 0, !isSame || thread > node.pointee.thread { node.pointee.thread = thread }
    }
}

extension ChainForest {
    /// Returns when a Swift task last began to run or was suspended (ns of the process's clock); nil for other nodes.
    public func lastSwitchTime(of index: NodeIndex) -> UInt64? {
        let time = data.lastSwitchTime(checked(index))
        return time == 0 ? nil : time
    }
}
