// SPDX-License-Identifier: MIT

/// What a task waits for.
enum TaskWait: Hashable, Sendable {
    /// The end of another task, by its address.
    case task(UInt64)
    /// A continuation, which code that is not known here resumes.
    case continuation
    /// The next result of its task group.
    case group
    /// A turn on an actor or another serial executor, by its address.
    case executor(UInt64)
    /// A thread of the pool.
    case pool
}

/// Facts of a task outside of its own memory.
struct TaskFactsOutside: Hashable, Sendable {
    var wait: TaskWait?
    /// `Task(name:)`.
    var name: String?
    /// The first child of each of its groups and of its `async let`.
    var firstChildren: [UInt64] = []
    /// The functions in which it continues, innermost first; empty while it runs.
    var frames: [UInt64] = []
}

/// Reads what belongs to tasks and is elsewhere in memory.
struct TaskReader {
    let memory: ProcessMemory
    let map: MemoryMap
    let runtime: TaskRuntime

    /// Records that are read of a task at most, and frames.
    private static let recordLimit = 16, frameLimit = 64

    // The kinds of status records (`TaskStatusRecordKind`), and what a task depends on (`DependencyStatusRecord`).
    private enum Kind {
        static let dependency: UInt64 = 0, childTasks: UInt64 = 1, group: UInt64 = 2, name: UInt64 = 6
    }

    /// Reads the status records, the names and the frames of tasks, one record or frame of all of them at a time. Their
    /// pages are copied once; so that this takes little memory, there should be at most ``ProcessMemory/pieceLimit``
    /// tasks.
    func facts(of tasks: [OutsideTask]) -> [TaskFactsOutside] {
        var facts = [TaskFactsOutside](repeating: TaskFactsOutside(), count: tasks.count)
        var pages = MemoryPages(memory)
        var names: [(index: Int, address: UInt64)] = []
        forEachRecord(of: tasks, in: &pages) { index, kind, what, how in
            switch kind {
            case Kind.dependency: facts[index].wait = Self.wait(what: what, how: how) ?? facts[index].wait
            case Kind.childTasks, Kind.group: if map.isWritable(what) { facts[index].firstChildren.append(what) }
            case Kind.name: names.append((index, what))
            default: break
            }
        }
        if let offset = runtime.layout.nameOffset {
            let named = tasks.indices.filter { tasks[$0].flags & 1 << 30 != 0 }
            let words = pages.pieces(at: named.map { tasks[$0].address &+ UInt64(offset) }, words: 1)
            for (index, word) in zip(named, words) { names.append((index, word)) }
        }
        pages.load(names.map(\.address), size: 1)
        for (index, address) in names where address != 0 { facts[index].name = pages.text(at: address) }
        readFrames(of: tasks, in: &pages, into: &facts)
        return facts
    }

    /// Reads what tasks wait for.
    func waits(of tasks: [OutsideTask]) -> [TaskWait?] {
        var waits = [TaskWait?](repeating: nil, count: tasks.count)
        var pages = MemoryPages(memory)
        forEachRecord(of: tasks, in: &pages) { index, kind, what, how in
            if kind == Kind.dependency { waits[index] = Self.wait(what: what, how: how) ?? waits[index] }
        }
        return waits
    }

    /// Calls `body` with the index of a task, and the kind and two words of each of its status records.
    private func forEachRecord(
        of tasks: [OutsideTask], in pages: inout MemoryPages,
        _ body: (_ index: Int, _ kind: UInt64, _ what: UInt64, _ how: UInt64) -> Void
    ) {
        var pending = tasks.indices.filter { tasks[$0].record != 0 }.map { (index: $0, record: tasks[$0].record) }
        for _ in 0..<Self.recordLimit where !pending.isEmpty {
            let words = pages.pieces(at: pending.map(\.record), words: 5)
            var next: [(index: Int, record: UInt64)] = []
            for (position, (index, record)) in pending.enumerated() {
                let first = position * 5
                body(index, words[first] & 0xFF, words[first + 2], words[first + 4])
                let following = words[first + 1]
                if following & 7 == 0, following != record, map.isWritable(following) {
                    next.append((index, following))
                }
            }
            pending = next
        }
    }

    private static func wait(what: UInt64, how: UInt64) -> TaskWait? {
        switch how & 0xFFFF_FFFF {
        case 1: .task(what)
        case 2: .continuation
        case 3: .group
        case 4: what == 0 ? .pool : .executor(what)
        default: nil
        }
    }

    /// Returns the live tasks at addresses, and nil for addresses at which there is none (any more).
    func tasks(at addresses: [UInt64]) -> [OutsideTask?] {
        let count = TaskLayout.readSize / 8
        return memory.pieces(at: addresses, words: count).withUnsafeBufferPointer { words in
            addresses.enumerated().map { index, address in
                let piece = UnsafeBufferPointer(rebasing: words[index * count..<(index + 1) * count])
                let found = OutsideTask.read(piece, at: address, runtime.layout, runtime.metadata, map)
                return found?.verdict == .live ? found?.task : nil
            }
        }
    }

    /// Returns the addresses of the functions in which tasks continue, innermost first, one level of all of them at a
    /// time. They are those of one time only for tasks that did not change meanwhile; those of running tasks are out of
    /// date, and empty.
    private func readFrames(
        of tasks: [OutsideTask], in pages: inout MemoryPages, into facts: inout [TaskFactsOutside]
    ) {
        var pending: [(index: Int, context: UInt64)] = []
        func begin(_ index: Int, _ function: UInt64, _ context: UInt64) {
            guard map.isExecutable(function) else { return }
            facts[index].frames = [function]
            pending.append((index, context))
        }
        // Functions of the runtime stand in for the task's own, which the context contains.
        var waiting: [Int] = []
        var starting: [Int] = []
        for (index, task) in tasks.enumerated() where !task.isRunning {
            if runtime.waitAdapters.contains(task.resume) {
                waiting.append(index)
            } else if runtime.startAdapters.contains(task.resume) {
                starting.append(index)
            } else {
                begin(index, task.resume, task.context)
            }
        }
        let awaited = pages.pieces(at: waiting.map { tasks[$0].context }, words: 2)
        for (position, index) in waiting.enumerated() {
            begin(index, awaited[position * 2 + 1], awaited[position * 2])
        }
        let entries = pages.pieces(at: starting.map { tasks[$0].context &- 24 }, words: 1)
        for (index, function) in zip(starting, entries) { begin(index, function, tasks[index].context) }
        for _ in 1..<Self.frameLimit where !pending.isEmpty {
            let words = pages.pieces(at: pending.map(\.context), words: 2)
            var next: [(index: Int, context: UInt64)] = []
            for (position, (index, context)) in pending.enumerated() {
                let (parent, function) = (words[position * 2], words[position * 2 + 1])
                // The first context of a task returns to the runtime.
                guard parent != 0, parent != context, map.isExecutable(function), map.isReadable(parent) else {
                    continue
                }
                // The function that awaits a continuation is its own caller.
                if facts[index].frames.last != function { facts[index].frames.append(function) }
                next.append((index, parent))
            }
            pending = next
        }
    }
}
