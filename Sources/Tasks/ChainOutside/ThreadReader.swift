// SPDX-License-Identifier: MIT

import ChainEvents
import ChainSystem

/// A thread of another process, as read at one time.
struct ThreadReading: Hashable, Sendable {
    let id: ThreadID
    /// How often it has been given a processor; nil if that is not known.
    var runCount: UInt64?
    /// The call that it is blocked in; nil while it runs.
    var call: BlockingCall?
    /// The task that it runs; nil if there is none, or if that is not known.
    var task: OutsideTask?
    /// The object that the thread runs on, an actor or another serial executor; not checked.
    var executor: UInt64 = 0
}

/// Reads the threads of a process: what they are blocked in, which tasks they run, and on which executors.
///
/// The system says the former for each thread. The latter is in thread-local variables, whose place is known only for
/// glibc on x86-64; elsewhere no thread has a task or an executor.
struct ThreadReader {
    private let pid: Int32
    private var search: TaskSlotSearch
    private(set) var slot: TaskSlot?
    private var blocks: [ThreadID: ThreadBlock] = [:]

    /// How many steps the runtime's list of threads is followed at one reading.
    private static let listLimit = 256

    init(_ pid: Int32, _ images: ProcessImages) {
        self.pid = pid
        search = TaskSlotSearch(images)
    }

    /// Finds the control blocks of the threads, and the slot of their current tasks if it is not known yet. `found` are
    /// the addresses of control blocks that a pass over memory found; `running` are the tasks that run.
    mutating func prepare(_ ids: [ThreadID], found: [UInt64], running: Set<UInt64>, _ tasks: TaskReader) {
        #if arch(x86_64)
            var wanted = Set(ids)
            let known = blocks.values.map(\.address)
            blocks = [:]
            take(known, &wanted, tasks)
            // Threads that have begun since.
            if !wanted.isEmpty { take(found, &wanted, tasks) }
            if !wanted.isEmpty { followList(&wanted, tasks) }
            if slot == nil, !running.isEmpty { slot = search.find(Array(blocks.values), running: running, tasks) }
        #endif
    }

    /// Reads the threads with these ids.
    mutating func read(_ ids: [ThreadID], _ tasks: TaskReader) -> [ThreadID: ThreadReading] {
        var threads: [ThreadID: ThreadReading] = [:]
        for id in ids {
            // In this order: a thread whose count is the same later has been blocked in the call all the time.
            let count = ThreadFiles.runCount(pid, id)
            threads[id] = ThreadReading(id: id, runCount: count, call: ThreadFiles.call(pid, id))
        }
        readSlots(&threads, tasks)
        return threads
    }

    /// Reads threads again, and leaves out the call of a thread that has run since `before`.
    mutating func readAgain(_ before: [ThreadID: ThreadReading], _ tasks: TaskReader) -> [ThreadID: ThreadReading] {
        var threads: [ThreadID: ThreadReading] = [:]
        for (id, thread) in before {
            var now = ThreadReading(id: id, runCount: ThreadFiles.runCount(pid, id), call: thread.call)
            if thread.call != nil, now.runCount == nil || now.runCount != thread.runCount {
                now.call = ThreadFiles.call(pid, id)
                if now.call != thread.call { now.call = nil }
            }
            threads[id] = now
        }
        readSlots(&threads, tasks)
        return threads
    }

    // MARK: Control blocks

    /// Keeps those addresses that are control blocks of wanted threads.
    private mutating func take(_ addresses: [UInt64], _ wanted: inout Set<ThreadID>, _ tasks: TaskReader) {
        let heads = tasks.memory.pieces(at: addresses, words: 3)
        let ids = tasks.memory.pieces(at: addresses.map { $0 &+ ThreadBlock.thread }, words: 1)
        for (index, address) in addresses.enumerated() {
            let id = ThreadID(truncatingIfNeeded: ids[index])
            guard heads[index * 3] == address, heads[index * 3 + 2] == address, wanted.remove(id) != nil else {
                continue
            }
            blocks[id] = ThreadBlock(address: address, modules: heads[index * 3 + 1])
        }
    }

    /// Follows the list of threads, to which a new thread is added as the first, from the known ones in both directions.
    private mutating func followList(_ wanted: inout Set<ThreadID>, _ tasks: TaskReader) {
        var seen = Set(blocks.values.map(\.address))
        var pending = Array(seen)
        for _ in 0..<Self.listLimit where !pending.isEmpty && !wanted.isEmpty {
            let links = tasks.memory.pieces(at: pending.map { $0 &+ ThreadBlock.list }, words: 2)
            let neighbours = links.map { $0 &- ThreadBlock.list }.filter {
                $0 & 63 == 0 && tasks.map.isWritable($0) && seen.insert($0).inserted
            }
            let before = Set(blocks.keys)
            take(neighbours, &wanted, tasks)
            pending = blocks.filter { !before.contains($0.key) }.map(\.value.address)
        }
    }

    // MARK: Current tasks

    /// Returns the address of the task in the slot of a thread; nil if there is none, or if the slot is not known.
    func currentTask(of thread: ThreadID, _ tasks: TaskReader) -> UInt64? {
        guard let slot, let block = blocks[thread], let start = tasks.memory.word(block.entry(slot.module)),
            tasks.map.isWritable(start), let task = tasks.memory.word(start &+ UInt64(slot.offset)), task != 0
        else { return nil }
        return task
    }

    private mutating func readSlots(_ threads: inout [ThreadID: ThreadReading], _ tasks: TaskReader) {
        guard let slot else { return }
        let owners = blocks.filter { threads[$0.key] != nil }.map { (id: $0.key, block: $0.value) }
        let starts = tasks.memory.pieces(at: owners.map { $0.block.entry(slot.module) }, words: 1)
        // The table may lie: what is not mapped is not read.
        let present = owners.indices.filter { tasks.map.isWritable(starts[$0]) }
        let current = tasks.memory.pieces(at: present.map { starts[$0] &+ UInt64(slot.offset) }, words: 1)
        let holders = tasks.memory.pieces(at: present.map { starts[$0] &+ UInt64(slot.executorOffset) }, words: 1)
        let running = present.indices.filter { current[$0] != 0 }
        let found = tasks.tasks(at: running.map { current[$0] })
        for (index, task) in zip(running, found) {
            if let task, task.isRunning {
                threads[owners[present[index]].id]?.task = task
            } else if tasks.isForeign(starts[present[index]] &+ UInt64(slot.offset)) {
                return forgetSlot(&threads)
            }
        }
        let held = present.indices.filter { holders[$0] & 7 == 0 && tasks.map.isWritable(holders[$0]) }
        let executors = tasks.memory.pieces(at: held.map { holders[$0] }, words: 1)
        for (index, executor) in zip(held, executors) { threads[owners[present[index]].id]?.executor = executor }
    }

    /// Forgets a slot that contains something else than a task, and what was read there.
    private mutating func forgetSlot(_ threads: inout [ThreadID: ThreadReading]) {
        if let slot { search.exclude(slot) }
        slot = nil
        for id in threads.keys {
            threads[id]?.task = nil
            threads[id]?.executor = 0
        }
    }
}
