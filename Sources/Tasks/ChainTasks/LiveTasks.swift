// SPDX-License-Identifier: MIT

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
        tasks(inShard: UInt32(shard)).map { view in
            var snapshot = NodeSnapshot(id: NodeID(view.node), kind: .task)
            snapshot.creator = NodeID(view.creator)
            snapshot.isSeparate = view.is_separate
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
        let stack = view.stack.map(\.name)
        if !stack.isEmpty { entries.append(.init(name: "suspended in", text: stack.joined(separator: "\n"))) }
        return entries
    }

    func frames(of scope: FrameScope) -> FrameReading {
        let views: [chain_task_view]
        switch scope {
        case .nodes(let nodes):
            let wanted = nodes.prefix(Int(CHAIN_TASK_FIND_LIMIT)).map(\.rawValue)
            views = wanted.isEmpty ? [] : copies(limit: wanted.count) { chain_tasks_find(wanted, $1, $0) }
        case .part(let part): views = part < shardCount ? tasks(inShard: part) : []
        }
        var frames = FrameCollection()
        for view in views { frames.add(view) }
        frames.setCounts(taskCount: chain_tasks_count(), partCount: shardCount)
        return frames.reading
    }

    func nodes(ofTasks numbers: [UInt64]) -> [NodeID] {
        [UInt64](unsafeUninitializedCapacity: numbers.count) { buffer, count in
            if let base = buffer.baseAddress { chain_tasks_nodes(numbers, numbers.count, base) }
            count = numbers.count
        }.map { NodeID($0) }
    }

    private func tasks(inShard shard: UInt32) -> [chain_task_view] {
        // The limit leaves room for tasks that are made after the count was read.
        copies(limit: chain_tasks_count() + 64) { chain_tasks_in_shard(shard, $0, $1) }
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
