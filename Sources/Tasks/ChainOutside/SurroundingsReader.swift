// SPDX-License-Identifier: MIT

import ChainEvents
import ChainSystem

/// Reads the ``Surroundings`` of the followed tasks, look by look.
///
/// The cost of a look is proportional to the number of threads, and of the tasks that wait for executors.
struct SurroundingsReader {
    /// A fact that holds for some time.
    private enum Edge: Hashable {
        case runs(ThreadID, NodeID)
        case holds(ThreadID, NodeID?, UInt64)
        case waits(NodeID, UInt64)
        case owns(ThreadID, UInt64)
        /// With the number of the thread's runs: one that ran has waited anew.
        case isBlocked(ThreadID, UInt64, UInt64?)
    }

    /// What was read at one time.
    fileprivate struct Reading {
        var threads: [ThreadID: ThreadReading]
        var locks: [ThreadID: LockReading]
    }

    private struct Rest {
        let runCount: UInt64
        let since: UInt64
    }

    private var threads: ThreadReader
    private var executors = ExecutorReader()
    private let locks: LockReader
    private let pid: Int32
    /// Since when each edge has been found by every look.
    private var since: [Edge: UInt64] = [:]
    private var nextSince: [Edge: UInt64] = [:]
    /// Since when threads have not run.
    private var rests: [ThreadID: Rest] = [:]
    /// Running tasks that are not followed.
    private(set) var strays: [UInt64] = []

    init(_ pid: Int32, _ memory: ProcessMemory, _ images: ProcessImages) {
        threads = ThreadReader(pid, images)
        locks = LockReader(memory: memory)
        self.pid = pid
    }

    /// Reads the threads, the executors and the locks, twice. `followed` are the tasks as just read, and `found` the
    /// addresses of control blocks of threads.
    mutating func read(
        _ followed: [UInt64: OutsideReader.Followed], found: [UInt64], _ tasks: TaskReader, now: UInt64
    ) -> Surroundings {
        var running: Set<UInt64> = []
        var waiting: [(task: OutsideTask, executor: UInt64)] = []
        for known in followed.values where !known.isMoving {
            if known.task.isRunning { running.insert(known.task.address) }
            if case .executor(let address)? = known.facts.wait { waiting.append((known.task, address)) }
        }
        let ids = ThreadFiles.ids(of: pid)
        threads.prepare(ids, found: found, running: running, tasks)
        let first = Reading(threads: threads.read(ids, tasks), locks: [:]).addingLocks(locks)
        let held = Set(first.threads.values.map(\.executor).filter { $0 != 0 })
        var objects: [UInt64: ExecutorReading] = [:]
        for address in held.union(waiting.map(\.executor)) {
            objects[address] = executors.read(address, tasks.memory, tasks.map)
        }
        // From here on everything is read for the second time.
        let kept = stillWaiting(waiting, tasks)
        let second = Reading(threads: threads.readAgain(first.threads, tasks), locks: [:]).addingLocks(locks)
        strays = second.threads.values.compactMap(\.task?.address).filter { followed[$0] == nil }

        var result = Surroundings(time: now)
        result.isTaskKnown = threads.slot != nil
        let same = first.equal(to: second)
        nextSince = [:]
        result.threads = join(same, now)
        result.executors = join(same, kept, objects, tasks.memory, now)
        result.locks = joinLocks(same, now)
        since = nextSince
        return result
    }

    /// Returns the tasks that still wait for the same executor as before.
    private func stillWaiting(
        _ waiting: [(task: OutsideTask, executor: UInt64)], _ tasks: TaskReader
    ) -> [(task: OutsideTask, executor: UInt64)] {
        let again = tasks.tasks(at: waiting.map(\.task.address))
        // A task without a record reads as one that waits for nothing.
        let waits = tasks.waits(of: waiting.map(\.task))
        return waiting.indices.filter { index in
            guard let task = again[index], task == waiting[index].task else { return false }
            return task.isEnqueued && !task.isRunning && waits[index] == .executor(waiting[index].executor)
        }.map { waiting[$0] }
    }

    /// Returns since when an edge has been found by every look, this one included.
    private mutating func time(of edge: Edge, _ now: UInt64) -> UInt64 {
        let time = since[edge] ?? now
        nextSince[edge] = time
        return time
    }

    /// Returns the address of the task that a thread runs, which is stopped; nil if it runs none, or if that is not known.
    func currentTask(of thread: ThreadID, _ tasks: TaskReader) -> UInt64? { threads.currentTask(of: thread, tasks) }

    // MARK: Joining

    private mutating func join(_ reading: Reading, _ now: UInt64) -> [Surroundings.Thread] {
        var nextRests: [ThreadID: Rest] = [:]
        var result: [Surroundings.Thread] = []
        for (id, thread) in reading.threads.sorted(by: { $0.key < $1.key }) {
            var joined = Surroundings.Thread(id: id, name: ThreadFiles.name(pid, id))
            joined.wait = thread.call?.wait
            if thread.call != nil, let count = thread.runCount {
                let known = rests[id].flatMap { $0.runCount == count ? $0 : nil }
                nextRests[id] = known ?? Rest(runCount: count, since: now)
                joined.stillSince = nextRests[id]?.since
            }
            if let task = thread.task {
                joined.task = NodeID(task.id)
                joined.taskSince = time(of: .runs(id, NodeID(task.id)), now)
            }
            result.append(joined)
        }
        rests = nextRests
        return result
    }

    private mutating func join(
        _ reading: Reading, _ waiting: [(task: OutsideTask, executor: UInt64)], _ objects: [UInt64: ExecutorReading],
        _ memory: ProcessMemory, _ now: UInt64
    ) -> [Surroundings.Executor] {
        var result: [UInt64: Surroundings.Executor] = [:]
        func executor(_ address: UInt64) -> Surroundings.Executor {
            let object = objects[address]
            return Surroundings.Executor(
                address: address, name: object?.name, isMain: object?.isMain ?? false, state: object?.state)
        }
        for (id, thread) in reading.threads {
            // Only an object with a name is believed, and an actor only while it runs jobs.
            guard let object = objects[thread.executor], !object.isDefaultActor || object.state == .running else {
                continue
            }
            let task = thread.task.map { NodeID($0.id) }
            let holder = Surroundings.Holder(
                thread: id, task: task, since: time(of: .holds(id, task, thread.executor), now))
            // Of two holders, at least one was read at the wrong time.
            let isFirst = result[thread.executor] == nil
            result[thread.executor, default: executor(thread.executor)].holder = isFirst ? holder : nil
        }
        for (address, entries) in Dictionary(grouping: waiting, by: \.executor) {
            var tasks = entries.map(\.task)
            for task in tasks { _ = time(of: .waits(NodeID(task.id), address), now) }
            tasks.sort { left, right in
                let (first, second) = (NodeID(left.id), NodeID(right.id))
                return (nextSince[.waits(first, address)] ?? now, first) < (
                    nextSince[.waits(second, address)] ?? now, second
                )
            }
            if objects[address]?.isDefaultActor == true { tasks = executors.inOrder(tasks, of: address, memory) }
            result[address, default: executor(address)].waiting = tasks.map {
                Surroundings.Waiter(task: NodeID($0.id), since: nextSince[.waits(NodeID($0.id), address)] ?? now)
            }
        }
        return result.values.sorted { $0.address < $1.address }
    }

    private mutating func joinLocks(_ reading: Reading, _ now: UInt64) -> [Surroundings.Lock] {
        var result: [UInt64: Surroundings.Lock] = [:]
        func task(_ id: ThreadID) -> NodeID? { reading.threads[id]?.task.map { NodeID($0.id) } }
        for (id, lock) in reading.locks.sorted(by: { $0.key < $1.key }) {
            let owner = Surroundings.Holder(
                thread: lock.owner, task: task(lock.owner), since: time(of: .owns(lock.owner, lock.address), now))
            var joined = result[lock.address] ?? Surroundings.Lock(address: lock.address, kind: lock.kind, owner: owner)
            // Two threads read the owner at different times.
            guard joined.owner.thread == lock.owner else { continue }
            joined.waiting.append(
                Surroundings.Holder(
                    thread: id, task: task(id),
                    since: time(of: .isBlocked(id, lock.address, reading.threads[id]?.runCount), now)))
            result[lock.address] = joined
        }
        for address in result.keys { result[address]?.waiting.sort { $0.since < $1.since } }
        return result.values.sorted { $0.address < $1.address }
    }
}

extension SurroundingsReader.Reading {
    /// Adds the locks that the threads are blocked in.
    fileprivate func addingLocks(_ reader: LockReader) -> Self {
        var result = self
        let ids = Set(threads.keys)
        for (id, thread) in threads { result.locks[id] = thread.call.flatMap { reader.lock($0, ids) } }
        return result
    }

    /// Returns what another reading has, too.
    fileprivate func equal(to second: Self) -> Self {
        var result = Self(threads: [:], locks: [:])
        for (id, thread) in second.threads {
            guard let first = threads[id] else { continue }
            var same = thread
            if first.task?.id != thread.task?.id || first.task?.address != thread.task?.address { same.task = nil }
            if first.executor != thread.executor { same.executor = 0 }
            // The same count says that it did not run between the two.
            if first.runCount != thread.runCount { same.runCount = nil }
            result.threads[id] = same
            if let lock = second.locks[id], locks[id] == lock, first.runCount == thread.runCount {
                result.locks[id] = lock
            }
        }
        return result
    }
}
