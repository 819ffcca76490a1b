import Foundation
import PromiseRuntime
import Testing

/// P4: handlers of one promise on one serial executor run in the order of registration, also if a settlement and a
/// cancellation of that promise race.
struct OrderRaceTests {
    enum Serial: CaseIterable, Sendable {
        case queue, thread

        func make() -> any PromiseExecutor {
            switch self {
            case .queue: DispatchExecutor(label: "order")
            case .thread: ThreadExecutor(name: "order", limit: 1)
            }
        }
    }

    /// A promise with eight handlers that run for either outcome.
    private struct Round: Sendable {
        let promise: Promise<Int>
        let resolver: Resolver<Int>
        let log = Log<Int>()
        let ended = Latch(8)

        init(on executor: any PromiseExecutor) {
            (promise, resolver) = Promise<Int>.pending()
            for index in 0..<8 {
                promise.anyway(on: executor) { [log, ended] _ in
                    log.add(index)
                    ended.open()
                }
            }
        }
    }

    @Test("P4 the order holds if fulfil and cancel race", arguments: Serial.allCases)
    func order(_ serial: Serial) throws {
        let executor = serial.make()
        let rounds = (0..<3_000).map { _ in Round(on: executor) }
        let arrivedCounts = (Box(0), Box(0))
        // On a busy machine the threads meet only a few times a second; so the rounds end after ten seconds.
        let limit = ContinuousClock.now + .seconds(10)
        try onThreads(2) { side in
            let (own, other) = side == 0 ? arrivedCounts : (arrivedCounts.1, arrivedCounts.0)
            for (number, round) in rounds.enumerated() {
                if side == 0, ContinuousClock.now > limit { return own.value = .max }
                own.value = number + 1
                while other.value <= number { sched_yield() }
                if side == 0 { round.resolver.fulfill(1) } else { round.promise.cancel("raced") }
                if other.value == .max { return }
            }
        }
        let raced = rounds.prefix(min(arrivedCounts.1.value, rounds.count))
        for round in raced { try round.ended.wait("the handlers") }
        let disorders = raced.map(\.log.entries).filter { $0 != Array(0..<8) }
        #expect(disorders.isEmpty, "\(disorders.count) of \(raced.count) rounds: \(disorders.prefix(3))")
    }
}

// SPDX-License-Identifier: MIT
