import CChainRuntime
import ChainEvents

// What a promise reports to the recorder. Every caller asks `isRecording` first: with nobody recording that load and
// branch is all there is.
extension AnyPromise {
    func report(
        _ kind: EventKind, other: NodeID = .none, detail: UInt16 = 0, flags: EventFlags = [], text: String? = nil
    ) {
        record(EventRecord(kind, node: id, other: other, detail: detail, flags: flags), text: text)
    }

    // Nothing is retained on the way to the recorder: the promise keeps the runtime, which keeps the sink.
    private func record(_ record: EventRecord, text: String?) {
        let box = contextReference._withUnsafeGuaranteedRef { $0.sinkReference }
        box?._withUnsafeGuaranteedRef { $0.sink.record(record, text: text) }
    }

    func reportCreated(parent: AnyPromise?, isExternal: Bool) {
        var state = lock()
        state.set(PromiseState.registered)
        unlock(state)
        contextReference._withUnsafeGuaranteedRef { $0.withRuntime { $0.registry.insert(self) } }
        var flags: EventFlags = isExternal ? .external : []
        var other = NodeID.none
        if let parent {
            other = parent.id
            flags.insert(.hasParent)
        } else if let creator = Self.runningReference {
            creator._withUnsafeGuaranteedRef { if $0.isInRuntime(of: self) { other = $0.id } }
        }
        record(
            EventRecord(
                .created, node: id, other: other, site: callSite, detail: UInt16(kind.rawValue), flags: flags),
            text: contextReference._withUnsafeGuaranteedRef { $0.label })
    }

    func reportSettled(_ state: PromiseState, flags: EventFlags) {
        let box = contextReference._withUnsafeGuaranteedRef { $0.sinkReference }
        box?._withUnsafeGuaranteedRef { tell($0, of: state, flags: flags) }
    }

    private func tell(_ box: SinkBox, of state: PromiseState, flags: EventFlags) {
        var record = EventRecord(.fulfilled, node: id, flags: flags)
        var text: String?
        if flags.contains(.skipping) {
            record.kind = .skipped
            record.flags.remove(.skipping)
            if state.has(PromiseState.rejected) { record.flags.insert(.error) }
        } else if !state.has(PromiseState.rejected) {
            if box.capturesValues { text = valueText }
        } else if let cancelled = error as? PromiseCancelled {
            record.kind = .cancelled
            if case .viewer = cancelled.by { record.flags.insert(.byViewer) }
            text = "\(cancelled)"
        } else {
            record.kind = error is PromiseAbandoned ? .abandoned : .rejected
            if box.capturesErrors, let error { text = "\(error)" }
        }
        box.sink.record(record, text: text)
    }

    func reportUnhandled() {
        guard let error, !(error is PromiseCancelled), !(error is PromiseAbandoned) else { return }
        if let box = context.runtime.sink {
            box.sink.record(EventRecord(.unhandled, node: id), text: box.capturesErrors ? "\(error)" : nil)
        }
        context.runtime.onUnhandled?(
            UnhandledRejection(id: id, site: callSite.site, label: context.label, error: error))
    }

    /// The promise whose handler runs on this thread.
    static var running: AnyPromise? { runningReference?.takeUnretainedValue() }

    private static var runningReference: Unmanaged<AnyPromise>? {
        chain_thread_current().pointee.node.map { Unmanaged.fromOpaque($0) }
    }

    private func isInRuntime(of other: AnyPromise) -> Bool {
        contextReference._withUnsafeGuaranteedRef { mine in
            other.contextReference._withUnsafeGuaranteedRef { $0.runtimeReference == mine.runtimeReference }
        }
    }
}

extension EventFlags {
    // Ours alone, never recorded: tells reportSettled that the outcome was passed on.
    @usableFromInline static let skipping = EventFlags(rawValue: 128)
}
