import ChainEvents
import ChainSystem
import SeededNumbers
import Testing

@testable import ChainOutside

/// Readers given memory that contains anything. Each has to return, and to claim nothing that is not checked.
struct LyingMemoryTests {
    /// Memory of this process with words that lead anywhere, read as that of another process.
    private final class Memory {
        let words: UnsafeMutablePointer<UInt64>
        static let count = 1 << 15
        let map: MemoryMap
        let memory = ProcessMemory(pid: getpid())
        var start: UInt64 { UInt64(UInt(bitPattern: words)) }

        init?(_ random: inout SeededGenerator) {
            words = .allocate(capacity: Self.count)
            guard let map = MemoryMap(of: getpid()) else { return nil }
            self.map = map
            for index in 0..<Self.count {
                words[index] =
                    switch Int.random(in: 0..<8, using: &random) {
                    case 0...3: address(&random)
                    case 4: .random(in: 0...64, using: &random)
                    case 5: 0
                    default: random.next()
                    }
            }
        }

        deinit { words.deallocate() }

        /// Returns an address in the words.
        func address(_ random: inout SeededGenerator) -> UInt64 {
            start + UInt64.random(in: 0..<UInt64(Self.count), using: &random) * 8
        }

        func tasks(_ layout: TaskLayout = TaskLayout()) -> TaskReader {
            TaskReader(memory: memory, map: map, runtime: TaskRuntime(metadata: [start], layout: layout))
        }
    }

    private static let canRead = ProcessMemory(pid: getpid()).problem(at: UInt64(UInt(bitPattern: environ))) == nil

    @Test(.enabled(if: LyingMemoryTests.canRead, "This process cannot read its own memory as another's"))
    func everyReaderReturns() throws {
        try Seeds.forEach(upTo: 40, of: "memory") { seed in
            var random = SeededGenerator(seed: seed)
            let memory = try #require(Memory(&random))
            let layouts = [TaskLayout(), TaskLayout(version: 3, taskSize: 224, nameOffset: 224)]
            for layout in layouts {
                let tasks = memory.tasks(layout)
                let forged = (0..<50).map { _ in forgedTask(memory, &random) }
                let facts = tasks.facts(of: forged)
                #expect(facts.count == forged.count && facts.allSatisfy { $0.frames.count <= 64 })
                _ = tasks.waits(of: forged)
                _ = tasks.tasks(at: (0..<600).map { _ in memory.address(&random) } + [0, .max, 1, memory.start])
                for _ in 0..<100 { _ = tasks.isForeign(memory.address(&random)) }
                readThreads(tasks, memory, &random)
            }
            readExecutors(memory, &random)
            let locks = LockReader(memory: memory.memory)
            for operation in [0, 6, 9, 13, 128, 134, 5] {
                for value in [0, 2, UInt64.max] {
                    let text = "202 0x\(String(memory.address(&random), radix: 16)) 0x\(String(operation, radix: 16))"
                    let call = try #require(BlockingCall(parsing: text + " 0x\(String(value, radix: 16)) 0x0"))
                    _ = locks.lock(call, [1, 2, 3, 64])
                }
            }
        }
    }

    private func forgedTask(_ memory: Memory, _ random: inout SeededGenerator) -> OutsideTask {
        OutsideTask(
            address: memory.address(&random), id: random.next(), flags: UInt32(truncatingIfNeeded: random.next()),
            status: 0x4019, resume: random.next(), context: memory.address(&random), record: memory.address(&random),
            parent: 0, next: memory.address(&random))
    }

    private func readThreads(_ tasks: TaskReader, _ memory: Memory, _ random: inout SeededGenerator) {
        let images = ProcessImages(getpid(), MemoryMap(parsing: []))
        var search = TaskSlotSearch(images)
        let blocks = (0..<20).map { _ in
            ThreadBlock(address: memory.address(&random), modules: memory.address(&random))
        }
        let running = Set((0..<2_000).map { _ in memory.address(&random) })
        _ = search.find(blocks, running: running, tasks)
        var threads = ThreadReader(getpid(), images)
        let ids = ThreadFiles.ids(of: getpid())
        let found = (0..<200).map { _ in memory.address(&random) & ~63 }
        // Control blocks that are none, of threads that are there, in a list without an end.
        for (id, block) in zip(ids, found) {
            let index = Int(truncatingIfNeeded: block &- memory.start) / 8
            guard index >= 0, index + 128 < Memory.count else { continue }
            (memory.words[index], memory.words[index + 1], memory.words[index + 2]) =
                (block, memory.address(&random), block)
            memory.words[index + 88] = memory.address(&random) & ~63 + ThreadBlock.list
            memory.words[index + 90] = UInt64(id)
        }
        threads.prepare(ids, found: found, running: running, tasks)
        let first = threads.read(ids, tasks)
        _ = threads.readAgain(first, tasks)
    }

    private func readExecutors(_ memory: Memory, _ random: inout SeededGenerator) {
        var executors = ExecutorReader()
        for _ in 0..<500 { _ = executors.read(memory.address(&random), memory.memory, memory.map) }
        for address in [0, 7, UInt64.max, UInt64.max - 7] as [UInt64] {
            let nothing = executors.read(address, memory.memory, memory.map)
            #expect(nothing == nil)
        }
        // A queue of jobs that is a circle.
        let waiting = (0..<20).map { _ in forgedTask(memory, &random) }
        for (task, next) in zip(waiting, waiting.dropFirst() + waiting.prefix(1)) {
            let index = Int(task.address &- memory.start) / 8 + 2
            if index < Memory.count { memory.words[index] = next.address }
        }
        let actor = memory.address(&random)
        let order = executors.inOrder(waiting, of: actor, memory.memory)
        #expect(Set(order.map(\.address)) == Set(waiting.map(\.address)))
    }

    /// A process whose memory is full of forged tasks and control blocks that change all the time.
    @Test(.enabled(if: Right.problem == nil, Right.reason))
    func aProcessThatLiesDoesNoHarm() throws {
        let probe = try Probe("liar", 2_000)
        let reader = try OutsideReader(probe.pid)
        let own = Set(probe.lines("task").map { number($0[0]) })
        for _ in 0..<5 {
            let seen = reader.refresh()
            #expect(own.subtracting(reader.followed.keys) == [])
            #expect(seen.threads.count == ThreadFiles.ids(of: probe.pid).count)
            #expect(seen.locks == [])
            _ = reader.lookAgain()
        }
    }
}

// SPDX-License-Identifier: MIT
