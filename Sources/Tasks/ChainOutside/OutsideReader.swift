// SPDX-License-Identifier: MIT

import ChainEvents
import ChainSystem

/// The live tasks of another process, followed by reading its memory again and again. Used on one thread.
final class OutsideReader {
    /// A task that is being followed.
    struct Followed {
        var task: OutsideTask
        var facts: TaskFactsOutside
        /// When it was first seen, in nanoseconds of the monotonic clock.
        let seen: UInt64
        /// Since when it has been seen in its present state and place.
        var since: UInt64
        /// Since when it has changed each time that it was read: `task` and `facts` are those of the reading before that,
        /// of which there may be none. Nil if it was read.
        var movingSince: UInt64?
        /// The task that made it, for a structured child; else none.
        let parent: NodeID

        var node: NodeID { NodeID(task.id) }
        var isMoving: Bool { movingSince != nil }
    }

    /// What changed between two looks.
    struct Changes {
        var made: [Followed] = []
        /// Tasks that ran, stopped, wait for something else or were cancelled.
        var changed: [Followed] = []
        var ended: [NodeID] = []

        var isEmpty: Bool { made.isEmpty && changed.isEmpty && ended.isEmpty }
    }

    let pid: Int32
    let identity: ProcessIdentity
    private(set) var map: MemoryMap
    private(set) var images: ProcessImages
    /// Increases whenever files were mapped or unmapped.
    private(set) var imageGeneration = 0
    let runtime: TaskRuntime
    private var memory: ProcessMemory
    private let pages: Int32
    private let symbols: SymbolFiles
    private(set) var followed: [UInt64: Followed] = [:]
    /// The pass over all memory that is under way.
    private(set) var scan: TaskScan?
    /// How many passes are complete.
    private(set) var scanCount = 0
    /// The control blocks of threads that the last complete pass found.
    private(set) var threadBlocks: [UInt64] = []
    private var surroundingsReader: SurroundingsReader
    /// Nil for a program without SwiftNIO, and unless ``readsFutures`` is set.
    private var futureReader: FutureReader?
    /// Whether pending futures of SwiftNIO are looked for.
    var readsFutures = false { didSet { findFutures() } }
    /// Whether the next pass will find futures that the last one did not look for.
    private(set) var needsPass = false
    /// Whether the last look could read the process.
    private(set) var isLookComplete = false
    /// Threads that were asked to stop and have not yet.
    private var lateThreads: [Int32] = []

    /// How often a task is read again that changed while it was read.
    private static let retryCount = 3
    /// How many steps a list of children is followed at one look; what is further away is found by the next pass.
    private static let listLimit = 256

    /// Opens a process, and finds its concurrency runtime.
    ///
    /// - Parameter symbols: unstripped copies of its files.
    init(_ pid: Int32, symbols: SymbolFiles = SymbolFiles()) throws(OutsideError) {
        guard let identity = ProcessIdentity(of: pid) else {
            throw OutsideError(.notFound, "There is no process \(pid)")
        }
        guard let map = MemoryMap(of: pid) else { throw Self.refusal(pid, SystemError()) }
        self.pid = pid
        self.identity = identity
        self.map = map
        memory = ProcessMemory(pid: pid)
        if let readable = map.regions.first(where: { $0.isReadable && !$0.path.hasPrefix("[v") }),
            let problem = memory.problem(at: readable.start)
        {
            throw Self.refusal(pid, problem)
        }
        self.symbols = symbols
        images = ProcessImages(pid, map, symbols)
        if let problem = symbols.problem(with: images) { throw OutsideError(.symbols, problem) }
        guard let runtime = TaskRuntime(memory, map, images) else {
            throw OutsideError(
                .noTasks,
                "\(identity.name) (\(pid)) has no Swift tasks: it is not a Swift program, or does not use Swift's concurrency"
            )
        }
        self.runtime = runtime
        surroundingsReader = SurroundingsReader(pid, memory, images)
        pages = open("/proc/\(pid)/pagemap", O_RDONLY | O_CLOEXEC)
    }

    deinit { if pages >= 0 { close(pages) } }

    private static func refusal(_ pid: Int32, _ error: SystemError) -> OutsideError {
        guard let facts = MemoryAccess.facts(of: pid) else { return OutsideError(.ended, "Process \(pid) has ended") }
        return MemoryAccess.refusal(facts, error)
    }

    /// Reads tasks with the present map.
    var taskReader: TaskReader { TaskReader(memory: memory, map: map, runtime: runtime) }

    /// Whether the process still is what it was when it was opened.
    var isAlive: Bool { ProcessIdentity(of: pid) == identity }

    /// Stops all threads of the process. While they are stopped, memory is read without pauses.
    func stop() throws(OutsideError) -> StoppedThreads {
        let threads = try StoppedThreads.all(of: pid)
        memory.isStopped = true
        return threads
    }

    /// To be called when the threads go on.
    func noteGoingOn() { memory.isStopped = false }

    // MARK: Looking

    /// Begins a pass over all memory, if none is under way.
    func beginScan() {
        guard scan == nil else { return }
        scan = TaskScan(memory, map, runtime, pages: pages, futures: futureReader?.search)
    }

    /// Reads on in the pass under way, at most `limit` bytes, and returns the tasks found that are not followed yet.
    func advanceScan(limit: UInt64, now: UInt64) -> Changes {
        scan?.advance(limit: limit)
        let found = scan?.takeFound() ?? []
        if let scan, scan.isComplete {
            threadBlocks = scan.threadBlocks
            if let found = scan.futures { needsPass = futureReader?.take(found, memory, map) ?? false }
            scanCount += 1
            self.scan = nil
        }
        var changes = Changes()
        add(found.filter { followed[$0.address] == nil }, now, to: &changes)
        return changes
    }

    /// Reads all followed tasks again, and follows the lists of their children.
    func look(now: UInt64) -> Changes {
        var changes = Changes()
        StoppedThreads.release(&lateThreads)
        isLookComplete = false
        guard let present = MemoryMap(of: pid) else { return changes }
        isLookComplete = true
        if present.regions.count != map.regions.count || scanCount == 0 {
            let next = ProcessImages(pid, present, symbols, keeping: images)
            let isSame = next.images.elementsEqual(images.images, by: ===)
            images = next
            if !isSame {
                imageGeneration += 1
                findFutures()
            }
        }
        map = present
        // In the order of addresses, so that tasks of the same page are read together.
        let addresses = followed.keys.sorted()
        let tasks = taskReader.tasks(at: addresses)
        var kept: [OutsideTask] = []
        var new: [OutsideTask] = []
        for (address, task) in zip(addresses, tasks) {
            guard let known = followed[address] else { continue }
            if let task, task.id == known.task.id {
                kept.append(task)
            } else {
                followed[address] = nil
                changes.ended.append(known.node)
                // The memory of an ended task was used again for another one.
                if let task { new.append(task) }
            }
        }
        for (task, facts, isMoving) in settled(kept) {
            guard var known = followed[task.address] else { continue }
            if isMoving {
                // Addresses, which are checked when they are followed.
                known.facts.firstChildren = facts.firstChildren
                if !known.isMoving {
                    known.movingSince = now
                    changes.changed.append(known)
                }
            } else {
                // One that was moving has run meanwhile, even if it is where it was before.
                let isSame = !known.isMoving && !known.task.differs(from: task) && known.facts.isSame(as: facts)
                (known.task, known.facts, known.movingSince) = (task, facts, nil)
                if !isSame {
                    known.since = now
                    changes.changed.append(known)
                }
            }
            followed[task.address] = known
        }
        add(new, now, to: &changes)
        // Tasks that threads ran at the last look, and that no pass has found yet.
        add(surroundingsReader.strays.filter { followed[$0] == nil }, now, to: &changes)
        followChildren(now, &changes)
        return changes
    }

    /// Reads which threads run the followed tasks, and who holds and who waits for executors and locks: to be called after
    /// ``look(now:)``. Takes about 60 µs a thread.
    func surroundings(now: UInt64) -> Surroundings {
        var found = surroundingsReader.read(followed, found: threadBlocks, taskReader, now: now)
        found.futures = futureReader?.read(memory, map)
        return found
    }

    private func findFutures() { if readsFutures, futureReader == nil { futureReader = FutureReader(images) } }

    private func add(_ addresses: [UInt64], _ now: UInt64, to changes: inout Changes) {
        add(taskReader.tasks(at: addresses).compactMap { $0 }, now, to: &changes)
    }

    private func add(_ tasks: [OutsideTask], _ now: UInt64, to changes: inout Changes) {
        let found = settled(tasks).filter { followed[$0.0.address] == nil }
        let parents = self.parents(of: found.map(\.0))
        for (task, facts, isMoving) in found where followed[task.address] == nil {
            var new = Followed(
                task: task, facts: facts, seen: now, since: now, parent: parents[task.parent] ?? .none)
            if isMoving {
                // These may be of another time than the task.
                (new.facts.wait, new.facts.frames, new.movingSince) = (nil, [], now)
            }
            followed[task.address] = new
            changes.made.append(new)
        }
    }

    /// Returns the nodes of the parents of tasks, by address. A parent need not have been found yet.
    private func parents(of tasks: [OutsideTask]) -> [UInt64: NodeID] {
        var parents: [UInt64: NodeID] = [:]
        for task in tasks { parents[task.address] = NodeID(task.id) }
        var unknown: Set<UInt64> = []
        for task in tasks where task.parent != 0 && parents[task.parent] == nil {
            if let known = followed[task.parent] {
                parents[task.parent] = known.node
            } else {
                unknown.insert(task.parent)
            }
        }
        let addresses = Array(unknown)
        for (address, task) in zip(addresses, taskReader.tasks(at: addresses)) {
            parents[address] = task.map { NodeID($0.id) }
        }
        return parents
    }

    /// Reads the facts of tasks, and each task again after its facts: one that changed meanwhile is read anew. Leaves out
    /// tasks that end meanwhile.
    private func settled(_ tasks: [OutsideTask]) -> [(OutsideTask, TaskFactsOutside, isMoving: Bool)] {
        stride(from: 0, to: tasks.count, by: ProcessMemory.pieceLimit).flatMap { start in
            settledPart(tasks[start..<min(tasks.count, start + ProcessMemory.pieceLimit)])
        }
    }

    private func settledPart(
        _ tasks: ArraySlice<OutsideTask>
    ) -> [(OutsideTask, TaskFactsOutside, isMoving: Bool)] {
        var result: [(OutsideTask, TaskFactsOutside, isMoving: Bool)] = []
        var pending = Array(tasks)
        for attempt in 1...Self.retryCount where !pending.isEmpty {
            let facts = taskReader.facts(of: pending)
            let again = taskReader.tasks(at: pending.map(\.address))
            var moved: [OutsideTask] = []
            for (index, task) in pending.enumerated() {
                guard let now = again[index], now.id == task.id else { continue }
                if now == task {
                    result.append((task, facts[index], false))
                } else if attempt < Self.retryCount {
                    moved.append(now)
                } else {
                    result.append((now, facts[index], true))
                }
            }
            pending = moved
        }
        return result
    }

    /// Follows the lists of children from their first elements, which new children come to.
    private func followChildren(_ now: UInt64, _ changes: inout Changes) {
        var heads = Set(followed.values.flatMap(\.facts.firstChildren)).filter { followed[$0] == nil }
        for _ in 0..<Self.listLimit where !heads.isEmpty {
            let before = changes.made.count
            add(Array(heads), now, to: &changes)
            heads = []
            for new in changes.made[before...] {
                for next in new.facts.firstChildren + [new.task.next] where next != 0 && followed[next] == nil {
                    heads.insert(next)
                }
            }
        }
    }

    // MARK: Details

    /// Returns the followed task of a node. O(n).
    func followed(_ node: NodeID) -> Followed? { followed.values.first { $0.node == node } }

    /// Stops a thread for as long as its stack is copied. Nil if it has ended, or does not run the task any more.
    func stack(
        of thread: Int32, running followed: Followed
    ) throws(OutsideError) -> (addresses: [UInt64], stoppedTime: UInt64)? {
        let (reader, tasks) = (surroundingsReader, taskReader)
        return try StackReader.read(thread, of: pid, memory, late: &lateThreads) {
            reader.currentTask(of: ThreadID(bitPattern: thread), tasks) == followed.task.address
                && tasks.tasks(at: [followed.task.address])[0]?.id == followed.task.id
        }
    }
}

extension OutsideTask {
    /// Whether it runs, waits or is cancelled otherwise than another reading of it says.
    func differs(from other: OutsideTask) -> Bool {
        status & ~0x200 != other.status & ~0x200 || resume != other.resume || context != other.context
    }
}

extension TaskFactsOutside {
    func isSame(as other: TaskFactsOutside) -> Bool {
        wait == other.wait && name == other.name && frames == other.frames
    }
}

/// What tells a process from a later one with the same pid, and from another program that it may run.
struct ProcessIdentity: Hashable {
    let pid: Int32
    let name: String
    /// When the process began, in ticks of the system since it was started.
    private let startTicks: UInt64
    private let program: FileIdentity?

    private struct FileIdentity: Hashable {
        let device: UInt64
        let inode: UInt64
    }

    /// Nil if there is no such process, or if it has ended.
    init?(of pid: Int32) {
        guard let text = ProcFile.text("/proc/\(pid)/stat"), let open = text.firstIndex(of: "("),
            let close = text.lastIndex(of: ")"), open < close
        else { return nil }
        let fields = text[text.index(after: close)...].split(separator: " ")
        guard fields.count > 19, fields[0] != "Z", fields[0] != "X", let ticks = UInt64(fields[19]) else { return nil }
        self.pid = pid
        startTicks = ticks
        var facts = stat()
        program =
            stat("/proc/\(pid)/exe", &facts) == 0
            ? FileIdentity(device: UInt64(truncatingIfNeeded: facts.st_dev), inode: UInt64(facts.st_ino)) : nil
        let path = ProcessImages.program(of: pid)
        let last = path.split(separator: "/").last.map(String.init) ?? String(text[text.index(after: open)..<close])
        name = last.hasSuffix(" (deleted)") ? String(last.dropLast(10)) : last
    }

    /// The key of this run, the same for all viewers.
    var key: ProcessKey {
        // FNV-1a, over words.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for word in [UInt64(UInt32(bitPattern: pid)), startTicks, program?.device ?? 0, program?.inode ?? 0] {
            hash = (hash ^ word) &* 0x100_0000_01B3
            hash ^= hash >> 29
        }
        return ProcessKey(rawValue: hash == 0 ? 1 : hash)
    }
}
