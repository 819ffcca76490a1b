import ChainSystem
import Foundation
import TerminalHarness
import Testing

@testable import chainview

/// The connection to a collector, with collectors that misbehave.
@Suite(.onItsOwnThread) struct HTTPConnectionTests {
    /// A clock that advances with each look at it.
    private final class SteppingClock {
        var step = Duration.zero
        private var moment = ContinuousClock.now

        func look() -> ContinuousClock.Instant {
            moment += step
            return moment
        }
    }

    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

    private func connection(to collector: TestCollector, _ clock: SteppingClock) throws -> HTTPConnection {
        HTTPConnection(
            try CollectorURL("http://127.0.0.1:\(collector.port)"), agent: "test", limit: SendLimit(), clock: clock.look
        )
    }

    @Test func anAnswerWithoutEndIsGivenUpAtTheDeadline() throws {
        // 900 KB: some 55 reads, none of which has to wait.
        let endless = "HTTP/1.1 200 OK\r\nX-Long: " + String(repeating: "x", count: 900_000)
        let collector = try TestCollector(answers: [endless])
        let clock = SteppingClock()
        clock.step = .milliseconds(400)
        let connection = try connection(to: collector, clock)
        #expect(throws: HTTPFailure(description: "it does not answer within 10 s", progress: .uncertain)) {
            try connection.post("{}")
        }
        #expect(collector.requests.count == 1)
    }

    @Test func aRequestThatWasLateIsNotSentAgain() throws {
        // To the second request there is no answer.
        let collector = try TestCollector(answers: [Self.ok, "", Self.ok])
        let clock = SteppingClock()
        let connection = try connection(to: collector, clock)
        #expect(try connection.post("{}").status == 200)
        clock.step = .seconds(4)
        #expect(throws: HTTPFailure(description: "it does not answer within 10 s", progress: .uncertain)) {
            try connection.post("{}")
        }
        clock.step = .zero
        #expect(try connection.post("{}").status == 200)
        #expect(collector.requests.count == 3)
    }

    @Test func aSilentNameServerIsNotWaitedFor() throws {
        let answers = Semaphore()
        let clock = SteppingClock()
        clock.step = .milliseconds(400)
        let connection = HTTPConnection(
            try CollectorURL("http://collector.example"), agent: "test", limit: SendLimit(), clock: clock.look,
            search: {
                answers.wait()
                return .success([])
            })
        #expect(throws: HTTPFailure(description: "no name server answers for collector.example")) {
            try connection.post("{}")
        }
        // The next request waits for the same search.
        answers.signal()
        clock.step = .zero
        #expect(throws: HTTPFailure(description: "it has no address")) { try connection.post("{}") }
    }

    @Test func aSignalEndsTheWaitForAnAnswer() throws {
        let collector = try TestCollector(answers: [""])
        let connection = HTTPConnection(
            try CollectorURL("http://127.0.0.1:\(collector.port)"), agent: "test",
            limit: SendLimit(isInterrupted: { !collector.requests.isEmpty }))
        #expect(throws: HTTPFailure(description: "it did not answer before the end", progress: .uncertain)) {
            try connection.post("{}")
        }
    }

    @Test func aConnectionThatWasIdleIsMadeAnew() throws {
        // The collector closes the connection after this answer, which no header announces.
        let last = "HTTP/1.1 200 OK\r\nX-Connection: close\r\nContent-Length: 2\r\n\r\n{}"
        let collector = try TestCollector(answers: [last, last, "HTTP/1.1 200 OK\r\nX-Connection: close\r\n"])
        let connection = try connection(to: collector, SteppingClock())
        for _ in 0..<2 { #expect(try connection.post("{}").status == 200) }
        #expect(collector.requests.count == 2)
        // Once a part of an answer has come, the request is not repeated.
        #expect(throws: HTTPFailure(description: "it closed the connection", progress: .uncertain)) {
            try connection.post("{}")
        }
        #expect(collector.requests.count == 3)
    }
}

// SPDX-License-Identifier: MIT
