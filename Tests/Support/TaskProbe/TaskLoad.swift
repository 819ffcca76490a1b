import ChainEvents
import ChainInspector
import ChainTasks
import Dispatch
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

private actor Counter {
    static let shared = Counter()
    private var count = 0
    func add() { count += 1 }
}

/// Makes tasks of every kind, all of which end, at a rate, and checks that each is seen to begin and to end.
enum TaskLoad {
    /// The tasks of a round: 24, and the one that runs it.
    private static let tasksPerRound = 25
    /// The number of rounds that have not ended.
    private static let running = Atomic(0)

    private static func step(_ count: Int) async { for _ in 0..<count { await Task.yield() } }

    private static func score(_ number: Int) async -> Int {
        await step(2)
        return number
    }

    /// Makes 24 tasks, and returns when they have ended.
    private static func round() async {
        let own = (0..<4).map { _ in Task { await step(3) } }
        let cancelled = (0..<2).map { _ in Task.detached { await TaskProbe.cancellation() } }
        for task in cancelled { task.cancel() }
        // Tasks that wait for an actor while another task occupies it.
        let shared = (0..<4).map { _ in Task { await Counter.shared.add() } }
        let named = Task(name: "named") { await step(1) }
        async let first = score(1)
        async let second = score(2)
        async let third = score(3)
        await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<5 {
                group.addTask {
                    guard number != 3 else { throw Declined() }
                    return await score(number)
                }
            }
            while await group.nextResult() != nil {}
        }
        let nested = Task {
            await withTaskGroup(of: Int.self) { group in
                for number in 0..<2 {
                    group.addTask {
                        async let inner = score(number)
                        return await inner
                    }
                }
                for await _ in group {}
            }
        }
        _ = await first + second + third
        for task in own { await task.value }
        for task in cancelled { await task.value }
        for task in shared { await task.value }
        await named.value
        await nested.value
    }

    /// Starts a round in a detached task.
    private static func start() {
        running.add(1, ordering: .relaxed)
        Task.detached {
            await round()
            running.subtract(1, ordering: .relaxed)
        }
    }

    /// The tasks that the stream of an inspector has shown.
    private struct Seen {
        var created = 0
        var ended = 0
        var live: Set<NodeID> = []
        /// Tasks that were seen to end and not yet to begin, because events of two threads come in any order.
        var early: Set<NodeID> = []
        var lost: UInt64 = 0

        mutating func read(_ stream: BatchSubscription) {
            while let batch = stream.next() {
                // The first state may have tasks that have ended already.
                for node in batch.nodes where node.kind == .task {
                    begin(node.id)
                    if node.settlement != .pending { end(node.id) }
                }
                for event in batch.events { apply(event) }
                lost = batch.loss.lostCount
            }
        }

        private mutating func begin(_ node: NodeID) {
            guard !live.contains(node) else { return }
            created += 1
            if early.remove(node) == nil { live.insert(node) }
        }

        private mutating func apply(_ event: ChainEvent) {
            switch event.kind {
            case .created where event.detail == UInt16(NodeKind.task.rawValue): begin(event.node)
            case .fulfilled, .rejected, .cancelled: end(event.node)
            default: break
            }
        }

        private mutating func end(_ node: NodeID) {
            ended += 1
            if live.remove(node) == nil { early.insert(node) }
        }
    }

    /// Makes `rate` tasks a second for some seconds. Returns whether each was seen to begin and to end, and memory did
    /// not grow.
    static func soak(seconds: Int, rate: Int) async throws -> Bool {
        let inspector = try Inspector.start(name: "soak", tasks: true)
        let stream = inspector.subscribe()
        var seen = Seen()
        var rounds = 0
        let (ticks, tick) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let timer = DispatchSource.makeTimerSource()
        timer.schedule(deadline: .now(), repeating: .milliseconds(5))
        timer.setEventHandler { tick.yield() }
        timer.resume()
        let begin = ContinuousClock.now
        var quarter = 0
        for await _ in ticks {
            let passed = ContinuousClock.now - begin
            guard passed < .seconds(seconds) else { break }
            if quarter == 0, passed > .seconds(seconds) / 4 { quarter = residentPages() }
            let due = Int(passed / .milliseconds(1)) * rate / 1000 / tasksPerRound
            // At most 50 rounds at once, so that the rings hold their events even if they are read late.
            while rounds < due, running.load(ordering: .relaxed) < 50 {
                start()
                rounds += 1
            }
            inspector.collectNow()
            seen.read(stream)
        }
        timer.cancel()
        let growth = (residentPages() - quarter) * Int(getpagesize()) >> 20
        let made = rounds * tasksPerRound
        let limit = ContinuousClock.now + .seconds(240)
        // The task that runs this function is live, too.
        while seen.live.count != 1 || seen.created != made + 1, ContinuousClock.now < limit {
            await Task.yield()
            inspector.collectNow()
            seen.read(stream)
            if seen.lost > 0, running.load(ordering: .relaxed) == 0 { break }
        }
        print(
            "made \(made), created \(seen.created - 1), ended \(seen.ended), alive \(seen.live.count - 1),",
            "early \(seen.early.count), lost \(seen.lost), growth of the last three quarters \(growth) MB")
        stream.dispose()
        inspector.stop()
        guard growth < 16 else { return false }
        // On a busy machine events are lost; then no more are missing than were counted as lost.
        if seen.lost > 0 { return 2 * made + 1 - seen.created - seen.ended <= Int(seen.lost) }
        return seen.created == made + 1 && seen.ended == made && seen.live.count == 1 && seen.early.isEmpty
    }

    /// Starts and stops observation while tasks run. Returns whether ``soak(seconds:rate:)`` succeeds afterwards.
    static func restart(times: Int) async throws -> Bool {
        for time in 0..<times {
            for _ in 0..<20 { start() }
            let inspector = try Inspector.start(name: "restart", tasks: true)
            for _ in 0..<20 { start() }
            await step(time % 50)
            if time % 3 == 0 { print(inspector.dump().count, terminator: " ") }
            inspector.stop()
            await step(time % 7)
        }
        while running.load(ordering: .relaxed) > 0 { await Task.yield() }
        print("")
        return try await soak(seconds: 1, rate: 2_000)
    }

    /// Has `count` tasks wait at one time. Returns whether all of them are shown, and none after they have ended.
    static func many(_ count: Int) async throws -> Bool {
        let inspector = try Inspector.start(name: "many", tasks: true)
        let limit = ContinuousClock.now + .seconds(240)
        func shows(_ alive: String) async -> Bool {
            while ContinuousClock.now < limit {
                inspector.collectNow()
                if inspector.dump(limit: 1).contains(alive) { return true }
                await Task.yield()
            }
            print(inspector.dump(limit: 20), inspector.eventCounts)
            return false
        }
        let isShown = await withTaskGroup(of: Void.self) { group in
            for _ in 0..<count { group.addTask { await gate.wait() } }
            while await gate.count < count { await Task.yield() }
            let isShown = await shows(": \(count + 1) nodes alive")
            await gate.open()
            return isShown
        }
        let isEmpty = await shows(": 1 nodes alive")
        inspector.stop()
        return isShown && isEmpty
    }

    /// Shows `count` tasks until standard input ends, for four minutes at most.
    static func waits(_ count: Int) async throws -> Bool {
        alarm(240)
        let inspector = try Inspector.start(name: "waits", tasks: true)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<count { group.addTask { await gate.wait() } }
            while await gate.count < count { await Task.yield() }
            print("ready")
            fflush(nil)
            while readLine() != nil {}
            await gate.open()
        }
        inspector.stop()
        return true
    }

    private static func residentPages() -> Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var (size, resident) = (0, 0)
        _ = withUnsafeMutablePointer(to: &size) { size in
            withUnsafeMutablePointer(to: &resident) { resident in
                withVaList([size, resident]) { vfscanf(file, "%ld %ld", $0) }
            }
        }
        return resident
    }
}

// SPDX-License-Identifier: MIT
