// SPDX-License-Identifier: MIT

import ChainModel

/// Words for what Swift tasks wait for. Texts of the program are returned unescaped.
extension NodeText {
    /// Returns what a task waits for: `actor Store #12`, `a continuation`; nil if that is not known.
    package static func target(of wait: TaskWait, in forest: borrowing ChainForest) -> String? {
        if let node = wait.node { return nameWithID(of: node, in: forest) }
        switch wait.target {
        case .unknown, .moving: return nil
        case .task: return "a task"
        case .continuation: return "a continuation"
        case .group: return "the next result of its group"
        case .actor: return "an actor"
        case .pool: return "a thread of the pool"
        case .lock: return "a lock"
        case .executor: return "an executor"
        }
    }

    /// Returns what a node waits for as a part of a line: `waits for actor Store #12, held by task charge #7`; nil if
    /// it is not known. For a task whose state is that of an earlier reading, `moving`.
    package static func wait(of node: NodeIndex, in forest: borrowing ChainForest) -> String? {
        if forest.isMoving(node) { return "moving" }
        guard let wait = forest.taskWait(of: node), let target = target(of: wait, in: forest) else { return nil }
        let holder = wait.node.flatMap { forest.holder(of: $0) }.map { ", held by " + self.holder($0, in: forest) }
        return "waits for \(target)\(holder ?? "")"
    }

    /// Returns who holds an actor or a lock: `task charge #7`, `worker-2`.
    package static func holder(_ holder: ResourceHolder, in forest: borrowing ChainForest) -> String {
        holder.node.map { nameWithID(of: $0, in: forest) }
            ?? forest.threads[holder.thread] ?? "thread \(holder.thread)"
    }

    /// Returns the kind, the label and the id of a node. The ids of actors, locks and executors are only the viewer's.
    private static func nameWithID(of node: NodeIndex, in forest: borrowing ChainForest) -> String {
        let view = forest.node(node)
        let label = forest.label(of: node).flatMap { $0.isEmpty ? nil : $0 + " " } ?? ""
        if view.kind.isResource, !label.isEmpty { return view.kind.word + " " + label.dropLast() }
        return "\(view.kind.word) \(label)\(view.id)"
    }
}
