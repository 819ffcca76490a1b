// SPDX-License-Identifier: MIT

import CLiveHeap
import ChainTesting
import PromiseRuntime

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

// Prints a line for every operation and outcome:
//     leak.OPERATION.OUTCOME BYTES bytes INSTANCES instances limit 0 ok|MISS
// BYTES is the growth of the heap after 10,000 rounds, each of which makes, settles and releases its promises.
// INSTANCES is the number of objects, held by values and errors, that are left. The line is of the kind of value or
// error with the largest growth, and names it if that is over 0. Arguments choose operations by the start of their
// names. Exits with 1 after a leak.

/// The growth of the heap and of live objects by the rounds of one operation.
struct Growth {
    var bytes: Int64 = 0
    var instances = 0
    var kind = ""

    /// The smallest block of the heap. A block that replaces another one of its size may be 16 bytes larger, where what
    /// the allocator would have to split off is too small, so less than a block is no leak.
    private static let leastBlock = 24

    var isNone: Bool { bytes < Self.leastBlock && instances == 0 }
}

/// Measures each operation for each outcome.
struct Measurement: OutcomeBody {
    let wanted: ArraySlice<String>
    let clock = VirtualClock()
    let runtime: ChainRuntime
    var names: [String] = []
    var growths: [String: Growth] = [:]

    init(wanted: ArraySlice<String>) {
        self.wanted = wanted
        runtime = ChainRuntime(clock: clock, executor: InlineExecutor.shared)
    }

    mutating func callAsFunction<Value: Sendable>(_ outcome: Outcome<Value>) {
        let inline = outcome.links + outcome.combinators + outcome.endings(clock)
        for operation in inline + outcome.concurrent {
            let name = "leak.\(operation.name).\(outcome.isRejected ? "rejected" : "fulfilled")"
            guard wanted.isEmpty || wanted.contains(where: { name.hasPrefix("leak.\($0)") }) else { continue }
            var growth = runtime.run { growthOf(operation.round) }
            growth.kind = outcome.kind
            guard let before = growths[name] else {
                names.append(name)
                growths[name] = growth
                continue
            }
            if (growth.instances, growth.bytes) > (before.instances, before.bytes) { growths[name] = growth }
        }
    }
}

private let roundCount = 10_000

/// Returns the least growth of three measurements: a leak grows in each, a cache that is filled once in one of them.
func growthOf(_ round: () -> Void) -> Growth {
    for _ in 0..<100 { round() }
    var least = Growth(bytes: .max, instances: .max)
    for _ in 0..<3 where !least.isNone {
        let (bytes, instances) = (live_heap_bytes(), Counted.aliveCount)
        for _ in 0..<roundCount { round() }
        var growth = Growth()
        // Other threads release what they hold soon after they have settled a promise. A waiting thread that sleeps
        // would leave the pool's threads idle, which then end, and new threads fill caches of their own.
        let deadline = ContinuousClock.now + .seconds(1)
        repeat {
            growth = Growth(bytes: live_heap_bytes() - bytes, instances: Counted.aliveCount - instances)
            if growth.isNone { break }
            sched_yield()
        } while ContinuousClock.now < deadline
        if growth.bytes < least.bytes || growth.instances < least.instances { least = growth }
    }
    return least
}

var measurement = Measurement(wanted: CommandLine.arguments.dropFirst())
forEachOutcome(&measurement)
var hasMissed = measurement.names.isEmpty
for name in measurement.names {
    guard let growth = measurement.growths[name] else { continue }
    hasMissed = hasMissed || !growth.isNone
    let end = growth.isNone ? "ok" : "MISS with \(growth.kind)"
    print("\(name) \(growth.isNone ? 0 : max(0, growth.bytes)) bytes \(growth.instances) instances limit 0 \(end)")
}
exit(hasMissed ? 1 : 0)
