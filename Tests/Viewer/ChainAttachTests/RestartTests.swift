import ChainEvents
import ChainSource
import ChainWire
import Foundation
import TestWaits
import Testing

@testable import ChainAttach

/// A program that is started again while the next attempt is seconds away.
@Suite struct RestartTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Loses a program, fails until attempts are 5 s apart, and returns the program's pid.
    private func loseProgram(_ target: (FakeProgram) -> Target, _ watched: inout Watched?) throws -> Int32 {
        var program: FakeProgram? = try FakeProgram(in: folder, name: "shop")
        let pid = program!.info.pid
        watched = Watched(target(program!), folder.options)
        if case .name = target(program!) { _ = try program!.welcome() }
        var viewer: FakeConnection? = try program!.welcome().0
        try watched!.waitUntilLive()
        unlink(program!.path)
        withExtendedLifetime(viewer) { program = nil }
        viewer = nil
        for attempt in 0...7 {
            try watched!.status.wait("outage \(attempt)") { $0.disconnection?.attempt == attempt }
            if attempt < 7 { watched!.clock.advance(by: try watched!.clock.restToDeadline()) }
        }
        #expect(try watched!.clock.restToDeadline() == .seconds(5))
        return pid
    }

    /// Returns whether the next attempt is brought forward to within 100 ms, although the clock stands still.
    private func isBroughtForward(_ watched: Watched) throws -> Bool {
        try wait { try watched.clock.restToDeadline() <= .milliseconds(100) }
    }

    @Test func aNewRunIsNoticedForANameAndForAPath() throws {
        let targets: [(FakeProgram) -> Target] = [{ _ in .name("shop") }, { .unix(path: $0.path) }]
        for target in targets {
            var watched: Watched?
            let pid = try loseProgram(target, &watched)
            let again = try FakeProgram(in: folder, pid: pid, name: "shop", key: 2)
            try #require(try isBroughtForward(watched!))
            watched!.clock.advance(by: .milliseconds(100))
            if case .name = target(again) { _ = try again.welcome() }
            let (viewer, _) = try again.welcome()
            try watched!.status.wait("the new run") { $0.process?.key.rawValue == 2 && $0.isLive }
            watched!.source.stop()
            withExtendedLifetime(viewer) {}
            unlink(again.path)
        }
    }

    @Test func aFolderThatIsMadeLaterIsNoticed() throws {
        rmdir(folder.path)
        var options = folder.options
        options.waits = true
        let watched = Watched(.name("shop"), options)
        for attempt in 2...7 {
            watched.clock.advance(by: try watched.clock.restToDeadline())
            try watched.status.wait("attempt \(attempt)") {
                $0 == .connecting(attempt: attempt + 1, lastFailure: $0.failureText)
            }
        }
        mkdir(folder.path, 0o700)
        #expect(try isBroughtForward(watched))
        watched.source.stop()
    }

    /// Five times in a row. The clock moves by 100 ms for each run; the next attempt of the back-off is further away.
    @Test func quickRestartsAreFollowed() throws {
        var program = try Probe(["serve", "shop"], in: folder)
        #expect(program.nextLine() == "ready")
        let watched = Watched(.name("shop"), folder.options)
        try watched.waitUntilLive()
        for _ in 0..<5 {
            program.kill9()
            try watched.status.wait("the outage", last: true) { $0.disconnection != nil }
            while try watched.clock.restToDeadline() <= .milliseconds(100) {
                let attempt = watched.status.all.last?.disconnection?.attempt ?? 0
                watched.clock.advance(by: try watched.clock.restToDeadline())
                try watched.status.wait("a vain attempt", last: true) {
                    $0.disconnection.map { $0.attempt > attempt } ?? false
                }
            }
            program = try Probe(["serve", "shop"], in: folder)
            #expect(program.nextLine() == "ready")
            try #require(try isBroughtForward(watched))
            watched.clock.advance(by: .milliseconds(100))
            try watched.status.wait("the next run", last: true) { $0.isLive && $0.process?.pid == program.pid }
        }
        watched.source.stop()
    }

    /// Five times in a row, by the back-off or by the watch of the folder.
    @Test func restartsAreFollowedOnTheSystemsClock() throws {
        let watched: Watched
        var program = try Probe(["serve", "shop"], in: folder)
        #expect(program.nextLine() == "ready")
        watched = Watched(.name("shop"), folder.options, runs: true)
        try watched.waitUntilLive()
        for _ in 0..<5 {
            program.kill9()
            try watched.status.wait("the outage", last: true) { $0.disconnection != nil }
            program = try Probe(["serve", "shop"], in: folder)
            #expect(program.nextLine() == "ready")
            try watched.status.wait("the next run", last: true) { $0.isLive && $0.process?.pid == program.pid }
        }
        watched.source.stop()
    }
}

extension SourceStatus {
    /// The observed program, as far as it is known.
    var process: ProcessDescription? {
        switch self {
        case .live(let process), .replaying(let process, _), .reconnecting(let process, _): process
        case .idle, .connecting, .ended: nil
        }
    }

    fileprivate var failureText: String? { if case .connecting(_, let text) = self { text } else { nil } }
}

// SPDX-License-Identifier: MIT
