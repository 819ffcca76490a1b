// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainEvents
import ChainSystem
import Synchronization

/// The nodes of Swift's tasks. They are no promises: ChainTasks makes them.
package enum TaskNodes {
    /// The address of the runtime under which tasks are observed; 0 for none.
    private static let runtime = Atomic<UInt>(0)
    /// Each runtime under which tasks were ever observed. Never released, because a step of a task may still reach the
    /// runtime.
    private static let kept = Lock<[ChainRuntime]>([])

    /// Places promises of `runtime` that are made in a task under the task's node, from now on. With nil, no promise is
    /// placed under a task.
    package static func observe(by runtime: ChainRuntime?) {
        guard let runtime else { return self.runtime.store(0, ordering: .releasing) }
        kept.withLock { kept in
            if !kept.contains(where: { $0 === runtime }) { kept.append(runtime) }
        }
        self.runtime.store(UInt(bitPattern: Unmanaged.passUnretained(runtime).toOpaque()), ordering: .releasing)
    }

    /// Records a step of a task, if the runtime under which tasks are observed has a recorder.
    package static func record(_ record: EventRecord, text: String? = nil) {
        guard let pointer = UnsafeRawPointer(bitPattern: runtime.load(ordering: .acquiring)) else { return }
        let box = Unmanaged<ChainRuntime>.fromOpaque(pointer)._withUnsafeGuaranteedRef { $0.ownSinkReference }
        box?._withUnsafeGuaranteedRef { $0.sink.record(record, text: text) }
    }

    /// Names the running task after a span or scope that began in it, if the task is a separate chain without a name of
    /// its own. The latest name holds.
    static func nameRunningTask(_ name: String) {
        guard !name.isEmpty, case let count = UInt64(chain_task_next_name()), count != 0 else { return }
        let task = NodeID(chain_thread_current().pointee.task_node)
        let other = count > UInt16.max ? NodeID(rawValue: count) : .none
        record(
            EventRecord(.renamed, node: task, other: other, detail: UInt16(clamping: count)), text: name)
    }

    static func isObserved(by other: UnsafeRawPointer) -> Bool {
        runtime.load(ordering: .relaxed) == UInt(bitPattern: other)
    }

    package static func makeID() -> NodeID { NodeIDs.next() }

    /// Returns the node in which the calling code makes a task: the promise that stands for the new task, the handler
    /// that runs, a scope or span of the calling task, or else the node of the calling task, `task`.
    package static func creator(ofTaskMadeBy task: NodeID) -> NodeID {
        let thread = chain_thread_current()!
        if thread.pointee.task_creator_id != 0 { return NodeID(thread.pointee.task_creator_id) }
        let address = runtime.load(ordering: .relaxed)
        func isOurs(_ node: AnyPromise) -> Bool {
            node.isRecording && UInt(bitPattern: node.context.runtimeReference) == address
        }
        if let handler = AnyPromise.running { return isOurs(handler) ? handler.id : task }
        if task != .none, TaskScope.taskNode != .none { return task }
        return TaskScope.creator.flatMap { isOurs($0) ? $0.id : nil } ?? task
    }

    /// Runs `body`, which makes the task that a promise stands for.
    static func withTaskPromise<Result>(_ promise: AnyPromise, _ body: () -> Result) -> Result {
        let thread = chain_thread_current()!
        guard promise.isRecording else { return body() }
        thread.pointee.task_creator_id = promise.id.rawValue
        defer { thread.pointee.task_creator_id = 0 }
        return body()
    }
}
