// SPDX-License-Identifier: MIT

import ChainBus
import ChainEvents
import ChainInspector
import ChainSource
import Dispatch
import Synchronization

/// A source for this process's own runtime, for demos: the path of an attached process without the socket.
final class InProcessSource: BatchSource {
    private let inspector: Inspector
    private let statusSubject = BehaviorSubject<SourceStatus>(.idle)
    private let replySubject = PublishSubject<CommandReply>()
    private let isStarted = Atomic(false)
    // A queue, because a cancellation may run inline handlers, which must not hold up the dashboard.
    private let commands = DispatchQueue(label: "chainview.commands")

    init(_ inspector: Inspector) { self.inspector = inspector }

    var batches: EventStream<EventBatch> { inspector.batches }
    var status: EventStream<SourceStatus> { statusSubject.observable }
    var replies: EventStream<CommandReply> { replySubject.observable }

    func start() {
        guard !isStarted.exchange(true, ordering: .relaxed) else { return }
        // After `stop()` the subject is completed, and drops the status.
        statusSubject.on(.next(.live(inspector.info)))
    }

    func send(_ command: ViewerCommand) {
        commands.async { [inspector, replySubject] in replySubject.on(.next(inspector.perform(command))) }
    }

    func stop() {
        commands.sync {}
        inspector.stop()
        statusSubject.on(.next(.ended(.stopped)))
        statusSubject.on(.completed)
        replySubject.on(.completed)
    }
}
