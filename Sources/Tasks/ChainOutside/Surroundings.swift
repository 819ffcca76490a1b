// SPDX-License-Identifier: MIT

import ChainEvents

/// The threads of a process with the tasks that they run, and who holds and who waits for its executors and locks, at one
/// look.
///
/// All of it was read twice, and what differed is left out: what is left held together between the two readings. `since`
/// says since which look every look has found the same. Whether it changed between two looks and changed back cannot be
/// told, except for threads that did not run: see ``Thread/stillSince``.
struct Surroundings: Hashable, Sendable {
    /// A thread.
    struct Thread: Hashable, Sendable {
        let id: ThreadID
        let name: String
        /// What it is blocked in; nil if it ran, or waited for a processor.
        var wait: SystemWait?
        /// Since which look it has been blocked without a run, in nanoseconds of the monotonic clock. What it holds it
        /// has held all the time. Nil if it ran, or if the system does not say.
        var stillSince: UInt64?
        /// The task that it runs, and since when.
        var task: NodeID?
        var taskSince: UInt64?
    }

    /// A thread that holds something or waits for it, with the task that it runs.
    struct Holder: Hashable, Sendable {
        let thread: ThreadID
        /// Nil if the thread runs no task, or if that is not known.
        let task: NodeID?
        let since: UInt64
    }

    /// A task in the queue of an executor.
    struct Waiter: Hashable, Sendable {
        let task: NodeID
        let since: UInt64
    }

    /// An actor, or another serial executor, that a thread holds or a task waits for.
    struct Executor: Hashable, Sendable {
        let address: UInt64
        /// The name of its type, such as `shop.Till`; nil if it is not an object of a known class.
        var name: String?
        /// Whether its jobs run on the main thread.
        var isMain = false
        /// Nil for an executor that is not an actor with the runtime's own queue.
        var state: ActorState?
        /// The thread that runs its jobs; nil if there is none, or if that is not known.
        var holder: Holder?
        /// Tasks in its queue: for an actor in the order in which it will run them, otherwise the earliest seen first.
        var waiting: [Waiter] = []
    }

    /// A lock with an owner that other threads are blocked in.
    struct Lock: Hashable, Sendable {
        let address: UInt64
        let kind: LockReading.Kind
        let owner: Holder
        /// The threads that wait for it, the earliest seen first. May contain the owner.
        var waiting: [Holder] = []
    }

    /// When it was read, in nanoseconds of the monotonic clock.
    let time: UInt64
    /// Whether it is known which thread runs which task on which executor.
    var isTaskKnown = false
    /// In the order of ids.
    var threads: [Thread] = []
    /// In the order of addresses.
    var executors: [Executor] = []
    var locks: [Lock] = []
    /// Nil for a program without SwiftNIO.
    var futures: PendingFutures?

    /// Returns the thread that runs a task; nil if none does, or if that is not known. O(threads).
    func thread(running task: NodeID) -> Thread? { threads.first { $0.task == task } }

    /// Returns the executor at an address. O(log executors).
    func executor(at address: UInt64) -> Executor? {
        let index = executors.count(before: { $0.address < address })
        return index < executors.count && executors[index].address == address ? executors[index] : nil
    }
}
