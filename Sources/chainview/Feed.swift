import ChainBus
import ChainEvents
import ChainSource
import Dashboard

/// What a source has to say, brought to the dashboard's thread: one bounded, counted mailbox a stream.
final class Feed {
    private let source: any BatchSource
    private let batches: Mailbox<EventBatch>
    private let status: Mailbox<SourceStatus>
    private let replies: Mailbox<CommandReply>
    private let bag = DisposeBag()
    private var process: ProcessInfo?
    private var lastCommand: UInt64 = 1 << 63

    /// How many events may wait for a dashboard that is slow; past it, a fresh state is asked for.
    private static let eventLimit = 400_000

    /// Subscribes and starts the source. `wake` is called on any thread when something waits.
    init(_ source: any BatchSource, wake: @escaping @Sendable () -> Void) {
        self.source = source
        batches = Mailbox(limit: Self.eventLimit, cost: { 1 + $0.events.count + $0.nodes.count }, wake: wake)
        status = Mailbox(limit: 1_000, wake: wake)
        replies = Mailbox(limit: 1_000, wake: wake)
        source.status.subscribe(status).disposed(by: bag)
        source.replies.subscribe(replies).disposed(by: bag)
        source.start()
        source.batches.subscribe(batches).disposed(by: bag)
    }

    /// Dispatches all that waits, in the order in which it makes sense.
    func drain(_ dispatch: (Action) -> Void) {
        for status in status.drain().elements {
            switch status {
            case .live(let info), .replaying(let info, _):
                process = info
                dispatch(.connected(info))
            case .ended(.failed(let reason)): dispatch(.ended(reason))
            case .ended(.finished): dispatch(.ended("the program has ended"))
            case .ended(.stopped), .idle, .connecting, .reconnecting: break
            }
        }
        let mail = batches.drain()
        for batch in mail.elements { dispatch(.received(batch)) }
        if mail.droppedCount > 0 { requestSnapshot() }
        for reply in replies.drain().elements where reply.command < 1 << 63 { dispatch(.replied(reply)) }
    }

    func send(_ command: Command) { source.send(command) }

    /// Asks for all that is alive; it comes as batches.
    func requestSnapshot() {
        guard let process else { return }
        lastCommand += 1
        source.send(Command(id: lastCommand, process: process.key, request: .resync))
    }

    func stop() {
        bag.dispose()
        source.stop()
    }
}
