// SPDX-License-Identifier: MIT

import CChainTasks
import ChainEvents
import ChainSystem
import Synchronization

/// The layout of the runtime's tasks in memory, checked with tasks of this module's own. An offset that fails its
/// check is not used, and ``missing`` has the fact that is read there.
struct TaskLayout: Sendable {
    /// The facts that cannot be shown with this runtime.
    private(set) var missing: TaskFacts = [.cancellation, .stack, .function, .parent, .outcome]
    /// The offsets that passed their checks; 0 for the other offsets.
    private(set) var offsets = chain_task_layout()

    /// Returns the layout, checked with some tasks on a thread of their own. Takes some milliseconds.
    static func found() -> TaskLayout {
        let result = Lock(TaskLayout())
        guard let thread = SystemThread("chain-layout", { result.withLock { $0.find() } }) else { return TaskLayout() }
        thread.join()
        return result.withLock { $0 }
    }

    /// Runs a task that is not shown, and marks its id: tasks with lower ids were made before observation began.
    static func markFirst() {
        guard #available(macOS 15, *) else { return }
        withProbe { _, executor in
            Task(executorPreference: executor) {}
            executor.drain()
        }
    }

    /// Runs `body` with a probe of the tasks that run on this thread, and an executor for these tasks. None of them is
    /// shown.
    @available(macOS 15, *)
    private static func withProbe(_ body: (UnsafeMutablePointer<chain_task_probe>, CallerThreadExecutor) -> Void) {
        let probe = UnsafeMutablePointer<chain_task_probe>.allocate(capacity: 1)
        probe.initialize(to: chain_task_probe())
        defer { probe.deallocate() }
        chain_tasks_set_probe(probe)
        defer { chain_tasks_set_probe(nil) }
        body(probe, CallerThreadExecutor())
    }

    // The layout of the runtime of Swift 6.3, in bytes.
    /// From a task to the state that the runtime passes when the task begins to run and when it stops.
    private static let state: Int64 = 80
    /// From that state to the task's flags.
    private static let statusInState: UInt32 = 16
    /// From a task to the address at which it resumes.
    private static let resume: UInt32 = 56
    /// From the first context back to the task's function.
    private static let entry: UInt32 = 24
    /// The flag *cancelled*.
    private static let cancelled: UInt32 = 0x100

    private mutating func find() {
        guard #available(macOS 15, *) else { return }
        Self.withProbe { find($0, $1) }
        let checked: [(TaskFacts, UInt32)] = [
            (.cancellation, offsets.status), (.stack, offsets.resume), (.function, offsets.entry),
            (.parent, offsets.parent), (.outcome, offsets.future),
        ]
        for (fact, offset) in checked where offset != 0 { missing.remove(fact) }
    }

    @available(macOS 15, *)
    private mutating func find(_ probe: UnsafeMutablePointer<chain_task_probe>, _ executor: CallerThreadExecutor) {
        if checkStack(probe, executor) { offsets.resume = Self.resume }
        let image = chain_image_base(unsafeBitCast(entryOfImage, to: UnsafeRawPointer.self))
        if offsets.resume != 0, chain_image_base(probe.pointee.entry) == image { offsets.entry = Self.entry }
        if checkStatus(probe, executor) { offsets.status = UInt32(Self.state) + Self.statusInState }
        // From version 2 on, the name of a named task lies between its fixed part and the words for parent and outcome.
        // The checks would not find this out, because their tasks have no names.
        guard chain_task_layout_version() < 2 else { return }
        if checkParent(probe, executor) { offsets.parent = UInt32(chain_task_fixed_size()) }
        if checkOutcome(probe, executor) { offsets.future = UInt32(chain_task_fixed_size()) }
    }

    /// Checks that the frames of a suspended task (of the waiting function and of its callers) are in this image.
    private func checkStack(_ probe: UnsafeMutablePointer<chain_task_probe>, _ executor: CallerThreadExecutor) -> Bool {
        let gate = Gate()
        let task = Task(executorPreference: executor) { await outerFunction(gate) }
        executor.drain()
        let frames = probe.pointee
        gate.open()
        executor.drain()
        withExtendedLifetime(task) {}
        let image = chain_image_base(unsafeBitCast(entryOfImage, to: UnsafeRawPointer.self))
        return image != nil && chain_image_base(frames.frames.0) == image && chain_image_base(frames.frames.1) == image
            && chain_image_base(frames.frames.2) == image
    }

    /// Checks that the flag *cancelled* is set once a task is cancelled, and not before.
    private func checkStatus(_ probe: UnsafeMutablePointer<chain_task_probe>, _ executor: CallerThreadExecutor) -> Bool
    {
        let gates = [Gate(), Gate()]
        let task = Task(executorPreference: executor) {
            await gates[0].wait()
            await gates[1].wait()
        }
        executor.drain()
        let before = probe.pointee.status
        task.cancel()
        gates[0].open()
        executor.drain()
        let after = probe.pointee.status
        gates[1].open()
        executor.drain()
        return probe.pointee.state == Self.state && before & Self.cancelled == 0 && after & Self.cancelled != 0
    }

    /// Checks that the word after the fixed part of a child task is its parent.
    private func checkParent(_ probe: UnsafeMutablePointer<chain_task_probe>, _ executor: CallerThreadExecutor) -> Bool
    {
        let found = Lock<(parent: UnsafeMutableRawPointer?, above: UnsafeMutableRawPointer?)>((nil, nil))
        let task = Task(executorPreference: executor) {
            let parent = UInt(bitPattern: chain_tasks_current())
            async let child: Void = {
                var above: UnsafeMutableRawPointer?
                let address = chain_tasks_current().map { UnsafeRawPointer($0) + chain_task_fixed_size() }
                _ = chain_copy_memory(address, &above, 8)
                let (expected, seen) = (UnsafeMutableRawPointer(bitPattern: parent), above.map { UInt(bitPattern: $0) })
                found.withLock { $0 = (expected, seen.flatMap { UnsafeMutableRawPointer(bitPattern: $0) }) }
            }()
            await child
        }
        executor.drain()
        withExtendedLifetime(task) {}
        return found.withLock { $0.parent != nil && $0.parent == $0.above }
    }

    /// Checks that the lowest two bits of a task's outcome are 1 if it returned, and 2 if it threw. The outcome follows
    /// the fixed part of a task; in a child task of a group, it comes three words later.
    private func checkOutcome(_ probe: UnsafeMutablePointer<chain_task_probe>, _ executor: CallerThreadExecutor) -> Bool
    {
        struct Failure: Error {}
        func outcome(words: Int) -> UInt {
            var word: UInt = 0
            let address = probe.pointee.task.map { UnsafeRawPointer($0) + chain_task_fixed_size() + words * 8 }
            _ = chain_copy_memory(address, &word, 8)
            return word & 3
        }
        let outcomes = [false, true].map { fails in
            let task = Task<Void, any Error>(executorPreference: executor) { if fails { throw Failure() } }
            executor.drain()
            // The handle keeps the task alive.
            return withExtendedLifetime(task) { outcome(words: 0) }
        }
        let ofGroups = [false, true].map { fails in
            let gate = Gate()
            let task = Task<Void, Never>(executorPreference: executor) {
                await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { if fails { throw Failure() } }
                    // The group keeps an ended child alive until its outcome is taken.
                    await gate.wait()
                }
            }
            executor.drain()
            let result = outcome(words: 3)
            gate.open()
            executor.drain()
            return withExtendedLifetime(task) { result }
        }
        return outcomes == [1, 2] && ofGroups == [1, 2]
    }
}

/// A function of this image, used for its address.
private let entryOfImage: @convention(c) () -> Void = {}

@inline(never)
private func outerFunction(_ gate: Gate) async {
    await innerFunction(gate)
    gate.count.add(1, ordering: .relaxed)
}

@inline(never)
private func innerFunction(_ gate: Gate) async {
    await gate.wait()
    gate.count.add(1, ordering: .relaxed)
}

/// A gate at which a task waits until the gate is opened.
private final class Gate: Sendable {
    private let continuation = Lock<UnsafeContinuation<Void, Never>?>(nil)
    let count = Atomic(0)

    @inline(never)
    func wait() async {
        await withUnsafeContinuation { continuation in self.continuation.withLock { $0 = continuation } }
        count.add(1, ordering: .relaxed)
    }

    func open() {
        continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }?.resume()
    }
}

/// An executor that runs jobs on the thread that calls ``drain()``.
@available(macOS 15, *)
private final class CallerThreadExecutor: TaskExecutor {
    private let jobs = Lock<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Runs jobs until there are none.
    func drain() {
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
