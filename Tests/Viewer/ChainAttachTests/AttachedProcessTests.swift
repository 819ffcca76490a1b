import ChainEvents
import ChainSource
import ChainSystem
import ChainWire
import Foundation
import TestWaits
import Testing

@testable import ChainAttach

/// The life of a connection to a program that the test plays.
@Suite struct AttachedProcessTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func attachesAndPassesBatchesOn() throws {
        let program = try FakeProgram(in: folder)
        var options = folder.options
        options.viewerName = "ann"
        let watched = Watched(.pid(getpid()), options)
        let (viewer, greeting) = try program.welcome()
        #expect(greeting.purpose == .watch && greeting.name == "ann" && greeting.pid == getpid())
        #expect(!greeting.isReadOnly && greeting.token.isEmpty)
        try watched.waitUntilLive()
        #expect(watched.status.all == [.idle, .connecting(attempt: 1, lastFailure: nil), .live(program.info)])
        viewer.send(.batch(program.batch(1, made: [1, 2], resync: .begin(epoch: 1))))
        viewer.send(.batch(program.batch(2, made: [3], resync: .end(epoch: 1))))
        #expect(try watched.waitForBatch(2).events.map(\.node) == [NodeID(3)])
        #expect(watched.batches.all.map(\.sequence) == [1, 2])
        #expect(watched.batches.all[0].resync == .begin(epoch: 1))
        watched.source.stop()
        #expect(watched.status.all.last == .ended(.stopped))
        #expect(watched.status.isCompleted && watched.batches.isCompleted && watched.replies.isCompleted)
        #expect(try viewer.waitForEnd()?.reason == .stopped)
    }

    @Test func aMissingTargetEndsTheSourceWithAMessage() throws {
        let watched = Watched(.name("checkout"), folder.options)
        try watched.status.waitForCompletion()
        #expect(watched.status.all.last?.failure?.contains("No program named checkout listens in") == true)
        watched.source.stop()
        watched.source.start()
        #expect(watched.status.all.count == 3)
    }

    @Test func waitsForATargetThatIsNotThereYet() throws {
        var options = folder.options
        options.waits = true
        let watched = Watched(.name("checkout"), options)
        for attempt in 2...5 {
            let rest = try watched.clock.restToDeadline()
            #expect(rest == .milliseconds(100 << (attempt - 2)))
            watched.clock.advance(by: rest)
            let attempt = attempt + 1
            try watched.status.wait("attempt \(attempt)") { status in
                guard case .connecting(attempt, let failure?) = status else { return false }
                return failure.contains("No program named checkout")
            }
        }
        let program = try FakeProgram(in: folder)
        watched.clock.advance(by: try watched.clock.restToDeadline())
        // One connection looks for the name, the next attaches.
        _ = try program.welcome()
        let (viewer, _) = try program.welcome()
        try watched.waitUntilLive()
        watched.source.stop()
        _ = try viewer.waitForEnd()
    }

    @Test func triesAgainAfter100MillisecondsDoublingTo5Seconds() throws {
        var program: FakeProgram? = try FakeProgram(in: folder)
        let path = program!.path
        let info = program!.info
        let watched = Watched(.unix(path: path), folder.options)
        let (viewer, _) = try program!.welcome()
        try watched.waitUntilLive()
        watched.clock.advance(by: .seconds(2))
        viewer.send(.batch(program!.batch(1)))
        _ = try watched.waitForBatch(1)
        let lastReceived = watched.clock.wall
        watched.clock.advance(by: .seconds(1))
        program = nil
        shutdown(viewer.socket.number, Int32(SHUT_RDWR))
        var rests: [Duration] = []
        for attempt in 0...8 {
            let status = try watched.status.wait("outage \(attempt)") { $0.disconnection?.attempt == attempt }
            let disconnection = try #require(status.disconnection)
            #expect(status.process == info && disconnection.since == lastReceived)
            #expect(!disconnection.reason.isEmpty)
            let rest = try watched.clock.restToDeadline()
            #expect(disconnection.nextAttempt == watched.clock.wall + rest.clampedNanoseconds)
            rests.append(rest)
            watched.clock.advance(by: rest)
        }
        #expect(rests == [100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000].map { .milliseconds($0) })
        watched.source.stop()
        #expect(watched.status.all.last == .ended(.stopped))
    }

    @Test func aConnectionThatLastedResetsTheDelays() throws {
        let program = try FakeProgram(in: folder)
        let watched = Watched(.unix(path: program.path), folder.options)
        var rests: [Duration] = []
        for lifetime in [0, 4, 5, 1] {
            var viewer: FakeConnection? = try program.welcome().0
            try watched.waitUntilLive()
            // A batch each second, because a silent program would be reported as standing still.
            for second in 0..<lifetime {
                watched.clock.advance(by: .seconds(1))
                let count = watched.batches.all.count
                viewer?.send(.batch(program.batch(UInt64(second))))
                _ = try watched.batches.wait("a heartbeat") { $0.sequence > count }
            }
            viewer = nil
            let before = rests.count
            try watched.status.wait("an outage", last: true) { $0.disconnection != nil }
            rests.append(try watched.clock.restToDeadline())
            #expect(rests.count == before + 1)
            watched.clock.advance(by: rests[before])
        }
        #expect(rests == [100, 200, 100, 200].map { .milliseconds($0) })
        watched.source.stop()
    }

    @Test func aRestartedProgramIsLiveUnderItsNewKey() throws {
        var program: FakeProgram? = try FakeProgram(in: folder, name: "checkout")
        let watched = Watched(.name("check"), folder.options)
        _ = try program!.welcome()
        let (viewer, _) = try program!.welcome()
        try watched.waitUntilLive()
        viewer.send(.batch(program!.batch(1, made: [1], lost: 3)))
        _ = try watched.waitForBatch(1)
        viewer.send(.farewell(Goodbye(.stopped, "The inspector was stopped.")))
        program = nil
        let disconnection = try watched.status.wait("the loss") { $0.disconnection?.attempt == 0 }.disconnection
        #expect(disconnection?.reason == "The inspector was stopped" && disconnection?.hasStopped == true)
        // Another program, with a name that begins with `check`, too, is not mistaken for the new run.
        let other = try FakeProgram(in: folder, pid: 1, name: "checkers", key: 9)
        program = try FakeProgram(in: folder, pid: getpid(), name: "checkout", key: 2)
        watched.clock.advance(by: try watched.clock.restToDeadline())
        _ = try other.welcome()
        _ = try program!.welcome()
        let (again, _) = try program!.welcome()
        try watched.status.wait("the new run") { $0.process?.key.rawValue == 2 && $0.isLive }
        again.send(.batch(program!.batch(7, made: [1], lost: 2)))
        let batch = try watched.batches.wait("its first batch") { $0.process.rawValue == 2 }
        #expect(batch.sequence == 1 && batch.loss.lostAtClient == 2)
        watched.source.stop()
    }

    @Test func afterAReconnectionNumbersAndLossesOfBatchesContinue() throws {
        let program = try FakeProgram(in: folder)
        let watched = Watched(.unix(path: program.path), folder.options)
        var viewer = try program.welcome().0
        viewer.send(.batch(program.batch(1, lost: 3)))
        var last = program.batch(2, lost: 4)
        last.loss.deliveredCount = 10
        viewer.send(.batch(last))
        _ = try watched.waitForBatch(2)
        shutdown(viewer.socket.number, Int32(SHUT_RDWR))
        try watched.status.wait("the loss") { $0.disconnection != nil }
        watched.clock.advance(by: try watched.clock.restToDeadline())
        viewer = try program.welcome().0
        // The program has collected seven events between the connections.
        for (sequence, lost) in [(1, 0), (2, 5)] as [(UInt64, UInt64)] {
            var batch = program.batch(sequence, lost: lost)
            batch.loss.deliveredCount = 17
            viewer.send(.batch(batch))
        }
        #expect(try watched.waitForBatch(4).loss.lostAtClient == 16)
        #expect(watched.batches.all.map(\.loss.lostAtClient) == [3, 4, 11, 16])
        watched.source.stop()
    }

    @Test func aStoppedProgramIsReportedAndKept() throws {
        let program = try FakeProgram(in: folder)
        let watched = Watched(.unix(path: program.path), folder.options)
        let (viewer, _) = try program.welcome()
        try watched.waitUntilLive()
        let lastReceived = watched.clock.wall
        watched.clock.advance(by: .seconds(5))
        let disconnection = try #require(
            try watched.status.wait("the silence") { $0.disconnection != nil }.disconnection)
        #expect(disconnection.attempt == 0 && disconnection.nextAttempt == 0 && disconnection.since == lastReceived)
        #expect(disconnection.reason.contains("is stopped or hangs"))
        watched.cancel(1, id: 5, of: program.info)
        let reply = try watched.replies.wait("the refusal") { $0.command == 5 }
        #expect(reply.outcome == .refused("checkout is stopped or hangs, and takes no commands"))
        viewer.send(.batch(program.batch(1)))
        _ = try watched.waitForBatch(1)
        #expect(watched.status.all.last == .live(program.info))
        #expect(program.acceptIfThere() == nil)
        watched.source.stop()
    }

    /// A slow observer keeps the program's messages in the sockets, not in this process.
    @Test func whileAnObserverIsAtWorkNothingIsRead() throws {
        let program = try FakeProgram(in: folder)
        let watched = Watched(.unix(path: program.path), folder.options)
        let (viewer, _) = try program.welcome()
        try watched.waitUntilLive()
        let (isAtWork, mayContinue) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isFirst = Lock(true)
        _ = watched.source.batches.subscribe(onNext: { _ in
            let waits = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            guard waits else { return }
            isAtWork.signal()
            _ = mayContinue.waitForSignal()
        })
        viewer.send(.batch(program.batch(1)))
        #expect(isAtWork.waitForSignal())
        var count: UInt64 = 1
        var bytes = 0
        var rest: ArraySlice<UInt8> = []
        while bytes < 64 << 20 {
            if rest.isEmpty {
                count += 1
                rest = FakeConnection.bytes(of: .batch(program.batch(count, made: Array(1...2_000))))[...]
            }
            guard case .moved(let moved) = rest.withUnsafeBytes({ viewer.socket.send($0) }) else { break }
            rest = rest.dropFirst(moved)
            bytes += moved
        }
        #expect(bytes < 16 << 20)
        mayContinue.signal()
        viewer.sendBytes(rest)
        #expect(try watched.waitForBatch(count).events.count == 2_000)
        #expect(watched.batches.all.map(\.sequence) == Array(1...count))
        watched.source.stop()
    }

    @Test func aLateSubscriberGetsTheWholeState() throws {
        let program = try FakeProgram(in: folder)
        let watched = Watched(.unix(path: program.path), folder.options)
        let (viewer, _) = try program.welcome()
        viewer.send(.batch(program.batch(1)))
        _ = try watched.waitForBatch(1)
        let late = Recorded<EventBatch>()
        _ = watched.source.batches.subscribe(late)
        let command = try viewer.receiveCommand()
        #expect(command.request == .resync && command.process == program.info.key)
        viewer.send(.reply(CommandReply(command: command.id, outcome: .accepted(count: 0))))
        viewer.send(.batch(program.batch(2, resync: .begin(epoch: 1))))
        #expect(try late.wait("the state") { $0.resync == .begin(epoch: 1) }.sequence == 2)
        // The reply to the source's own command is not published.
        watched.source.stop()
        #expect(watched.replies.all.isEmpty && late.isCompleted)
    }
}

// SPDX-License-Identifier: MIT
