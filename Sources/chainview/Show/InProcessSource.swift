import ChainBus
import ChainEvents
import ChainInspector
import ChainSource
import Dispatch

/// This process's own runtime as a source: what the demos are watched through. The path of an attached process, without
/// the socket.
final class InProcessSource: BatchSource {
    private let inspector: Inspector
    private let statusSubject = BehaviorSubject<SourceStatus>(.idle)
    private let replySubject = PublishSubject<CommandReply>()
    // Cancelling may run handlers of inline executors: never on the dashboard's thread.
    private let commands = DispatchQueue(label: "chainview.commands")

    init(_ inspector: Inspector) { self.inspector = inspector }

    var batches: EventStream<EventBatch> { inspector.batches }
    var status: EventStream<SourceStatus> { statusSubject.observable }
    var replies: EventStream<CommandReply> { replySubject.observable }

    func start() { statusSubject.on(.next(.live(inspector.info))) }

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
