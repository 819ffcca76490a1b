// SPDX-License-Identifier: MIT

import ChainSystem

/// The control block of a thread of glibc on x86-64: a thread's register for thread-local variables contains its address.
struct ThreadBlock: Hashable, Sendable {
    let address: UInt64
    /// The address of the table with the thread-local variables of each module (the DTV), 16 bytes each.
    let modules: UInt64

    // From `struct pthread` in glibc's `nptl/descr.h`, as in glibc 2.36: a block begins with its own address and that of
    // the table; the links of the list of threads and the thread's id follow. Only ids of present threads are believed.
    static let list: UInt64 = 0x2C0, thread: UInt64 = 0x2D0

    /// Returns the address of the entry of a module, which are numbered from 1.
    func entry(_ module: Int) -> UInt64 { modules &+ UInt64(module) &* 16 }
}

/// Where each thread keeps its current task: a place in the thread-local variables of one module.
struct TaskSlot: Hashable, Sendable {
    /// The module's number in the table of a thread.
    let module: Int
    /// The offset of the current task in the variables of the module.
    let offset: Int
    /// The offset of the pointer to the executor that the thread runs on, which is 0 on a thread without one.
    let executorOffset: Int
}

/// Finds the slot of the current task by what it has to contain: on every thread 0 or a task, and on some a running one.
struct TaskSlotSearch {
    /// The offsets by the runtime's names; nil if its file has no names of its own.
    private let named: (task: Int, executor: Int)?
    /// Places that contained something else at some time.
    private var excluded: Set<TaskSlot> = []

    /// Modules of a process that are looked at, and words of each.
    private static let moduleLimit = 64, wordLimit = 512
    /// What thread-local variables of a thread in a place of their own may take; those of the modules that a program
    /// starts with end at the control block.
    private static let farWords = 32, areaLimit: UInt64 = 256 << 10

    /// The variables of a module on one thread.
    private struct Variables {
        let start: UInt64
        let words: [UInt64]

        /// Whether the place of the executor contains 0, or a pointer, which it does beside a task.
        func canHaveExecutor(_ slot: TaskSlot, _ map: MemoryMap) -> Bool {
            guard slot.offset / 8 < words.count, slot.executorOffset / 8 < words.count else { return false }
            let executor = words[slot.executorOffset / 8]
            return executor == 0 ? words[slot.offset / 8] == 0 : executor & 7 == 0 && map.isWritable(executor)
        }
    }

    /// The names of the runtime's thread-local variables.
    private static let taskName = "_ZN12_GLOBAL__N_110ActiveTask5ValueE"
    private static let executorName = "_ZN12_GLOBAL__N_120ExecutorTrackingInfo18ActiveInfoInThreadE"

    init(_ images: ProcessImages) {
        named =
            images.images.lazy.filter { $0.path == images.program || $0.hasTaskRuntime }.compactMap(Self.offsets).first
    }

    private static func offsets(in image: ProcessImage) -> (task: Int, executor: Int)? {
        guard let task = image.threadLocal(taskName), let executor = image.threadLocal(executorName) else { return nil }
        return (Int(clamping: task), Int(clamping: executor))
    }

    /// Never finds this slot again, because it turned out to be wrong.
    mutating func exclude(_ slot: TaskSlot) { excluded.insert(slot) }

    /// Looks for the slot, given the addresses of tasks that run. Returns nil if no place, or more than one, can be it.
    /// Reads the thread-local variables of all threads.
    mutating func find(_ blocks: [ThreadBlock], running: Set<UInt64>, _ tasks: TaskReader) -> TaskSlot? {
        var votes: [TaskSlot: Int] = [:]
        var threads: [[Int: Variables]] = []
        for block in blocks {
            let modules = read(block, tasks)
            threads.append(modules)
            for (module, variables) in modules {
                for index in variables.words.indices.dropLast() where running.contains(variables.words[index]) {
                    guard let slot = slot(module, index), !excluded.contains(slot) else { continue }
                    votes[slot, default: 0] += 1
                }
            }
        }
        for slot in votes.keys {
            let places = threads.compactMap { $0[slot.module].map { $0.start &+ UInt64(slot.offset) } }
            if places.contains(where: tasks.isForeign) { excluded.insert(slot) }
            let isPossible = threads.allSatisfy { $0[slot.module]?.canHaveExecutor(slot, tasks.map) ?? true }
            if excluded.contains(slot) || !isPossible { votes[slot] = nil }
        }
        let most = votes.values.max() ?? 0
        let best = votes.filter { $0.value == most }
        return best.count == 1 ? best.first?.key : nil
    }

    private func slot(_ module: Int, _ index: Int) -> TaskSlot? {
        guard let named else { return TaskSlot(module: module, offset: index * 8, executorOffset: index * 8 + 8) }
        guard named.task == index * 8 else { return nil }
        return TaskSlot(module: module, offset: named.task, executorOffset: named.executor)
    }

    /// Returns the thread-local variables of a thread by module, without modules that have none on this thread.
    private func read(_ block: ThreadBlock, _ tasks: TaskReader) -> [Int: Variables] {
        // Before the entries is one with their number.
        let limit = min(Int(clamping: tasks.memory.word(block.modules &- 16) ?? 0), Self.moduleLimit)
        guard limit > 0, let entries = tasks.memory.words(block.entry(1), limit * 2) else { return [:] }
        var starts: [Int: UInt64] = [:]
        for module in 1...limit {
            let start = entries[(module - 1) * 2]
            if start & 7 == 0, tasks.map.isWritable(start) { starts[module] = start }
        }
        var variables: [Int: Variables] = [:]
        for (module, start) in starts {
            let end = ([block.address] + starts.values).filter { $0 > start }.min() ?? 0
            let isInArea = start < block.address && block.address - start < Self.areaLimit
            let count = isInArea ? min(Int(clamping: (end - start) / 8), Self.wordLimit) : Self.farWords
            variables[module] = tasks.memory.words(start, count).map { Variables(start: start, words: $0) }
        }
        return variables
    }
}

extension TaskReader {
    /// Whether memory at an address is, or was, a task.
    func isTask(_ address: UInt64) -> Bool {
        guard address & 15 == 0, map.isWritable(address), let first = memory.word(address) else { return false }
        return runtime.metadata.contains(first)
    }

    /// Whether a place contains something that is neither 0 nor a task. A task may end and be freed while it is looked
    /// at; the place then changes, too.
    func isForeign(_ place: UInt64) -> Bool {
        for _ in 0..<3 {
            guard let value = memory.word(place), value != 0, !isTask(value), memory.word(place) == value else {
                return false
            }
        }
        return true
    }
}
