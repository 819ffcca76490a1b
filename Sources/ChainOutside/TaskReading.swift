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

    /// Reads the status records and the frames of many tasks, one record of all of them at a time.
    func facts(of tasks: [OutsideTask]) -> [TaskFactsOutside] {
        var facts = [TaskFactsOutside](repeating: TaskFactsOutside(), count: tasks.count)
        forEachRecord(of: tasks) { read(kind: $1, what: $2, how: $3, into: &facts[$0]) }
        if let offset = runtime.layout.nameOffset { readNames(of: tasks, at: offset, into: &facts) }
        readFrames(of: tasks, into: &facts)
        return facts
    }

    /// Reads what tasks wait for.
    func waits(of tasks: [OutsideTask]) -> [TaskWait?] {
        var waits = [TaskWait?](repeating: nil, count: tasks.count)
        forEachRecord(of: tasks) { index, kind, what, how in
            if kind == Kind.dependency { waits[index] = Self.wait(what: what, how: how) ?? waits[index] }
        }
        return waits
    }

    /// Calls `body` with the index of a task, and the kind and two words of each of its status records.
    private func forEachRecord(
        of tasks: [OutsideTask], _ body: (_ index: Int, _ kind: UInt64, _ what: UInt64, _ how: UInt64) -> Void
    ) {
        var pending = tasks.indices.filter { tasks[$0].record != 0 }.map { (index: $0, record: tasks[$0].record) }
        for _ in 0..<Self.recordLimit where !pending.isEmpty {
            let words = memory.pieces(at: pending.map(\.record), words: 5)
            var next: [(index: Int, record: UInt64)] = []
            for (position, (index, record)) in pending.enumerated() {
                let piece = words[position * 5..<position * 5 + 5]
                let first = piece.startIndex
                body(index, piece[first] & 0xFF, piece[first + 2], piece[first + 4])
                let following = piece[first + 1]
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

    private func read(kind: UInt64, what: UInt64, how: UInt64, into facts: inout TaskFactsOutside) {
        switch kind {
        case Kind.dependency: facts.wait = Self.wait(what: what, how: how) ?? facts.wait
        case Kind.childTasks, Kind.group: if map.isWritable(what) { facts.firstChildren.append(what) }
        case Kind.name: facts.name = memory.text(what)
        default: break
        }
    }

    private func readNames(of tasks: [OutsideTask], at offset: Int, into facts: inout [TaskFactsOutside]) {
        for (index, task) in tasks.enumerated() where task.flags & 1 << 30 != 0 {
            facts[index].name = memory.word(task.address + UInt64(offset)).flatMap { memory.text($0) }
        }
    }

    /// Returns the live tasks at addresses, and nil for addresses at which there is none (any more).
    func tasks(at addresses: [UInt64]) -> [OutsideTask?] {
        let count = TaskLayout.readSize / 8
        let words = memory.pieces(at: addresses, words: count)
        return words.withUnsafeBufferPointer { words in
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
    private func readFrames(of tasks: [OutsideTask], into facts: inout [TaskFactsOutside]) {
        var pending: [(index: Int, context: UInt64)] = []
        for (index, task) in tasks.enumerated() where !task.isRunning {
            var function = task.resume
            var context = task.context
            // Functions of the runtime stand in for the task's own, which the context contains.
            if runtime.waitAdapters.contains(function) {
                guard let words = memory.words(context, 2) else { continue }
                (context, function) = (words[0], words[1])
            } else if runtime.startAdapters.contains(function) {
                guard let word = memory.word(context &- 24) else { continue }
                function = word
            }
            guard map.isExecutable(function) else { continue }
            facts[index].frames = [function]
            pending.append((index, context))
        }
        for _ in 1..<Self.frameLimit where !pending.isEmpty {
            let words = memory.pieces(at: pending.map(\.context), words: 2)
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
