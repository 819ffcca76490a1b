import CMemory
import ChainInspector
import Demos
import Foundation
import PromiseRuntime

/// What the observed program makes.
struct Load {
    /// In events a second.
    var rate = 200_000.0
    /// One chain in so many is recorded.
    var sampling = 1
    /// Whether it makes what the demo `storm` makes.
    var isStorm = false

    /// How much faster than its own pace the demo runs: 240,000 events a second.
    static let stormSpeed = 58.0

    /// Reads `[EVENTS-A-SECOND [SAMPLING]] [--storm]`.
    init(words: [String]) {
        isStorm = words.contains("--storm")
        let numbers = words.compactMap { Double($0) }
        if let first = numbers.first { rate = first }
        if numbers.count > 1 { sampling = Int(numbers[1]) }
    }

    /// The words from which the same load is read.
    var words: [String] { ["\(rate)", "\(sampling)"] + (isStorm ? ["--storm"] : []) }
}

/// The observed program: makes events at a rate, for ever. Each tenth of a second two threads with a round of work
/// begin and end; with sampling more, so that the viewer's 1,024 lanes of threads are full before the measurement.
/// Answers each line on standard input with `MADE LOST BYTES`: the events made and lost so far, and the bytes of heap
/// in use.
enum Program {
    private struct Failure: Error {}

    private static let runtime = ChainRuntime(executor: InlineExecutor.shared)

    static func run(folder: String, _ load: Load) -> Never {
        var options = InspectorOptions()
        options.socketFolder = folder
        options.recording = RecordingFilter(sampling: load.sampling)
        let observed = load.isStorm ? ChainRuntime.shared : runtime
        guard let inspector = try? Inspector.start(name: "growth", runtime: observed, options: options) else {
            fatalError("the inspector does not start")
        }
        Thread.detachNewThread {
            while readLine() != nil {
                let counts = inspector.eventCounts
                print(counts.madeCount, counts.lostCount, memory_in_use())
                fflush(nil)
            }
            exit(0)
        }
        print("ready")
        fflush(nil)
        if load.isStorm { runStorm() }
        runRounds(load, inspector)
    }

    /// Runs the demo `storm`.
    private static func runStorm() -> Never {
        let context = DemoContext(seed: 1, speed: Load.stormSpeed, arguments: [])
        guard let storm = Demo.named("storm"), (try? storm.start(in: context)) != nil else {
            fatalError("the demo does not start")
        }
        while true { poll(nil, 0, -1) }
    }

    /// Makes rounds of work at the rate of a load.
    private static func runRounds(_ load: Load, _ inspector: Inspector) -> Never {
        let start = Clock.seconds
        var round = 0
        // The first 1,000 rounds measure the events of a round.
        for _ in 0..<1_000 { runtime.run { work(&round) } }
        inspector.collectNow()
        let eventsPerRound = Double(inspector.eventCounts.madeCount) / 1_000 * Double(load.sampling)
        var nextThreads = 0.0
        while true {
            if Clock.seconds - start > nextThreads {
                nextThreads += 0.1
                for _ in 0..<2 * min(load.sampling, 10) {
                    Thread.detachNewThread {
                        var own = 0
                        runtime.run { work(&own) }
                    }
                }
            }
            let due = Double(round) * eventsPerRound / load.rate
            let ahead = due - (Clock.seconds - start)
            if ahead > 0 {
                poll(nil, 0, Int32(min(max(ahead, 0.001), 0.01) * 1_000))
            } else {
                runtime.run { for _ in 0..<20 { work(&round) } }
            }
        }
    }

    /// Makes one of each: a fulfilled chain, a race, a rejection, and a cancellation.
    private static func work(_ round: inout Int) {
        round += 1
        let (root, resolver) = Promise<Int>.pending(label: "order")
        _ = root.map { $0 &+ 1 }.then { part($0) }.map { $0 &+ 1 }
        resolver.fulfill(round)
        let (first, second) = (Promise<Int>.pending(), Promise<Int>.pending())
        _ = Promise.race([first.promise, second.promise]).map { $0 &+ 1 }
        first.resolver.fulfill(1)
        second.resolver.fulfill(2)
        let (failing, failure) = Promise<Int>.pending()
        failing.map { $0 &+ 1 }.failed { _ in }
        failure.reject(Failure())
        let (cancelled, _) = Promise<Int>.pending()
        _ = cancelled.map { $0 &+ 1 }.failed { _ in }
        cancelled.cancel()
    }

    /// Returns a promise for a handler of ``work(_:)`` to return.
    private static func part(_ number: Int) -> Promise<Int> {
        let (root, resolver) = Promise<Int>.pending()
        let end = root.map { $0 &+ 1 }
        resolver.fulfill(number)
        return end
    }
}

/// A monotonic clock.
enum Clock {
    static var seconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

// SPDX-License-Identifier: MIT
