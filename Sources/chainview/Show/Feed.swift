import ChainBus
import ChainEvents
import ChainModel
import ChainSource
import Dashboard

/// A source and what it is called until its program says who it is.
struct NamedSource {
    var name: String
    var source: any BatchSource
}

/// What a source has to say, brought to the dashboard's thread: one bounded, counted mailbox a stream.
final class Feed {
    private let id: SourceID
    private let name: String
    private let source: any BatchSource
    private let batches: Mailbox<EventBatch>
    private let status: Mailbox<SourceStatus>
    private let replies: Mailbox<CommandReply>
    private let bag = DisposeBag()
    /// Batches that were taken out of the mailbox, those before `next` being dispatched.
    private var mail: [EventBatch] = []
    private var next = 0
    /// The most events and nodes that waited when the mailbox was drained.
    private var highWaterMark = 0
    private var process: ProcessDescription?
    private var lastCommand: UInt64 = 1 << 63
    /// Whether it was ever live.
    private(set) var wasLive = false
    /// Why it is over, once it is; or why it has not connected yet.
    private(set) var trouble: String?
    private(set) var isOver = false

    /// How many events may wait for a dashboard that is slow; past it the source waits or, if it must not, a fresh state
    /// is asked for.
    private static let eventLimit = 400_000

    /// Subscribes to each source and starts it. `wake` is called on any thread when something waits.
    static func all(_ sources: [NamedSource], wake: @escaping @Sendable () -> Void) -> [Feed] {
        sources.enumerated().map { place, source in
            Feed(source, id: SourceID(place), wake: wake)
        }
    }

    private init(_ named: NamedSource, id: SourceID, wake: @escaping @Sendable () -> Void) {
        self.id = id
        name = named.name
        source = named.source
        batches = Mailbox(
            limit: Self.eventLimit, overflow: source.isPatient ? .wait : .drop,
            cost: Self.cost(of:), wake: wake)
        status = Mailbox(limit: 1_000, wake: wake)
        replies = Mailbox(limit: 1_000, wake: wake)
        source.status.subscribe(status).disposed(by: bag)
        source.replies.subscribe(replies).disposed(by: bag)
        source.start()
        source.batches.subscribe(batches).disposed(by: bag)
    }

    /// Whether there are batches left that a call of ``drain(limit:_:)`` took out.
    var hasMail: Bool { next < mail.count }

    /// Dispatches what waits, in the order in which it makes sense: whole batches, until they have `limit` events and
    /// nodes.
    func drain(limit: Int = .max, _ dispatch: (Action) -> Void) {
        if !hasMail { take(dispatch) }
        var rest = limit
        while rest > 0, hasMail {
            let batch = mail[next]
            // Let go of: its memory is the dashboard's now.
            mail[next] = EventBatch(process: batch.process, sequence: 0, time: 0)
            next += 1
            rest -= Self.cost(of: batch)
            dispatch(.received(id, batch))
        }
        for reply in replies.drain().elements where reply.command < 1 << 63 { dispatch(.replied(id, reply)) }
    }

    private func take(_ dispatch: (Action) -> Void) {
        // A program is announced before its first batch: whoever said something in this mail is in the next.
        let waiting = batches.drain()
        (mail, next) = (waiting.elements, 0)
        highWaterMark = max(highWaterMark, mail.reduce(0) { $0 + Self.cost(of: $1) })
        for status in status.drain().elements {
            switch status {
            case .connecting(let attempt, let failure):
                trouble = failure
                dispatch(.connecting(id, name: name, attempt: attempt, lastFailure: failure))
            case .live(let info), .replaying(let info, _):
                process = info
                wasLive = true
                dispatch(.connected(id, info))
            case .reconnecting(_, let outage):
                dispatch(
                    .reconnecting(
                        id, since: outage.since, reason: outage.reason, attempt: outage.attempt,
                        nextAttempt: outage.nextAttempt))
            case .ended(.failed(let reason)):
                (isOver, trouble) = (true, reason)
                dispatch(.ended(id, reason))
            case .ended(.finished):
                isOver = true
                dispatch(.ended(id, "the program has ended"))
            case .ended(.stopped): isOver = true
            case .idle: break
            }
        }
        if waiting.droppedCount > 0 { requestSnapshot() }
    }

    /// What waited for the dashboard: in the mailbox, and taken out of it.
    var queueStatistics: QueueStatistics {
        let count = batches.waitingCost + (hasMail ? mail[next...].reduce(0) { $0 + Self.cost(of: $1) } : 0)
        return QueueStatistics(
            name: "\(name): events and nodes to take in", count: count, highWaterMark: highWaterMark,
            limit: Self.eventLimit)
    }

    private static func cost(of batch: EventBatch) -> Int { 1 + batch.events.count + batch.nodes.count }

    func send(_ command: ViewerCommand) { source.send(command) }

    /// Asks for all that is alive; it comes as batches.
    func requestSnapshot() {
        guard let process else { return }
        lastCommand += 1
        source.send(ViewerCommand(id: lastCommand, process: process.key, request: .resync))
    }

    func stop() {
        batches.close()
        bag.dispose()
        source.stop()
    }
}
