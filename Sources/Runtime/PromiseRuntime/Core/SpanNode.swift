// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainEvents
import ChainSystem
import Synchronization

/// The node of a tracer's span, from its creation until ``end(throwing:)``. Promises and scopes made in the span stand
/// under the node.
///
/// Nothing of the runtime cancels a span: its code belongs to no promise, and a reference to its task could outlive the
/// task.
package final class SpanNode: Promise<Void>, @unchecked Sendable {
    // Sendable: the name is behind a lock; the creator is used in `init` alone.
    private let newName = Lock<(text: String?, count: UInt64)>((nil, 0))
    /// Returns what the node's details show of the span.
    let entries: @Sendable () -> [NodeDetail.Entry]
    /// The span, scope or handler in which the span began. Nil after `init`, so that a chain of ended spans is
    /// released.
    private(set) var creator: AnyPromise?
    /// The node of the handler in which the span began: what that handler makes in the span stands under the span.
    let handler: NodeID
    /// The span of another process that called this one.
    let remoteParent: NodeKey?
    /// The node of the task in which the span began, if tasks are observed; 0 for none.
    let taskNode = chain_thread_current().pointee.task_node
    /// Whether the node may stand under the calling task: no handler runs, and the span around the new span, if there
    /// is any, is the current span.
    let isOfTask: Bool

    /// Makes a span's node, and reports its start unless the recording's filter excludes the node. Returns nil if
    /// nothing records.
    ///
    /// The node stands under `span`, or under the task's scope (`withChain`) if the scope began later. Without a `span`
    /// it stands under the handler that runs on this thread or, if none runs, under the task's scope. If tasks are
    /// observed and no handler runs, it stands under the calling task instead, unless a scope or span began in that
    /// task.
    ///
    /// - Parameters:
    ///   - name: The label, until ``rename(to:)``.
    ///   - span: The span around the new one; nil for none.
    ///   - remoteParent: The node of another process that the span was called from.
    ///   - entries: Returns what the details show; called on other threads, also after the span has ended.
    package static func start(
        _ name: String, in span: SpanNode?, site: CallSite, remoteParent: NodeKey? = nil,
        entries: @escaping @Sendable () -> [NodeDetail.Entry]
    ) -> SpanNode? {
        let creator = span == nil ? running ?? TaskScope.innermost(of: nil) : TaskScope.innermost(of: span)
        let runtime = creator?.runtime ?? ChainRuntime.current
        guard runtime.hasRecorder else { return nil }
        let contextWord = runtime.run { Context.rootWord(label: name, executor: nil) }
        let isOfTask =
            chain_thread_current().pointee.task_node != 0 && running == nil && (span == nil || span === current)
        let isFirstInTask = isOfTask && TaskScope.taskNode != .none
        let node = SpanNode(
            contextWord: contextWord, site: site, creator: creator, isOfTask: isOfTask, remoteParent: remoteParent,
            entries: entries)
        guard node.isRecording else { return node }
        if let remoteParent { node.report(.remoteParent, text: remoteParent.text) }
        node.report(.started)
        if isFirstInTask { TaskNodes.nameRunningTask(name) }
        return node
    }

    private init(
        contextWord: UInt, site: CallSite, creator: AnyPromise?, isOfTask: Bool, remoteParent: NodeKey?,
        entries: @escaping @Sendable () -> [NodeDetail.Entry]
    ) {
        self.entries = entries
        self.creator = creator
        self.isOfTask = isOfTask
        self.remoteParent = remoteParent
        handler = AnyPromise.running?.id ?? .none
        super.init(kind: .span, site: site, contextWord: contextWord)
        self.creator = nil
    }

    /// The key by which another process can refer to the node; nil while no inspector runs, and for a node that is not
    /// recorded.
    package var key: NodeKey? {
        let process = runtime.processKey.load(ordering: .relaxed)
        return process == 0 || !isRecorded ? nil : NodeKey(process: ProcessKey(rawValue: process), id: id)
    }

    /// The new name, nil if the node was never renamed, and the number of renamings.
    var renamed: (text: String?, count: UInt64) { newName.withLock { $0 } }

    /// Gives the node another label. Ignores an empty name.
    package func rename(to name: String) {
        guard !name.isEmpty else { return }
        let count: UInt64? = newName.withLock { known in
            guard (known.text ?? context.label) != name else { return nil }
            known = (name, known.count + 1)
            return known.count
        }
        guard let count, isRecording else { return }
        let other = count > UInt16.max ? NodeID(rawValue: count) : .none
        report(.renamed, other: other, detail: UInt16(clamping: count), text: name)
    }

    /// Fulfils the node, or rejects it with `error`; a `CancellationError` shows as *cancelled*. The error is not
    /// reported as unhandled, because the code of the span receives it.
    package func end(throwing error: (any Error)?) { endScope(throwing: error) }

    // MARK: The current span

    private final class Source: Sendable {
        let span: @Sendable () -> SpanNode?
        init(_ span: @escaping @Sendable () -> SpanNode?) { self.span = span }
    }

    private static let source = AtomicLazyReference<Source>()

    /// Installs the function that returns the calling task's span. Only the first call in a process counts.
    package static func install(_ current: @escaping @Sendable () -> SpanNode?) {
        _ = source.storeIfNil(Source(current))
        TaskScope.use()
    }

    /// The calling task's span; nil for none, or without a tracer.
    static var current: SpanNode? { source.load()?.span() }
}

extension AnyPromise {
    /// The node as a span; nil for other nodes.
    final var asSpan: SpanNode? {
        // The kind's bits are compared, because making the enumeration's case takes a switch.
        word.load(ordering: .relaxed) >> PromiseState.kindShift == UInt32(NodeKind.span.rawValue)
            ? unsafeDowncast(self, to: SpanNode.self) : nil
    }
}
