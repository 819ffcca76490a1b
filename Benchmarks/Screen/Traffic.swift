// SPDX-License-Identifier: MIT

import ChainEvents

/// A program with a fixed number of chains in flight: as many begin as end. Deterministic.
///
/// Most of the chains wait; some are busy, and a random busy one makes the next step. If that ends its chain, a waiting
/// chain becomes busy, and a new chain waits.
struct Traffic {
    static let process = ProcessKey(rawValue: 0xC4A1)
    /// The numbers of call sites and threads of the program.
    static let siteCount: UInt32 = 64, threadCount: UInt32 = 8

    private struct Chain {
        var first: UInt64
        var plan: UInt8
        var burst: UInt8
    }

    private let plans: [Plan]
    private var random: Random
    private var waiting: [Chain] = []
    private var busy: [Chain] = []
    private var nextID: UInt64 = 1
    private var sequence: UInt64 = 0
    private var time: UInt64 = 1_000_000_000
    private let interval: UInt64

    /// - Parameters:
    ///   - share: the share of busy chains; with 1 any chain makes the next step.
    ///   - rate: events a second of the program's own clock.
    init(plans: [Plan] = Plan.mixed, share: Double = 0.02, rate: Int = 100_000, seed: UInt64 = 1) {
        self.plans = plans
        self.share = share
        random = Random(seed: seed)
        interval = UInt64(1_000_000_000 / rate)
    }

    private let share: Double

    /// The program's clock.
    var now: UInt64 { time }

    /// Returns a batch of tables only: sites, threads, executors.
    mutating func tables() -> EventBatch {
        var batch = emptyBatch()
        for site in 1...Self.siteCount {
            batch.sites[site] = CodeLocation(fileID: "Shop/Order\(site % 7).swift", line: 10 + site * 3)
        }
        for thread in 1...Self.threadCount { batch.threads[thread] = "worker-\(thread)" }
        batch.executors = [1: "pool"]
        return batch
    }

    /// Makes chains until `nodes` more nodes are in flight, in batches of some 4,096 events.
    mutating func begin(nodes: Int, _ take: (EventBatch) -> Void) {
        var left = nodes
        while left > 0 {
            var batch = emptyBatch()
            while left > 0, batch.events.count < 4_096 {
                let chain = make(in: &batch)
                left -= plans[Int(chain.plan)].nodeCount
                waiting.append(chain)
            }
            close(&batch)
            take(batch)
        }
        let busyCount = max(1, Int(Double(waiting.count) * share))
        while busy.count < busyCount, !waiting.isEmpty { busy.append(takeWaiting()) }
    }

    /// Returns a batch of the next events, at least as many as requested.
    mutating func batch(events: Int) -> EventBatch {
        var batch = emptyBatch()
        batch.events.reserveCapacity(events + 32)
        while batch.events.count < events {
            let index = Int(random.next() % UInt64(busy.count))
            let plan = plans[Int(busy[index].plan)]
            for step in plan.bursts[Int(busy[index].burst)] { append(step, of: busy[index].first, to: &batch) }
            busy[index].burst += 1
            guard Int(busy[index].burst) == plan.bursts.count else { continue }
            waiting.append(make(in: &batch))
            busy[index] = takeWaiting()
        }
        close(&batch)
        return batch
    }

    /// Forgets the chains in flight, which make no more events.
    mutating func forgetChains() { (waiting, busy) = ([], []) }

    private mutating func takeWaiting() -> Chain {
        waiting.swapAt(Int(random.next() % UInt64(waiting.count)), waiting.count - 1)
        return waiting.removeLast()
    }

    private mutating func make(in batch: inout EventBatch) -> Chain {
        let number = UInt8(random.next() % UInt64(plans.count))
        let chain = Chain(first: nextID, plan: number, burst: 0)
        nextID += UInt64(plans[Int(number)].nodeCount)
        for step in plans[Int(number)].making { append(step, of: chain.first, to: &batch) }
        return chain
    }

    private mutating func append(_ step: Plan.Step, of first: UInt64, to batch: inout EventBatch) {
        time += interval
        var event = ChainEvent(
            time: time, step.kind, node: NodeID(first + UInt64(step.node)), detail: step.detail, flags: step.flags)
        if let other = step.other { event.other = NodeID(first + UInt64(other)) }
        event.thread = 1 + UInt32(truncatingIfNeeded: first) % Self.threadCount
        if step.kind == .created {
            event.site = 1 + UInt32(truncatingIfNeeded: first / 5 + UInt64(step.node)) % Self.siteCount
        }
        if let text = step.text {
            batch.texts.append(text == .label ? "order \(first / 5)" : "declined: card \(first % 97) has expired")
            event.text = UInt32(batch.texts.count)
        }
        batch.events.append(event)
    }

    private mutating func emptyBatch() -> EventBatch {
        sequence += 1
        return EventBatch(process: Self.process, sequence: sequence, time: time)
    }

    private func close(_ batch: inout EventBatch) { batch.time = time }
}

/// SplitMix64.
struct Random {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
