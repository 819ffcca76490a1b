import ChainEvents
import ChainSource
import ChainSystem
import ChainWire
import Foundation
import Testing

@testable import ChainAttach

/// The ends of a source: with its program or its process, by `stop`, and by release.
@Suite struct EndingTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func aPidEndsWithItsProgram() throws {
        let program = try FakeProgram(in: folder)
        let watched = Watched(.pid(getpid()), folder.options)
        let (viewer, _) = try program.welcome()
        viewer.send(.batch(program.batch(1)))
        viewer.send(.farewell(Goodbye(.stopped, "")))
        try watched.status.waitForCompletion()
        #expect(watched.status.all.last == .ended(.finished))
        #expect(watched.batches.all.count == 1)
        watched.source.stop()
        #expect(watched.status.all.last == .ended(.finished))
    }

    @Test func aPidEndsWithItsProcess() throws {
        try expectEndWithProcess(folder.options, loginCount: 1) { .pid($0) }
    }

    /// For a recording, which is of one run.
    @Test func aNameCanStandForOneRun() throws {
        var options = folder.options
        options.endsWithRun = true
        // The first connection asks for the name.
        try expectEndWithProcess(options, loginCount: 2) { _ in .name("checkout") }
    }

    /// Attaches to a process, which has to be attached to again after the connection broke, and to end the source.
    private func expectEndWithProcess(
        _ options: AttachOptions, loginCount: Int, _ target: (Int32) -> Target
    ) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/cat")
        process.standardInput = Pipe()
        try process.run()
        let program = try FakeProgram(in: folder, pid: process.processIdentifier)
        let watched = Watched(target(process.processIdentifier), options)
        for _ in 1..<loginCount { _ = try program.welcome() }
        var viewer: FakeConnection? = try program.welcome().0
        try watched.waitUntilLive()
        // A broken connection is no end while the process runs.
        viewer = nil
        try watched.status.wait("an outage") { $0.disconnection != nil }
        watched.clock.advance(by: try watched.clock.restToDeadline())
        viewer = try program.welcome().0
        try watched.waitUntilLive()
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        viewer = nil
        try watched.status.waitForCompletion()
        #expect(watched.status.all.last == .ended(.finished))
        #expect(viewer == nil)
    }

    /// Another run may answer at the same path.
    @Test func anotherAddressOfOneRunEndsWithTheConnection() throws {
        let program = try FakeProgram(in: folder, path: folder.path + "/other.sock")
        var options = folder.options
        options.endsWithRun = true
        let watched = Watched(.unix(path: program.path), options)
        var viewer: FakeConnection? = try program.welcome().0
        try watched.waitUntilLive()
        viewer = nil
        try watched.status.waitForCompletion()
        guard case .ended(.failed)? = watched.status.all.last else {
            throw Impatience(description: "it ended by \(watched.status.all)")
        }
        #expect(viewer == nil)
    }

    @Test func aPidWithoutAProcessIsNotWaitedFor() throws {
        var options = folder.options
        options.waits = true
        let watched = Watched(.pid(.max), options)
        try watched.status.waitForCompletion()
        #expect(watched.status.all.last == .ended(.failed("There is no process \(Int32.max)")))
    }

    @Test(arguments: Wait.allCases)
    fileprivate func stopEndsEveryWaitAtOnce(_ wait: Wait) throws {
        let program = try FakeProgram(in: folder)
        var options = folder.options
        options.waits = true
        var watched: Watched
        var viewer: FakeConnection?
        switch wait {
        case .idle:
            let source = AttachedProcess(.unix(path: program.path), options: options)
            source.stop()
            source.start()
            #expect(program.acceptIfThere() == nil)
            return
        case .resting:
            watched = Watched(.unix(path: folder.path + "/none"), options)
            _ = try watched.clock.restToDeadline()
        case .discovery:
            watched = Watched(.name("checkout"), options)
            viewer = try program.nextViewer()
        case .greeting:
            watched = Watched(.unix(path: program.path), options)
            viewer = try program.nextViewer()
        case .live:
            watched = Watched(.unix(path: program.path), options)
            viewer = try program.welcome().0
            try watched.waitUntilLive()
        case .stalled:
            watched = Watched(.unix(path: program.path), options)
            viewer = try program.welcome().0
            try watched.waitUntilLive()
            watched.clock.advance(by: .seconds(6))
            try watched.status.wait("the silence") { $0.disconnection != nil }
        case .blocked:
            // The program reads no message of the source.
            watched = Watched(.unix(path: program.path), options)
            viewer = try program.welcome().0
            try watched.waitUntilLive()
            for id: UInt64 in 1...20 {
                let nodes = (0..<100_000).map { NodeID($0) }
                watched.source.send(
                    ViewerCommand(id: id, process: program.info.key, request: .cancel(.nodes(nodes), by: "t")))
            }
        }
        watched.source.stop()
        #expect(watched.status.all.last == .ended(.stopped))
        #expect(watched.status.isCompleted && watched.batches.isCompleted && watched.replies.isCompleted)
        if wait == .blocked { #expect(watched.replies.all.count == 20) }
        _ = try viewer?.waitForEnd()
    }

    @Test func releasingDetaches() throws {
        let program = try FakeProgram(in: folder)
        var watched: Watched? = Watched(.unix(path: program.path), folder.options)
        let status = watched?.status
        let (viewer, _) = try program.welcome()
        try watched?.waitUntilLive()
        watched = nil
        #expect(try viewer.waitForEnd()?.reason == .stopped)
        try status?.waitForCompletion()
    }

    @Test func anObserverMayReleaseTheSource() throws {
        let program = try FakeProgram(in: folder)
        let held = Lock<AttachedProcess?>(nil)
        let status = Recorded<SourceStatus>()
        let source = AttachedProcess(.unix(path: program.path), options: folder.options)
        held.withLock { $0 = source }
        _ = source.status.subscribe(status)
        _ = source.status.subscribe(onNext: { if $0.isLive { held.withLock { $0.take() }?.stop() } })
        source.start()
        let (viewer, _) = try program.welcome()
        #expect(try viewer.waitForEnd()?.reason == .stopped)
        try status.waitForCompletion()
    }
}

private enum Wait: CaseIterable {
    case idle, resting, discovery, greeting, live, stalled, blocked
}

// SPDX-License-Identifier: MIT
