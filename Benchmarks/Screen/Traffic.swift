import ChainEvents

/// A program with a fixed number of chains in flight: as many begin as end. Deterministic.
///
/// Most of the chains wait for what is outside; some are on their way, and of those a random one makes the next step.
/// One that has ended is replaced by a new one, and one that waited takes its place.
struct Traffic {
    static let process = ProcessKey(rawValue: 0xC4A1)
    /// Call sites, threads and executors of the program.
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
    ///   - share: of the chains, how many are on their way; 1 for any chain at any time.
    ///   - rate: events a second, of the program's own clock.
    init(plans: [Plan] = Plan.mixed, share: Double = 0.02, rate: Int = 100_000, seed: UInt64 = 1) {
        self.plans = plans
        self.share = share
        random = Random(seed: seed)
        interval = UInt64(1_000_000_000 / rate)
    }

    private let share: Double

    /// The program's clock.
    var now: UInt64 { time }

    /// Lets time go on without events.
    mutating func pass(_ duration: UInt64) { time += duration }

    /// How many nodes its chains in flight have.
    var nodeCount: Int { (waiting + busy).reduce(0) { $0 + plans[Int($1.plan)].nodeCount } }

    /// A batch of tables only: sites, threads, executors.
    mutating func tables() -> EventBatch {
        var batch = emptyBatch()
        for site in 1...Self.siteCount {
            batch.sites[site] = CodeLocation(fileID: "Shop/Order\(site % 7).swift", line: 10 + site * 3)
        }
        for thread in 1...Self.threadCount { batch.threads[thread] = "worker-\(thread)" }
        batch.executors = [1: "pool"]
        return batch
    }

    /// Makes chains until so many nodes more are in flight; in batches of some 4,096 events.
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

    /// The next events, at least so many.
    mutating func batch(events: Int) -> EventBatch {
        var batch = emptyBatch()
        batch.events.reserveCapacity(events + 32)
        while batch.events.count < events {
            let place = Int(random.next() % UInt64(busy.count))
            let plan = plans[Int(busy[place].plan)]
            for step in plan.bursts[Int(busy[place].burst)] { say(step, of: busy[place].first, in: &batch) }
            busy[place].burst += 1
            guard Int(busy[place].burst) == plan.bursts.count else { continue }
            waiting.append(make(in: &batch))
            busy[place] = takeWaiting()
        }
        close(&batch)
        return batch
    }

    /// Gives its own account of chains in flight up: no more can be told of them.
    mutating func forgetChains() { (waiting, busy) = ([], []) }

    private mutating func takeWaiting() -> Chain {
        waiting.swapAt(Int(random.next() % UInt64(waiting.count)), waiting.count - 1)
        return waiting.removeLast()
    }

    private mutating func make(in batch: inout EventBatch) -> Chain {
        let number = UInt8(random.next() % UInt64(plans.count))
        let chain = Chain(first: nextID, plan: number, burst: 0)
        nextID += UInt64(plans[Int(number)].nodeCount)
        for step in plans[Int(number)].making { say(step, of: chain.first, in: &batch) }
        return chain
    }

    private mutating func say(_ step: Plan.Step, of first: UInt64, in batch: inout EventBatch) {
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
