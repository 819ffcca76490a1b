// SPDX-License-Identifier: MIT

/// What a Swift task waits for.
public struct TaskWait: Hashable, Sendable {
    /// The kind of what it waits for.
    public var target: WaitTarget
    /// The task, actor, lock or executor that it waits for; nil if it waits for none of these, or for one that is not
    /// found.
    public var node: NodeIndex?
    /// Since when it waits, in nanoseconds of the process's clock.
    public var since: UInt64

    /// Joins the facts of a wait.
    public init(target: WaitTarget, node: NodeIndex? = nil, since: UInt64) {
        (self.target, self.node, self.since) = (target, node, since)
    }
}

/// Who holds an actor, a lock or an executor: a Swift task, or a thread alone.
public struct ResourceHolder: Hashable, Sendable {
    /// The task; nil if only a thread is known.
    public var node: NodeIndex?
    /// The thread; 0 if it is unknown.
    public var thread: ThreadID
    /// Since when, in nanoseconds of the process's clock.
    public var since: UInt64
}

/// By slot, what Swift tasks wait for, and who holds actors, locks and executors.
struct TaskWaits {
    struct Wait: Hashable {
        var since: UInt64
        var node: NodeID
        var target: WaitTarget

        /// Whether it replaces another one. Of two that began at the same time, any order will do.
        func follows(_ other: Wait) -> Bool {
            (since, node, target.rawValue) > (other.since, other.node, other.target.rawValue)
        }
    }

    struct Holder: Hashable {
        var since: UInt64
        var node: NodeID
        var thread: ThreadID

        func follows(_ other: Holder) -> Bool { (since, node, thread) > (other.since, other.node, other.thread) }
    }

    private(set) var waits: [UInt32: Wait] = [:]
    var holders: [UInt32: Holder] = [:]
    /// By what they wait for, how many tasks wait.
    private(set) var waiterCounts: [NodeID: Int] = [:]

    subscript(slot: UInt32) -> Wait? {
        get { waits.isEmpty ? nil : waits[slot] }
        set {
            if let old = waits[slot], old.node != .none {
                let rest = waiterCounts[old.node, default: 0] - 1
                waiterCounts[old.node] = rest > 0 ? rest : nil
            }
            if let newValue, newValue.node != .none { waiterCounts[newValue.node, default: 0] += 1 }
            waits[slot] = newValue
        }
    }
}

// MARK: Applying

extension ForestData {
    func applyWaitsFor(_ slot: UInt32, _ event: ChainEvent) {
        let wait = TaskWaits.Wait(since: event.time, node: event.other, target: event.waitTarget)
        // It ended if the task has run or settled since. Nothing is stored then, so that the order of events does not
        // matter.
        guard nodes[slot].pointee.settlement == .pending, wait.since >= lastSwitchTime(slot) else { return }
        let known = taskWaits[slot]
        guard known.map(wait.follows) ?? true else { return }
        taskWaits[slot] = wait
        if let known { recordWaiterChange(of: known) }
        recordWaiterChange(of: wait)
    }

    func applyHeldBy(_ slot: UInt32, _ event: ChainEvent) {
        let holder = TaskWaits.Holder(since: event.time, node: event.other, thread: event.thread)
        guard nodes[slot].pointee.settlement == .pending,
            taskWaits.holders[slot].map(holder.follows) ?? true
        else { return }
        taskWaits.holders[slot] = holder
    }

    /// Ends a task's wait if it began before a time.
    func endTaskWait(of slot: UInt32, before time: UInt64 = .max) {
        guard let known = taskWaits[slot], known.since < time else { return }
        taskWaits[slot] = nil
        recordWaiterChange(of: known)
    }

    /// Forgets what a node that has settled waits for, and who holds it.
    func forgetTaskWaits(of slot: UInt32) {
        endTaskWait(of: slot)
        if !taskWaits.holders.isEmpty { taskWaits.holders[slot] = nil }
    }

    /// Records a change of what a task waits or waited for: the number of those that wait for it.
    private func recordWaiterChange(of wait: TaskWaits.Wait) {
        if let target = slot(of: wait.node) { recordChange(target, .facts) }
    }
}

// MARK: Reading

extension ChainForest {
    /// Returns what a Swift task waits for; nil if the task has run since, has settled, or if its program does not say.
    public func taskWait(of index: NodeIndex) -> TaskWait? {
        guard let wait = data.taskWaits[checked(index)],
            wait.node != .none || wait.target != .unknown && wait.target != .moving
        else {
            // It waits for nothing that is known.
            return nil
        }
        let node = self.index(of: wait.node)
        var target = wait.target
        if target == .unknown, let node {
            switch kind(of: node) {
            case .actor: target = .actor
            case .lock: target = .lock
            case .executor: target = .executor
            default: target = .task
            }
        }
        return TaskWait(target: target, node: node, since: wait.since)
    }

    /// Whether a Swift task changed each time that it was read last, from outside of its process: its state is that of an
    /// earlier reading.
    public func isMoving(_ index: NodeIndex) -> Bool {
        guard let wait = data.taskWaits[checked(index)] else { return false }
        return wait.target == .moving && wait.node == .none
    }

    /// Returns who holds an actor, a lock or an executor; nil if nobody does, if the task that held it has settled, or
    /// if it is unknown.
    public func holder(of index: NodeIndex) -> ResourceHolder? {
        let slot = checked(index)
        guard !data.taskWaits.holders.isEmpty, let holder = data.taskWaits.holders[slot] else { return nil }
        let node = self.index(of: holder.node)
        if let node, !state(of: node).isLive { return nil }
        guard node != nil || holder.thread != 0 else { return nil }
        return ResourceHolder(node: node, thread: holder.thread, since: holder.since)
    }

    /// Returns how many tasks wait for a node. O(1).
    public func waiterCount(of index: NodeIndex) -> Int {
        data.taskWaits.waiterCounts.isEmpty ? 0 : data.taskWaits.waiterCounts[id(of: index), default: 0]
    }

    /// The number of tasks of which is known what they wait for.
    public var taskWaitCount: Int { data.taskWaits.waits.count }

    /// Events that report what tasks wait for, and who holds what they wait for, to a late subscriber.
    var taskWaitEvents: [ChainEvent] {
        let waits = data.taskWaits.waits.map { slot, wait in
            ChainEvent(
                time: wait.since, .waitsFor, node: NodeID(data.nodes[slot].pointee.id), other: wait.node,
                detail: wait.target.rawValue)
        }
        let holders = data.taskWaits.holders.map { slot, holder in
            ChainEvent(
                time: holder.since, .heldBy, node: NodeID(data.nodes[slot].pointee.id), other: holder.node,
                thread: holder.thread)
        }
        return (waits + holders).sorted { ($0.node, $0.kind.rawValue) < ($1.node, $1.kind.rawValue) }
    }
}
