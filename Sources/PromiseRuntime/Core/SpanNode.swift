import CChainRuntime
import ChainEvents
import ChainSystem
import Synchronization

/// The node of a span of a tracer: it runs from its creation until ``end(throwing:)``. Promises and scopes made in the
/// span stand under it.
///
/// Nothing of the runtime cancels a span: its code belongs to no promise, and a reference to its task could outlive the
/// task.
package final class SpanNode: Promise<Void>, @unchecked Sendable {
    // Sendable: the name is behind a lock; the creator is used in `init` alone.
    private let newName = Lock<(text: String?, count: UInt64)>((nil, 0))
    /// Returns what the node's details show of the span.
    let entries: @Sendable () -> [NodeDetail.Entry]
    /// The node above it, only while it is made, so that a chain of ended spans is not kept.
    private(set) var creator: AnyPromise?
    /// The node in the handler of which it began: promises that the handler makes in the span stand under the span.
    let handler: NodeID
    /// The span of another process that called this one.
    let remoteParent: NodeKey?
    /// The node of the task in which it began, if tasks are observed; 0 for none.
    let taskNode = chain_thread_current().pointee.task_node
    /// Whether it may stand under the calling task: that one has the span around it, and no handler runs.
    let isOfTask: Bool

    /// Makes a span's node and reports its start, if something records; else returns nil.
    ///
    /// - Parameters:
    ///   - name: The label, until ``rename(to:)``.
    ///   - span: The span around it. The node stands under it, or under the task's scope (`withChain`) if that began
    ///     later, or under the calling task if tasks are observed and that one inherited both; without both, under the
    ///     handler that runs on this thread.
    ///   - remoteParent: The node of another process that the span was called from.
    ///   - entries: Returns what the details show; called on other threads, also after the end.
    package static func start(
        _ name: String, in span: SpanNode?, site: CallSite, remoteParent: NodeKey? = nil,
        entries: @escaping @Sendable () -> [NodeDetail.Entry]
    ) -> SpanNode? {
        let creator = span == nil ? running ?? TaskScope.innermost(of: nil) : TaskScope.innermost(of: span)
        let runtime = creator?.runtime ?? ChainRuntime.current
        guard runtime.isRecordingHere else { return nil }
        let contextWord = runtime.run { Context.rootWord(label: name, executor: nil) }
        let isOfTask =
            chain_thread_current().pointee.task_node != 0 && running == nil && (span == nil || span === current)
        let node = SpanNode(
            contextWord: contextWord, site: site, creator: creator, isOfTask: isOfTask, remoteParent: remoteParent,
            entries: entries)
        guard node.isRecording else { return node }
        if let remoteParent { node.report(.remoteParent, text: remoteParent.text) }
        node.report(.started)
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

    /// The key by which another process can refer to it; nil while no inspector runs.
    package var key: NodeKey? {
        let process = runtime.processKey.load(ordering: .relaxed)
        return process == 0 ? nil : NodeKey(process: ProcessKey(rawValue: process), id: id)
    }

    /// The name that it has now, if it was renamed, and how often it was.
    var renamed: (text: String?, count: UInt64) { newName.withLock { $0 } }

    /// Gives the node another label. Ignores an empty one.
    package func rename(to name: String) {
        guard !name.isEmpty else { return }
        let count: UInt64? = newName.withLock { known in
            guard (known.text ?? context.label) != name else { return nil }
            known = (name, known.count + 1)
            return known.count
        }
        if let count, isRecording { report(.renamed, detail: UInt16(clamping: count), text: name) }
    }

    /// Fulfils the node, or rejects it with what failed in the span; a `CancellationError` cancels it. The error is not
    /// unhandled, because the code of the span has it.
    package func end(throwing error: (any Error)?) { endScope(throwing: error) }

    // MARK: The current span

    private final class Source: Sendable {
        let span: @Sendable () -> SpanNode?
        init(_ span: @escaping @Sendable () -> SpanNode?) { self.span = span }
    }

    private static let source = AtomicLazyReference<Source>()

    /// Installs how the calling task's span is found; once a process, later calls do nothing.
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
        // The kind's bits, because making the enumeration's case takes a switch.
        word.load(ordering: .relaxed) >> PromiseState.kindShift == UInt32(NodeKind.span.rawValue)
            ? unsafeDowncast(self, to: SpanNode.self) : nil
    }
}
