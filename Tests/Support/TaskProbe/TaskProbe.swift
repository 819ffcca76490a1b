import ChainEvents
import ChainInspector
import ChainTasks
import PromiseRuntime
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

// A program with tasks of every kind, all of which wait. It prints its tree, ends the tasks that can end, and prints it
// again.
//
//     TaskProbe [details | cancel]
//     TaskProbe cancelled                        see showCancelledTasks
//     TaskProbe server                           see showServer
//     TaskProbe scarce                           see showTasksOfScarcity
//     TaskProbe sleeping                         see showSleepingTasks
//     TaskProbe queued | named | blocked         see QueuedTasks
//     TaskProbe spans                            see SpanProbe; under the trait Tracing
//     TaskProbe forks TIMES                      see ForkedTasks
//     TaskProbe soak SECONDS | restart TIMES | many COUNT | waits COUNT
//                                                see TaskLoad; exits with 1 if tasks are not shown as they are

struct Declined: Error {}

actor Till {
    private var sum = 0
    func charge(_ amount: Int) async -> Int {
        sum += amount
        await gate.wait()
        return sum
    }
}

/// A gate that tasks wait for.
actor Gate {
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var isOpen = false
    /// The number of tasks that wait.
    var count: Int { waiting.count }

    func wait() async {
        guard !isOpen else { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}

/// An executor that runs its jobs in calls of `run` only.
final class ParkingExecutor: SerialExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    func run() {
        let jobs = jobs.withLock { jobs in
            defer { jobs = [] }
            return jobs
        }
        for job in jobs { job.runSynchronously(on: asUnownedSerialExecutor()) }
    }
}

/// An actor on such an executor: a task that calls it waits for the executor.
actor Parking {
    let executor = ParkingExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private var count = 0
    func pass() { count += 1 }
}

let parking = Parking()
let gate = Gate()
let till = Till()

func fraud() async -> Double {
    await gate.wait()
    return 0.1
}

func address() async -> String {
    await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    return ""
}

func order(_ number: Int) async -> Int {
    async let score = fraud()
    let sum = await withThrowingTaskGroup(of: Int.self) { group in
        for item in 0..<2 { group.addTask(name: "item \(item)") { await till.charge(item) } }
        group.addTask(name: "nested") {
            try await withThrowingTaskGroup(of: Int.self) { inner in
                inner.addTask(name: "inner") {
                    await gate.wait()
                    throw Declined()
                }
                return try await inner.next() ?? 0
            }
        }
        var sum = 0
        while let item = await group.nextResult() { if case .success(let value) = item { sum += value } }
        return sum
    }
    return await sum + Int(score)
}

/// Fails as one of two tasks throws; the other one is cancelled then.
func deliver() async throws {
    try await withThrowingDiscardingTaskGroup { group in
        group.addTask(name: "throws") {
            await gate.wait()
            throw Declined()
        }
        group.addTask(name: "is cancelled") {
            await TaskProbe.cancellation()
            try Task.checkCancellation()
        }
    }
}

@main struct TaskProbe {
    static func main() async throws {
        let arguments = CommandLine.arguments
        if arguments.count == 3, let number = Int(arguments[2]) {
            let isRight =
                switch arguments[1] {
                case "soak": try await TaskLoad.soak(seconds: number, rate: 20_000)
                case "restart": try await TaskLoad.restart(times: number)
                case "forks": try forks(number)
                case "waits": try await TaskLoad.waits(number)
                default: try await TaskLoad.many(number)
                }
            exit(isRight ? 0 : 1)
        }
        if arguments.contains("server") { return try await showServer() }
        if arguments.contains("scarce") { return try await showTasksOfScarcity() }
        if arguments.contains("cancelled") { return try await showCancelledTasks() }
        if arguments.contains("sleeping") { return try await showSleepingTasks() }
        if arguments.contains("queued") { return try QueuedTasks.showOlder() }
        if arguments.contains("named") { return try QueuedTasks.showNamed() }
        if arguments.contains("blocked") { return try QueuedTasks.showBlocked() }
        #if Tracing
            if arguments.contains("spans") { return try await SpanProbe.showTree() }
        #endif
        try await showTree()
    }

    /// Runs ``ForkedTasks`` on the main thread.
    @MainActor private static func forks(_ times: Int) throws -> Bool {
        #if os(Linux)
            return try ForkedTasks.run(times: times)
        #else
            return true
        #endif
    }

    static func showTree() async throws {
        let inspector = try Inspector.start(name: "probe", tasks: true)
        print("failure \(TaskObservation.failure ?? "none"), missing \(TaskObservation.missingFacts.words)")
        let ordered = Task(name: "order 1") { await order(1) }
        let lost = Task.detached(name: "lost") { await address() }
        let cancelled = Task(name: "cancelled") {
            await gate.wait()
            try Task.checkCancellation()
        }
        let cancellable = Task(name: "ends when cancelled") { await cancellation() }
        let making = Task { await make() }
        let parked = Task(name: "parked") { await parking.pass() }
        let scoped = Promise(label: "promise") { await scope() }
        let delivering = Task(name: "deliver") { try await deliver() }
        cancelled.cancel()
        let limit = ContinuousClock.now + .seconds(240)
        // Eight tasks at the gate, and all but this one suspended.
        while await gate.count < 8, ContinuousClock.now < limit { await Task.yield() }
        let tree = await tree(of: inspector, suspendedCount: 16, before: limit)
        print(tree)
        if CommandLine.arguments.contains("details") { describe(inspector) }
        if CommandLine.arguments.contains("cancel") {
            for text in ["implicit closure #1 in order", " lost", " ends when cancelled"] {
                cancel(text, of: inspector, in: tree)
            }
            await cancellable.value
            inspector.collectNow()
            print(inspector.dump())
        }
        cancellable.cancel()
        await gate.open()
        parking.executor.run()
        _ = await (ordered.result, cancelled.result, making.result, cancellable.result, parked.result)
        _ = await delivering.result
        try await scoped.value
        // A task may end after the code that waits for it has resumed.
        while !inspector.dump().contains(": 2 nodes alive"), ContinuousClock.now < limit { await Task.yield() }
        inspector.collectNow()
        print(inspector.dump(settled: true))
        withExtendedLifetime(lost) {}
        inspector.stop()
        await Task {}.value
        print("stopped")
    }

    /// Returns the tree once it has so many suspended tasks, or as it is at the limit.
    static func tree(
        of inspector: Inspector, suspendedCount: Int, before limit: ContinuousClock.Instant
    ) async -> String {
        var tree = ""
        while tree.split(separator: "suspended task").count <= suspendedCount, ContinuousClock.now < limit {
            await Task.yield()
            inspector.collectNow()
            tree = inspector.dump()
        }
        return tree
    }

    /// Cancels a task with an async let inside an async let, none of which ends, and prints which are marked.
    static func showCancelledTasks() async throws {
        let inspector = try Inspector.start(name: "probe", tasks: true)
        let task = Task(name: "parent") {
            async let outer: Void = {
                async let inner: Void = gate.wait()
                await inner
            }()
            await outer
        }
        let limit = ContinuousClock.now + .seconds(240)
        _ = await tree(of: inspector, suspendedCount: 3, before: limit)
        task.cancel()
        let stream = inspector.subscribe()
        var marked: [NodeID] = []
        while marked.count < 3, ContinuousClock.now < limit {
            inspector.collectNow()
            while let batch = stream.next() {
                marked += batch.nodes.filter(\.cancelRequested).map(\.id)
                marked += batch.events.filter { $0.kind == .cancelRequested }.map(\.node)
            }
            marked = Array(Set(marked)).sorted()
            await Task.yield()
        }
        print("cancel requested: \(marked.count)")
        stream.dispose()
        await gate.open()
        await task.value
        inspector.stop()
    }

    /// Makes a server whose third and later requests are separate chains, prints its tree, and cancels one request, then
    /// the server.
    static func showServer() async throws {
        TaskObservation.separateChains(after: .zero, count: 2)
        let inspector = try Inspector.start(name: "probe", tasks: true)
        let server = Task(name: "server") {
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<4 {
                    group.addTask {
                        // By the end of this wait the task is known to be a separate chain.
                        await gate.wait()
                        await withChain("request \(number)") { await cancellation() }
                    }
                }
            }
        }
        let limit = ContinuousClock.now + .seconds(240)
        while await gate.count < 4, ContinuousClock.now < limit { await Task.yield() }
        await gate.open()
        var tree = ""
        while requestCount(in: tree) < 4 || tree.split(separator: "suspended").count <= 5, ContinuousClock.now < limit {
            await Task.yield()
            inspector.collectNow()
            tree = inspector.dump()
        }
        print(tree)
        cancelChain("suspended task request 2", of: inspector, in: tree)
        func liveCount() -> Int {
            inspector.collectNow()
            return inspector.dump().split(separator: " task").count - 1
        }
        // The main task, the server, and a task with its node for each of three requests.
        while liveCount() > 8, ContinuousClock.now < limit { await Task.yield() }
        print("requests left: \(requestCount(in: inspector.dump()))")
        cancelChain("suspended task server", of: inspector, in: tree)
        await server.value
        while liveCount() > 1, ContinuousClock.now < limit { await Task.yield() }
        print(liveCount() == 1 ? "all were cancelled" : inspector.dump())
    }

    /// Returns how many nodes of `withChain` a tree has.
    private static func requestCount(in tree: String) -> Int {
        tree.replacing(#/ #\d+/#, with: "").split(separator: "running task request").count - 1
    }

    private static func cancelChain(_ line: String, of inspector: Inspector, in tree: String) {
        guard let line = tree.split(separator: "\n").first(where: { $0.matchesWithoutID(line) }),
            let number = line.firstMatch(of: /#(\d+)/).flatMap({ UInt64($0.1) })
        else { return print("no \(line)") }
        let request = ViewerCommand.Request.cancel(.chain(NodeID(number)), by: "ada")
        let name = line.firstMatch(of: /(request \d|server)/)?.1 ?? ""
        print(
            "cancel \(name):",
            inspector.perform(ViewerCommand(id: 1, process: inspector.info.key, request: request)).outcome)
    }

    /// Makes a task while the program has no descriptor left, and one of the same function after that, and prints the
    /// tree.
    static func showTasksOfScarcity() async throws {
        let inspector = try Inspector.start(name: "probe", tasks: true)
        var limits = rlimit()
        getrlimit(descriptorLimit, &limits)
        limits.rlim_cur = min(limits.rlim_cur, 256)
        setrlimit(descriptorLimit, &limits)
        var taken: [Int32] = []
        repeat { taken.append(open("/dev/null", O_RDONLY)) } while taken.last != -1
        let first = waiting()
        for descriptor in taken.dropLast() { close(descriptor) }
        let second = waiting()
        print(await tree(of: inspector, suspendedCount: 2, before: .now + .seconds(240)))
        await gate.open()
        _ = await (first.value, second.value)
        inspector.stop()
        print("stopped")
    }

    #if canImport(Darwin)
        private static var descriptorLimit: Int32 { RLIMIT_NOFILE }
    #else
        private static var descriptorLimit: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
    #endif

    /// Makes a task that waits for the gate.
    static func waiting() -> Task<Void, Never> { Task { await gate.wait() } }

    /// Returns when the task is cancelled.
    static func cancellation() async {
        let (stream, end) = AsyncStream<Void>.makeStream()
        await withTaskCancellationHandler {
            for await _ in stream {}
        } onCancel: {
            end.finish()
        }
    }

    /// Cancels the node on the first line of the tree with `text`, as a viewer does, and prints the outcome.
    static func cancel(_ text: String, of inspector: Inspector, in tree: String) {
        guard let line = tree.split(separator: "\n").first(where: { $0.contains(text) }),
            let number = line.firstMatch(of: /#(\d+)/).flatMap({ UInt64($0.1) })
        else { return print("no \(text)") }
        let request = ViewerCommand.Request.cancel(.node(NodeID(number)), by: "ada")
        print(
            "cancel\(text):",
            inspector.perform(ViewerCommand(id: 1, process: inspector.info.key, request: request)).outcome)
    }

    static func make() async {
        let (promise, resolver) = Promise<Int>.pending(label: "in a task")
        await gate.wait()
        resolver.fulfill(1)
        withExtendedLifetime(promise) {}
    }

    static func scope() async {
        await withChain("scope") {
            async let inner: Void = gate.wait()
            await inner
        }
    }

    /// Prints the details of all tasks.
    static func describe(_ inspector: Inspector) {
        let stream = inspector.subscribe()
        var nodes: [NodeID] = []
        while let batch = stream.next() {
            nodes += batch.nodes.map(\.id)
            nodes += batch.events.filter { $0.kind == .created }.map(\.node)
        }
        for node in Set(nodes).sorted() {
            let command = ViewerCommand(id: 1, process: inspector.info.key, request: .describe(node))
            guard case .described(let detail) = inspector.perform(command).outcome else { continue }
            print("details", detail.entries.map { "\($0.name): \($0.text)" }.joined(separator: "; "))
        }
        stream.dispose()
        let byNode = frames(.nodes(Array(Set(nodes))), of: inspector)
        for (node, stack) in byNode.sorted(by: { $0.key < $1.key }) {
            print("frames of \(node): \(stack.split(separator: "\n").map { $0 + ";" }.joined(separator: " "))")
        }
        var byPart: [NodeID: String] = [:]
        for part in 0..<64 as Range<UInt32> { byPart.merge(frames(.part(part), of: inspector)) { $1 } }
        print("frames by part as by node: \(byPart == byNode)")
    }

    /// Returns the frames of the suspended tasks of a scope.
    private static func frames(_ scope: FrameScope, of inspector: Inspector) -> [NodeID: String] {
        let command = ViewerCommand(id: 1, process: inspector.info.key, request: .frames(scope))
        guard case .frames(let reading) = inspector.perform(command).outcome else { return [:] }
        return reading.entries.reduce(into: [:]) { $0[$1.node] = reading.stacks[Int($1.stack)] }
    }
}

extension Substring {
    /// Returns whether the line of a tree contains a text, once the node's id is left out.
    fileprivate func matchesWithoutID(_ text: String) -> Bool { replacing(#/ #\d+/#, with: "").contains(text) }
}

// SPDX-License-Identifier: MIT
