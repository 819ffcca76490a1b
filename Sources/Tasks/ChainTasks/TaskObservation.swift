// SPDX-License-Identifier: MIT

import CChainRuntime
import CChainTasks
import ChainEvents
import ChainInspector
import ChainSystem
import PromiseRuntime

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension Inspector {
    /// Starts an inspector that shows the tasks of the program, too; otherwise as
    /// ``ChainInspector/Inspector/start(name:runtime:options:)``.
    ///
    ///     import ChainTasks
    ///     try Inspector.start(tasks: true)
    ///
    /// A task is a node of kind *task*. It stands under its parent if it is a child task (`async let`, groups), else
    /// under the task, scope or handler that made it. A `Task { }` that the program's main function makes begins a
    /// chain of its own, because that function lasts as long as the program. A child of a discarding group is a separate
    /// chain, too, and so is what a task makes that has made 100 tasks in 10 s or more (other than by `async let`):
    /// such tasks serve requests. A separate chain has a link to the task in whose group it is, which still cancels it;
    /// it is named after its latest span or `withChain`. A task's label is its own name
    /// (`Task(name:)`); the function that it runs stands in place of its call site.
    ///
    /// A task reads *queued* until it first runs, then *running* with its thread, or *suspended*. These two states are
    /// sampled, at most 50 times a second, for 1 % of a processor in the long run: where very many tasks change all the
    /// time, states are some seconds old. An ended task reads *rejected* if it threw, and *cancelled* if it threw and
    /// was cancelled; otherwise it reads *fulfilled*. A child of a discarding group reads *cancelled* only if its
    /// cancellation was seen before it threw. The reason is that the group also cancels the child that makes the group
    /// fail. An ended task of an `async let` always reads *fulfilled*, because its memory is gone by then.
    ///
    /// Tasks that were made before the start are shown from their next step on. Under ThreadSanitizer, which takes the
    /// place of the hook in Dispatch, the end of a task is seen only once its thread runs another task. Cost: see
    /// ``TaskObservation``.
    ///
    /// - Parameters:
    ///   - name: what viewers see; nil: the program's file name.
    ///   - tasks: whether tasks are shown. Only one inspector of a program at a time shows them: the first. If they
    ///     cannot be shown, ``TaskObservation/failure`` and standard error have the reason.
    /// - Throws: `InspectorError`, and then nothing is recorded.
    @discardableResult
    public static func start(
        name: String? = nil, tasks: Bool, runtime: ChainRuntime = .shared,
        options: InspectorOptions = InspectorOptions()
    ) throws -> Inspector {
        let inspector = try start(name: name, runtime: runtime, options: options)
        if tasks { TaskObservation.begin(in: inspector) }
        return inspector
    }

    /// Starts an inspector that shows tasks, too, if the environment variable `CHAINVIEW` requests one: see
    /// ``ChainInspector/Inspector/startIfRequested(name:runtime:options:)``.
    @discardableResult
    public static func startIfRequested(
        tasks: Bool, name: String? = nil, runtime: ChainRuntime = .shared,
        options: InspectorOptions = InspectorOptions()
    ) -> Inspector? {
        let inspector = startIfRequested(name: name, runtime: runtime, options: options)
        if tasks, let inspector { TaskObservation.begin(in: inspector) }
        return inspector
    }
}

/// The observation of this program's tasks.
///
/// Linking this module interposes nine functions of Swift's runtime and of Dispatch, on Linux. A program that is built
/// with `-static-stdlib` needs the linker flags that `chainview flags --static-tasks` prints. Without an observing
/// inspector, this adds one load and one jump to each call of such a function. It also adds some loads and stores in
/// the thread's own memory to each job.
public enum TaskObservation {
    private struct State {
        var failure: String?
        var missing: TaskFacts = []
        /// The process that observes. A child of a fork has another id: it does not observe, and may begin to observe.
        var observingProcess: Int32?
    }

    private static let state = Lock(State())

    /// Why tasks cannot be shown, in one sentence; nil if they can be shown, or if no inspector has tried to show them.
    public static var failure: String? { state.withLock { $0.failure } }

    /// The facts of tasks that are not shown, because Swift's runtime lays tasks out otherwise than expected, or because
    /// the program is stripped.
    public static var missingFacts: TaskFacts { state.withLock { $0.missing } }

    /// Sets from when on the tasks that a task makes are separate chains: so long after its first one, and after so many.
    package static func separateChains(after time: Duration, count: UInt32) {
        let (seconds, attoseconds) = time.components
        chain_tasks_set_separation(UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000), count)
    }

    static func begin(in inspector: Inspector) {
        let isFirst = state.withLock { state in
            defer { state.observingProcess = getpid() }
            return state.observingProcess != getpid()
        }
        guard isFirst else { return }
        if let missing = chain_tasks_missing() {
            #if os(Linux)
                let reason = """
                    tasks cannot be shown: \(String(cString: missing)) is missing, as in programs with \
                    -static-stdlib; build these with `swift build -static-stdlib $(chainview flags --static-tasks)`
                    """
            #else
                let reason = "tasks cannot be shown: \(String(cString: missing))"
            #endif
            state.withLock { $0.failure = reason }
            return chain_log("chainview: \(reason)\n")
        }
        let layout = TaskLayout.found()
        for words in layout.missing.words {
            chain_log("chainview: this version of Swift's runtime does not show \(words)\n")
        }
        var missing = layout.missing
        if !chain_program_has_symbols() {
            missing.insert(.symbols)
            chain_log("chainview: the program is stripped, so tasks are shown without the functions that they run\n")
        }
        state.withLock { [missing] in $0.missing = missing }
        chain_tasks_set_layout(layout.offsets)
        handlesForks
        inspector.observe(LiveTasks(missingFacts: missing))
        TaskNodes.observe(by: inspector.recordedRuntime)
        withUnsafePointer(to: observer) { chain_tasks_observe($0) }
        TaskLayout.markFirst()
        chain_tasks_add_current()
    }

    /// Registers the fork handlers, once.
    private static let handlesForks: Void = {
        // The memory is never freed, because the handlers stay registered.
        let handlers = UnsafeMutablePointer<chain_fork_handlers>.allocate(capacity: 1)
        handlers.initialize(
            to: chain_fork_handlers(
                before_fork: { TaskCode.lockForFork() }, in_parent: { TaskCode.unlockAfterFork() },
                in_child: {
                    chain_tasks_stop_in_child()
                    TaskCode.unlockAfterFork()
                }))
        chain_fork_set_handlers(CHAIN_FORK_TASKS, handlers)
    }()

    static func end() {
        chain_tasks_stop()
        TaskNodes.observe(by: nil)
        state.withLock { $0.observingProcess = nil }
    }

    private static var observer: chain_task_observer {
        chain_task_observer(
            new_node: { TaskNodes.makeID().rawValue },
            creator: { TaskNodes.creator(ofTaskMadeBy: NodeID($0)).rawValue },
            code: { entry, closure, address in
                TaskCode.of(entry: entry, closure: closure, address: address).map {
                    UnsafeMutableRawPointer(Unmanaged.passUnretained($0).toOpaque())
                }
            },
            is_main: { Unmanaged<TaskCode>.fromOpaque($0!).takeUnretainedValue().isMain },
            created: { node, creator, code, isLate, isSeparate in
                let code = code.map { Unmanaged<TaskCode>.fromOpaque($0).takeUnretainedValue() }
                TaskNodes.record(
                    EventRecord(
                        .created, node: NodeID(node), other: NodeID(creator), site: code?.site ?? .unknown,
                        detail: UInt16(NodeKind.task.rawValue),
                        flags: isSeparate ? .separateChain : isLate ? .late : []))
            },
            named: { node, name in
                TaskNodes.record(
                    EventRecord(.renamed, node: NodeID(node), detail: 1), text: name.map { String(cString: $0) })
            },
            ended: { node, outcome in
                let kinds: [EventKind] = [.fulfilled, .rejected, .cancelled]
                TaskNodes.record(
                    EventRecord(kinds[Int(outcome)], node: NodeID(node), flags: .handlerEnded),
                    text: outcome == CHAIN_TASK_CANCELLED ? "its task was cancelled" : nil)
            })
    }
}
