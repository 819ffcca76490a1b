import CChainTasks
import ChainEvents
import ChainInspector

/// The table of live tasks, for the collector.
struct LiveTasks: TaskSource {
    let missingFacts: TaskFacts

    func changes(limit: Int) -> [TaskChange] {
        copies(limit: limit) { chain_tasks_changes($0, $1) }.map { view in
            TaskChange(
                node: NodeID(view.node), state: TaskChange.State(rawValue: view.state)!, ticks: view.ticks,
                thread: view.thread, isCancelled: view.is_cancelled)
        }
    }

    var shardCount: Int { Int(CHAIN_TASK_SHARDS) }

    func liveTasks(shard: Int) -> [LiveNode] {
        // The limit leaves room for tasks that are made after the count was read.
        copies(limit: chain_tasks_count() + 64) { chain_tasks_in_shard(UInt32(shard), $0, $1) }.map { view in
            var snapshot = NodeSnapshot(id: NodeID(view.node), kind: .task)
            snapshot.creator = NodeID(view.creator)
            return LiveNode(snapshot: snapshot, callSite: code(of: view)?.site ?? .unknown)
        }
    }

    func cancel(_ id: NodeID) -> Bool { chain_task_cancel(id.rawValue) == 1 }

    func refusal(of id: NodeID) -> String? {
        guard let view = find(id), !view.can_cancel else { return nil }
        let advice = view.creator == 0 ? "" : ": cancel \(NodeID(view.creator)), which it is in"
        return "Only the parent of an async let can be cancelled\(advice)"
    }

    func entries(of id: NodeID) -> [NodeDetail.Entry]? {
        guard let view = find(id) else { return nil }
        var entries = [NodeDetail.Entry(name: "runs", text: "\(view.runs)")]
        if view.is_cancelled { entries.append(.init(name: "task", text: "cancelled")) }
        let frames = withUnsafeBytes(of: view.frames) { Array($0.bindMemory(to: UnsafeRawPointer?.self)) }
        let names = frames.compactMap { $0 }.compactMap { FunctionName.ofFrame(at: $0) }
        // Adjacent equal names are merged, because a forwarder has the name of its function.
        let stack = names.indices.filter { $0 == 0 || names[$0] != names[$0 - 1] }.map { names[$0] }
        if !stack.isEmpty { entries.append(.init(name: "suspended in", text: stack.joined(separator: "\n"))) }
        return entries
    }

    func stop() { TaskObservation.end() }

    private func find(_ id: NodeID) -> chain_task_view? {
        var view = chain_task_view()
        return chain_task_find(id.rawValue, &view) ? view : nil
    }

    private func code(of view: chain_task_view) -> TaskCode? {
        view.code.map { Unmanaged<TaskCode>.fromOpaque($0).takeUnretainedValue() }
    }

    private func copies(
        limit: Int, _ copy: (UnsafeMutablePointer<chain_task_view>, Int) -> Int
    ) -> [chain_task_view] {
        Array(unsafeUninitializedCapacity: limit) { buffer, count in count = copy(buffer.baseAddress!, limit) }
    }
}
