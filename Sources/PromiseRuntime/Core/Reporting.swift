import CChainRuntime
import ChainEvents

// What a promise reports to the recorder. Every caller asks `isRecording` first: with nobody recording that load and
// branch is all there is.
extension AnyPromise {
    func report(
        _ kind: EventKind, other: NodeID = .none, detail: UInt16 = 0, flags: EventFlags = [], text: String? = nil
    ) {
        context.runtime.sink?.sink.record(
            EventRecord(kind, node: id, other: other, detail: detail, flags: flags), text: text)
    }

    func reportCreated(parent: AnyPromise?, isExternal: Bool) {
        guard let box = context.runtime.sink else { return }
        var state = lock()
        state.set(PromiseState.registered)
        unlock(state)
        context.runtime.registry.insert(self)
        var flags: EventFlags = isExternal ? .external : []
        var other = NodeID.none
        if let parent {
            other = parent.id
            flags.insert(.hasParent)
        } else if let creator = Self.running, creator.context.runtime === context.runtime {
            other = creator.id
        }
        box.sink.record(
            EventRecord(
                .created, node: id, other: other, site: callSite, detail: UInt16(kind.rawValue), flags: flags),
            text: context.label)
    }

    func reportSettled(_ state: PromiseState, flags: EventFlags) {
        guard let box = context.runtime.sink else { return }
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
    static var running: AnyPromise? {
        chain_thread_current().pointee.node.map { Unmanaged<AnyPromise>.fromOpaque($0).takeUnretainedValue() }
    }
}

extension EventFlags {
    // Ours alone, never recorded: tells reportSettled that the outcome was passed on.
    @usableFromInline static let skipping = EventFlags(rawValue: 128)
}
