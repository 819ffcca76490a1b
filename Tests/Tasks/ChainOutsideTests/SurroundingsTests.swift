import ChainEvents
import ChainSystem
import TestWaits
import Testing

@testable import ChainOutside

/// Threads, actors and locks of a running probe, compared with what the probe says of itself.
@Suite(.enabled(if: Right.problem == nil, Right.reason))
struct SurroundingsTests {
    @Test func anActorIsHeldByABlockedTask() throws {
        let probe = try Probe("actor", 5)
        let reader = try OutsideReader(probe.pid)
        let held = try #require(probe.lines("holds").first)
        let address = number(held[2])
        var seen = Surroundings(time: 0)
        let isComplete = wait {
            seen = reader.refresh()
            let till = seen.executor(at: address)
            return till?.holder?.task != nil && till?.waiting.count == 5
                && seen.thread(running: till?.holder?.task ?? .none)?.wait == .read
        }
        #expect(isComplete, "\(seen)")
        let till = try #require(seen.executor(at: address))
        #expect(till.name == "OutsideProbe.Till" && !till.isMain && till.state == .running)
        #expect(till.holder?.task == reader.node(held[0]))
        #expect(till.holder?.thread == ThreadID(held[1]))
        // In the order in which they came.
        #expect(till.waiting.map(\.task) == probe.lines("waits").compactMap { reader.node($0[0]) })
        #expect(seen.executors.count == 1 && seen.locks == [] && seen.isTaskKnown)
        #expect(seen.threads.filter { $0.task != nil }.map(\.id) == probe.lines("holds").compactMap { ThreadID($0[1]) })
        #expect(seen.threads.map(\.id) == ThreadFiles.ids(of: probe.pid).sorted())

        // Nothing has changed at later looks, and the thread has not run.
        for _ in 0..<3 {
            let later = reader.lookAgain()
            let same = try #require(later.executor(at: address))
            #expect(later.time > seen.time && same == till)
            let thread = try #require(later.thread(running: till.holder?.task ?? .none))
            #expect(thread.wait == .read && thread.taskSince == seen.thread(running: thread.task ?? .none)?.taskSince)
            let stillSince = try #require(thread.stillSince)
            #expect(stillSince <= seen.time)
        }
    }

    @Test func theMainActorIsHeldByABlockedTask() throws {
        let probe = try Probe("main", 3)
        let reader = try OutsideReader(probe.pid)
        let held = try #require(probe.lines("holds").first)
        var seen = Surroundings(time: 0)
        var main: Surroundings.Executor?
        let isComplete = wait {
            seen = reader.refresh()
            main = seen.executors.first(where: \.isMain)
            return main?.holder?.task != nil && main?.waiting.count == 3
        }
        #expect(isComplete, "\(seen)")
        #expect(main?.holder?.thread == ThreadID(held[1]))
        #expect(main?.holder?.task == reader.node(held[0]))
        #expect(Set(main?.waiting.map(\.task) ?? []) == Set(probe.lines("waits").compactMap { reader.node($0[0]) }))
        #expect(main?.state == nil && seen.executors.count == 1)
    }

    @Test func twoThreadsWaitForEachOthersMutex() throws {
        let probe = try Probe("mutexes")
        let reader = try OutsideReader(probe.pid)
        var seen = Surroundings(time: 0)
        #expect(
            wait {
                seen = reader.refresh()
                return seen.locks.count == 2 && seen.locks.allSatisfy { $0.owner.task == nil }
            }, "\(seen)")
        for line in probe.lines("blocked") {
            let thread = try #require(ThreadID(line[0]))
            let owned = try #require(seen.locks.first { $0.address == number(line[2]) })
            #expect(owned.kind == .mutex && owned.owner.thread == thread)
            #expect(owned.waiting.count == 1 && owned.waiting.first?.thread != thread)
            let wanted = try #require(seen.locks.first { $0.address == number(line[3]) })
            #expect(wanted.waiting.map(\.thread) == [thread] && wanted.waiting.map(\.task) == [nil])
            #expect(seen.threads.first { $0.id == thread }?.wait == .futex)
        }
        #expect(reader.lookAgain().locks == seen.locks)
    }

    @Test func aTaskWaitsForTheMutexOfAnother() throws {
        let probe = try Probe("locks")
        let reader = try OutsideReader(probe.pid)
        let owner = try #require(probe.lines("owns").first)
        let waiter = try #require(probe.lines("blocked").first)
        var seen = Surroundings(time: 0)
        #expect(
            wait {
                seen = reader.refresh()
                return seen.locks.first?.owner.task != nil && seen.locks.first?.waiting.first?.task != nil
            }, "\(seen)")
        let lock = try #require(seen.locks.first)
        #expect(seen.locks.count == 1 && lock.kind == .inheriting && lock.address == number(owner[2]))
        #expect(lock.owner.thread == ThreadID(owner[0]) && lock.owner.task == reader.node(owner[1]))
        #expect(
            lock.waiting.map(\.thread) == [ThreadID(waiter[0])] && lock.waiting.map(\.task) == [reader.node(waiter[1])])
        #expect(seen.threads.first { $0.id == ThreadID(waiter[0]) }?.wait == .futex)
    }

    /// Tasks that go from actor to actor all the time are never in two places.
    @Test func nothingContradictsItselfWhileTasksHop() throws {
        let probe = try Probe("hop", 40)
        let reader = try OutsideReader(probe.pid)
        #expect(wait { reader.refresh().isTaskKnown })
        var holderCount = 0
        for round in 0..<400 {
            // Every tenth time at rest: what is read must be what is in memory.
            let isStopped = round % 10 == 9
            if isStopped { probe.stop() }
            let seen = reader.lookAgain()
            let running = seen.threads.compactMap(\.task)
            #expect(Set(running).count == running.count)
            var waiting: [NodeID] = []
            for executor in seen.executors {
                #expect(executor.isMain || executor.name == "OutsideProbe.Till")
                waiting += executor.waiting.map(\.task)
                guard let holder = executor.holder else { continue }
                holderCount += 1
                #expect(executor.isMain || executor.state == .running)
                #expect(holder.task == seen.threads.first { $0.id == holder.thread }?.task)
                if isStopped, !executor.isMain {
                    #expect(ProcessMemory(pid: reader.pid).word(executor.address + 32).map { $0 & 7 } == 2)
                }
            }
            #expect(Set(waiting).count == waiting.count && Set(waiting).isDisjoint(with: running))
            if isStopped { probe.goOn() }
        }
        #expect(holderCount > 0)
    }

    @Test func threadsOfWhichTheScanFoundOneAreFoundByTheirList() throws {
        let probe = try Probe("threads", 64)
        let reader = try OutsideReader(probe.pid)
        let held = try #require(probe.lines("holds").first)
        var seen = Surroundings(time: 0)
        #expect(
            wait {
                seen = reader.refresh()
                return seen.executor(at: number(held[2]))?.holder?.thread == ThreadID(held[1])
                    && seen.threads.filter { $0.wait == .read }.count >= 65
            }, "\(seen)")
        #expect(seen.threads.count == ThreadFiles.ids(of: probe.pid).count)
        #expect(seen.threads.first { $0.id == ThreadID(probe.pid) }?.name == "OutsideProbe")
        let ids = ThreadFiles.ids(of: probe.pid)
        var foundCount = 0
        for block in reader.threadBlocks {
            var threads = ThreadReader(probe.pid, reader.images)
            threads.prepare(ids, found: [block], running: [number(held[0])], reader.taskReader)
            let tasks = threads.read(ids, reader.taskReader).values.compactMap(\.task?.address)
            if tasks == [number(held[0])] { foundCount += 1 }
        }
        // The main thread is in another list.
        #expect(foundCount >= 65)
    }

    /// As in a program whose runtime has no symbols.
    @Test(arguments: ["actor", "main", "locks"])
    func theSlotOfTasksIsFoundWithoutNames(_ mode: String) throws {
        let probe = try Probe(mode, 3)
        let reader = try OutsideReader(probe.pid)
        #expect(wait { reader.refresh().threads.contains { $0.task != nil } })
        let running = Set(reader.followed.values.filter(\.task.isRunning).map(\.task.address))
        let ids = ThreadFiles.ids(of: probe.pid)
        var slots: [TaskSlot?] = []
        for images in [reader.images, ProcessImages(probe.pid, MemoryMap(parsing: []))] {
            var threads = ThreadReader(probe.pid, images)
            threads.prepare(ids, found: reader.threadBlocks, running: running, reader.taskReader)
            slots.append(threads.slot)
            // Without a task that runs there is nothing to find it by.
            var others = ThreadReader(probe.pid, images)
            others.prepare(ids, found: reader.threadBlocks, running: [], reader.taskReader)
            #expect(others.slot == nil)
        }
        #expect(slots[0] != nil && slots[0] == slots[1])
    }
}

// SPDX-License-Identifier: MIT
