// SPDX-License-Identifier: MIT

import ChainBus
import ChainModel
import ChainSource
import Dashboard

/// A source, and its name until its program is connected.
struct NamedSource {
    var name: String
    var source: any BatchSource
}

/// A feed of a source's batches, statuses and replies to the dashboard's thread, with one bounded mailbox for each of
/// the three.
final class Feed {
    private let id: SourceID
    private let name: String
    let source: any BatchSource
    private let batches: BatchMailbox
    private let status: Mailbox<SourceStatus>
    private let replies: Mailbox<CommandReply>
    private let bag = DisposeBag()
    /// The batches taken out of the mailbox; the batches before `nextIndex` have been dispatched.
    private var received: [EventBatch] = []
    private var nextIndex = 0
    /// The high-water mark of events and nodes in the mailbox.
    private var highWaterMark = 0
    private var process: ProcessDescription?
    /// The id of the last command that the feed itself has sent, from 2⁶³ on; replies to these commands are not
    /// dispatched.
    private var lastCommandID: UInt64 = 1 << 63
    /// Whether the source was ever live.
    private(set) var wasLive = false
    /// Why the source ended, or why it has not connected yet.
    private(set) var failure: String?
    private(set) var isOver = false

    /// The limit of events and nodes in the mailbox. Past the limit, a patient source waits. If the source is not
    /// patient, or has waited for its whole patience, its batches are dropped, and a snapshot is requested.
    private static let eventLimit = 400_000

    /// Subscribes to each source and starts it.
    ///
    /// - Parameters:
    ///   - patience: how long a patient source waits for the feed, and holds up its other subscribers; nil: without
    ///     limit.
    ///   - wake: called on any thread when something waits to be drained.
    static func all(
        _ sources: [NamedSource], patience: Duration? = nil, wake: @escaping @Sendable () -> Void
    ) -> [Feed] {
        sources.enumerated().map { index, source in
            Feed(source, id: SourceID(index), patience, wake)
        }
    }

    private init(
        _ named: NamedSource, id: SourceID, _ patience: Duration?, _ wake: @escaping @Sendable () -> Void
    ) {
        self.id = id
        name = named.name
        source = named.source
        batches = BatchMailbox(limit: Self.eventLimit, waits: source.isPatient, patience: patience, wake: wake)
        status = Mailbox(limit: 1_000, wake: wake)
        replies = Mailbox(limit: 1_000, wake: wake)
        source.status.subscribe(status).disposed(by: bag)
        source.replies.subscribe(replies).disposed(by: bag)
        source.start()
        source.batches.subscribe(batches).disposed(by: bag)
    }

    /// The program's name, or the target's name until the program is connected.
    var shownName: String { process?.name ?? name }

    /// Whether the last ``drain(limit:_:)`` left batches, because of its limit.
    var hasBatches: Bool { nextIndex < received.count }

    /// Dispatches whole batches of about `limit` events and nodes, then replies. If the last call has left no batches,
    /// statuses are dispatched first.
    func drain(limit: Int = .max, _ dispatch: (Action) -> Void) {
        if !hasBatches { receive(dispatch) }
        var rest = limit
        while rest > 0, hasBatches {
            let batch = received[nextIndex]
            // Overwritten, so that the dashboard holds the only reference to the arrays.
            received[nextIndex] = EventBatch(process: batch.process, sequence: 0, time: 0)
            nextIndex += 1
            rest -= BatchMailbox.cost(of: batch)
            dispatch(.received(id, batch))
        }
        for reply in replies.drain().elements where reply.command < 1 << 63 { dispatch(.replied(id, reply)) }
    }

    private func receive(_ dispatch: (Action) -> Void) {
        // Drained before the statuses, because a program's status is sent before its first batch.
        let waiting = batches.drain()
        (received, nextIndex) = (waiting.batches, 0)
        highWaterMark = max(highWaterMark, received.reduce(0) { $0 + BatchMailbox.cost(of: $1) })
        for status in status.drain().elements {
            switch status {
            case .connecting(let attempt, let failure):
                self.failure = failure
                dispatch(.connecting(id, name: name, attempt: attempt, lastFailure: failure))
            case .live(let info), .replaying(let info, _):
                process = info
                wasLive = true
                dispatch(.connected(id, info))
            case .reconnecting(_, let disconnection):
                dispatch(
                    .reconnecting(
                        id, since: disconnection.since, reason: disconnection.reason, attempt: disconnection.attempt,
                        nextAttempt: disconnection.nextAttempt, hasStopped: disconnection.hasStopped))
            case .ended(.failed(let reason)):
                (isOver, failure) = (true, reason)
                dispatch(.ended(id, reason))
            case .ended(.finished):
                isOver = true
                dispatch(.ended(id, "the program has ended"))
            case .ended(.stopped): isOver = true
            case .idle: break
            }
        }
        if waiting.hasDropped { requestSnapshot() }
    }

    /// The fill of the mailbox, including the batches that were taken out and are not dispatched yet.
    var queueStatistics: QueueStatistics {
        let taken = hasBatches ? received[nextIndex...].reduce(0) { $0 + BatchMailbox.cost(of: $1) } : 0
        let count = batches.waitingCost + taken
        return QueueStatistics(
            name: "\(name): events and nodes to apply", count: count, highWaterMark: highWaterMark,
            limit: Self.eventLimit)
    }

    func send(_ command: ViewerCommand) { source.send(command) }

    /// Requests the program's whole state, which comes as batches.
    func requestSnapshot() {
        guard let process else { return }
        lastCommandID += 1
        source.send(ViewerCommand(id: lastCommandID, process: process.key, request: .resync))
    }

    func stop() {
        batches.close()
        bag.dispose()
        source.stop()
    }
}
