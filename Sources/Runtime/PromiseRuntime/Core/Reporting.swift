// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainEvents

// The events that a promise reports to the recorder. The caller checks first whether something records: without a
// recorder, that check, a load and a branch, is the whole cost. Only `reportUnhandled` checks that itself.
extension AnyPromise {
    func report(
        _ kind: EventKind, other: NodeID = .none, detail: UInt16 = 0, flags: EventFlags = [], text: String? = nil
    ) {
        record(EventRecord(kind, node: id, other: other, detail: detail, flags: flags), text: text)
    }

    // Nothing is retained here, because the promise keeps the runtime, which keeps the sink.
    private func record(_ record: EventRecord, text: String?) {
        let box = contextReference._withUnsafeGuaranteedRef { $0.sinkReference }
        box?._withUnsafeGuaranteedRef { $0.sink.record(record, text: text) }
    }

    func reportCreated(parent: AnyPromise?, isExternal: Bool) {
        var flags: EventFlags = isExternal ? .external : []
        var other = NodeID.none
        // A child, and a promise made in a handler, scope or span, inherits whether it is recorded. For a root the
        // filter decides (RecordingFilter).
        let isIncluded: Bool
        if let parent {
            other = parent.id
            flags.insert(.hasParent)
            isIncluded = parent.isRecorded
        } else if let span = asSpan {
            let creator = span.creator
            let isInside = creator?.isInRuntime(of: self) ?? false
            // With `isOfTask` the span stands under its task, because the task itself stands under the creator.
            if isInside, let creator, !span.isOfTask {
                other = creator.id
            } else {
                other = observedTask ?? (isInside ? creator?.id : nil) ?? .none
            }
            isIncluded = isInside ? creator?.isRecorded ?? true : isIncludedAsRoot
        } else if let creator = Self.runningReference,
            creator._withUnsafeGuaranteedRef({ $0.isInRuntime(of: self) })
        {
            (other, isIncluded) = creator._withUnsafeGuaranteedRef { creator in
                let innermost = creator.innermost
                return (innermost.id, innermost.isRecorded)
            }
        } else if let task = observedTask {
            (other, isIncluded) = (task, isIncludedAsRoot)
        } else if let scope = TaskScope.creator, scope.isInRuntime(of: self) {
            (other, isIncluded) = (scope.id, scope.isRecorded)
        } else {
            isIncluded = isIncludedAsRoot
        }
        guard isIncluded else {
            // The lock is not taken, because no other thread has the promise yet.
            return word.store(word.load(ordering: .relaxed) | PromiseState.excluded, ordering: .relaxed)
        }
        if insertIntoRegistry() { recordCreated(other: other, flags: flags) }
    }

    /// Whether this promise's steps are recorded, if a recorder runs: in most cases one load of the state word.
    @inline(__always)
    final var isRecorded: Bool {
        word.load(ordering: .relaxed) & PromiseState.registered != 0 || isRecordedUnlessExcluded
    }

    @inline(never)
    private final var isRecordedUnlessExcluded: Bool {
        let isExcluded = word.load(ordering: .relaxed) & PromiseState.excluded != 0
        if isExcluded, contextReference._withUnsafeGuaranteedRef({ $0.isNarrowed }) { return false }
        return joinRecording()
    }

    /// Decides whether a promise made before recording began is recorded, and reports it if so. Returns whether it is
    /// recorded.
    ///
    /// - Parameter settling: Whether the caller reports the settlement.
    @inline(never)
    private final func joinRecording(settling: Bool = false) -> Bool {
        guard let box = contextReference._withUnsafeGuaranteedRef({ $0.sinkReference }) else { return false }
        guard isIncludedAsRoot else {
            exclude()
            return false
        }
        guard insertIntoRegistry() else { return true }
        let (parent, followed) = waitsFor
        recordCreated(other: parent?.id ?? .none, flags: parent == nil ? .late : [.late, .hasParent])
        if let followed { report(.adopted, other: followed.id) }
        let state = current
        // The settlement is reported here, because no other step may follow, and the promise would seem to be pending.
        if state.hasOutcome, !settling { box._withUnsafeGuaranteedRef { recordSettled($0, of: state, flags: []) } }
        return true
    }

    @inline(__always)
    private func joinRecordingAtSettlement(_ state: PromiseState) -> Bool {
        let isExcluded = state.has(PromiseState.excluded)
        if isExcluded, contextReference._withUnsafeGuaranteedRef({ $0.isNarrowed }) { return false }
        return joinRecording(settling: true)
    }

    private var isIncludedAsRoot: Bool {
        let box = contextReference._withUnsafeGuaranteedRef { $0.sinkReference }
        return box?._withUnsafeGuaranteedRef { box in
            box.filter?.includes(id, siteKey: siteKey, site: callSite, label: context.label) ?? true
        } ?? false
    }

    private func exclude() {
        var state = lock()
        state.set(PromiseState.excluded)
        unlock(state)
    }

    /// Inserts the promise into the registry; false if it is registered already.
    private func insertIntoRegistry() -> Bool {
        var state = lock()
        let isNew = !state.has(PromiseState.registered)
        state.set(PromiseState.registered)
        unlock(state)
        if isNew { contextReference._withUnsafeGuaranteedRef { $0.withRuntime { $0.registry.insert(self) } } }
        return isNew
    }

    private func recordCreated(other: NodeID, flags: EventFlags) {
        record(
            EventRecord(
                .created, node: id, other: other, site: callSite, detail: UInt16(kind.rawValue), flags: flags),
            text: contextReference._withUnsafeGuaranteedRef { $0.label })
    }

    func reportSettled(_ state: PromiseState, flags: EventFlags) {
        guard state.has(PromiseState.registered) || joinRecordingAtSettlement(state) else { return }
        let box = contextReference._withUnsafeGuaranteedRef { $0.sinkReference }
        box?._withUnsafeGuaranteedRef { recordSettled($0, of: state, flags: flags) }
    }

    /// Reports the cancellation request and the settlement; the promise is rejected already.
    func reportCancelled(_ state: PromiseState, _ cancellation: PromiseCancelledError, origin: NodeID) {
        guard state.has(PromiseState.registered) || joinRecordingAtSettlement(state) else { return }
        var flags: EventFlags = []
        if case .viewer = cancellation.by { flags = .byViewer }
        report(.cancelRequested, other: origin, flags: flags, text: cancellation.source)
        reportSettled(state, flags: [])
    }

    private func recordSettled(_ box: SinkBox, of state: PromiseState, flags: EventFlags) {
        var record = EventRecord(.fulfilled, node: id, flags: flags)
        var text: String?
        if flags.contains(.skipping) {
            record.kind = .skipped
            record.flags.remove(.skipping)
            if state.has(PromiseState.rejected) { record.flags.insert(.error) }
        } else if !state.has(PromiseState.rejected) {
            if box.capturesValues { text = valueText }
        } else if let cancelled = error as? PromiseCancelledError {
            record.kind = .cancelled
            if case .viewer = cancelled.by { record.flags.insert(.byViewer) }
            text = "\(cancelled)"
        } else if let abandoned = error as? PromiseAbandonedError {
            // The text is always captured, because it holds only call sites and labels, which other events contain,
            // too.
            record.kind = .abandoned
            text = "\(abandoned)"
        } else {
            record.kind = .rejected
            if box.capturesErrors, let error { text = "\(error)" }
        }
        box.sink.record(record, text: text)
    }

    /// Reports an unhandled error. Called in the promise's deinit, so the promise is inserted into no registry.
    func reportUnhandled(_ state: PromiseState) {
        guard let error, !(error is PromiseCancelledError), !(error is PromiseAbandonedError) else { return }
        if let box = context.runtime.sink {
            let isRegistered = state.has(PromiseState.registered)
            let isExcluded = state.has(PromiseState.excluded) && box.filter != nil
            if isRegistered || (!isExcluded && isIncludedAsRoot) {
                box.sink.record(EventRecord(.unhandled, node: id), text: box.capturesErrors ? "\(error)" : nil)
                if !isRegistered { report(.released) }
            }
        }
        context.runtime.onUnhandled?(
            UnhandledRejection(id: id, site: callSite.site, label: context.label, error: error))
    }

    /// The promise of the handler that runs on this thread.
    static var running: AnyPromise? { runningReference?.takeUnretainedValue() }

    private static var runningReference: Unmanaged<AnyPromise>? {
        chain_thread_current().pointee.node.map { Unmanaged.fromOpaque($0) }
    }

    /// The span around the calling code, if it began in this node's handler; otherwise this node.
    private var innermost: AnyPromise {
        guard TaskScope.mayExist, let span = SpanNode.current, span.handler == id, span.isInRuntime(of: self) else {
            return self
        }
        return span
    }

    /// The node of the running task; nil if tasks are not observed by the promise's runtime, or if a scope or span
    /// began in the task.
    private var observedTask: NodeID? {
        let task = TaskScope.taskNode
        guard task != .none else { return nil }
        let runtime = contextReference._withUnsafeGuaranteedRef { $0.runtimeReference }
        return TaskNodes.isObserved(by: runtime) ? task : nil
    }

    private func isInRuntime(of other: AnyPromise) -> Bool {
        contextReference._withUnsafeGuaranteedRef { mine in
            other.contextReference._withUnsafeGuaranteedRef { $0.runtimeReference == mine.runtimeReference }
        }
    }
}

extension EventFlags {
    // Internal and never recorded: marks a settlement that passed an outcome on.
    @usableFromInline static let skipping = EventFlags(rawValue: 128)
}
