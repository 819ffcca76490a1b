// SPDX-License-Identifier: MIT

import ChainEvents
import ChainSource
import ChainSystem
import ChainWire

/// The thread of an attached process: it finds the program, receives its events, and reconnects after the
/// connection is lost.
final class AttachWorker {
    private enum Phase {
        /// Waiting for the time of the next attempt.
        case waiting(until: UInt64)
        /// Connecting, and waiting for the program's hello.
        case handshake(ProgramConnection, deadline: UInt64)
        case live(Attachment)
    }

    private let core: AttachCore
    private let wakers: AttachCore.Wakers
    private let clock: any PollClock
    private var target: Target
    private var phase = Phase.waiting(until: 0)
    /// The delays before attempts: 100 ms at first, doubling up to 5 s.
    private var backoff = ExponentialBackoff(first: AttachWorker.shortestDelay, limit: 5_000_000_000)
    /// The number of attempts that failed since the last success.
    private var attempt = 0
    /// The program attached to last.
    private var process: ProcessDescription?
    private var numbering = BatchNumbering()
    private var ending: SourceEnding?
    /// The watch that cuts a long delay short when a program begins to listen.
    private var watch: FolderWatch?
    /// The time of the last attempt, in nanoseconds of ``clock``.
    private var lastConnect: UInt64 = 0

    private static let shortestDelay: UInt64 = 100_000_000
    /// A connection that lasted for this long, in nanoseconds, resets the delays.
    private static let steadyTime: UInt64 = 5_000_000_000

    init(_ core: AttachCore, _ wakers: AttachCore.Wakers) {
        self.core = core
        self.wakers = wakers
        clock = core.clock
        target = core.target
    }

    func run() {
        core.status.onNext(.connecting(attempt: 1, lastFailure: nil))
        while ending == nil {
            if case .waiting(let moment) = phase, clock.now >= moment { connect() }
            if ending == nil { wait() }
            if ending == nil { handleInbox() }
        }
        if case .live(let attachment) = phase { attachment.detach() }
        phase = .waiting(until: .max)
        if let ending { core.end(ending) }
    }

    private func wait() {
        var entries = [wakers.inbox.pollEntry, wakers.stop.pollEntry]
        let deadline: UInt64
        switch phase {
        case .waiting(let moment):
            if let watch { entries.append(watch.pollEntry) }
            deadline = moment
        case .handshake(let connection, let limit):
            entries += connection.entries
            deadline = limit
        case .live(let attachment):
            entries += attachment.connection.entries
            deadline = attachment.deadline ?? .max
        }
        clock.poll(&entries, until: deadline == .max ? nil : deadline)
        if entries[0].revents != 0 { wakers.inbox.clear() }
        switch phase {
        case .waiting(let moment): advanceAttempt(entries[2...], from: moment)
        case .handshake(let connection, let limit): continueHandshake(connection, entries[2...], limit)
        case .live(let attachment): receive(attachment, entries[2...])
        }
    }

    private func handleInbox() {
        let inbox = core.takeInbox()
        var attachment: Attachment?
        if case .live(let live) = phase { attachment = live }
        for command in inbox.commands {
            if let attachment { attachment.send(command) } else { core.refuse(command.id, whyNotLive) }
        }
        if inbox.wantsState { attachment?.requestState() }
        if inbox.isStopping { ending = .stopped }
    }

    private var whyNotLive: String {
        let name = process?.name ?? target.description
        return process == nil ? "\(name) is not attached to yet" : "\(name) cannot be reached: the connection was lost"
    }

    // MARK: Phases

    private func connect() {
        lastConnect = clock.now
        // Made before the attempt, because a program may begin to listen right after the attempt.
        watch = attempt > 0 || process != nil ? makeWatch() : nil
        do throws(AttachError) {
            let context = Discovery.SearchContext(clock: clock, stop: wakers.stop)
            let endpoint = try core.options.discovery.resolve(target, preferring: process?.key, context)
            let greeting = ClientHello(
                purpose: .watch, isReadOnly: core.options.isReadOnly, name: core.options.viewerName)
            phase = .handshake(
                try ProgramConnection(to: endpoint, greeting),
                deadline: clock.now + endpoint.answerLimit.clampedNanoseconds)
        } catch {
            // `gone` shows that the run has ended, because a stopped program still listens. Its pid would not show
            // that. If the program runs in a container, the pid may belong to another process here.
            if core.options.endsWithRun, process != nil, error.kind == .gone, !core.isStopping {
                return ending = .finished
            }
            fail(error)
        }
    }

    private func continueHandshake(_ connection: ProgramConnection, _ entries: ArraySlice<pollfd>, _ deadline: UInt64) {
        _ = connection.sendAndReceive(entries)
        do throws(AttachError) {
            while let message = try connection.next() {
                switch message {
                case .hello(let hello): return begin(connection, hello)
                case .farewell(let farewell): throw farewell.error
                default: continue
                }
            }
            guard clock.now < deadline else {
                throw AttachError(.timedOut, "\(connection.endpoint) takes connections, but does not answer")
            }
        } catch {
            fail(error)
        }
    }

    private func begin(_ connection: ProgramConnection, _ hello: Hello) {
        attempt = 0
        if hello.process.key != process?.key { numbering = BatchNumbering() }
        numbering.beginConnection()
        process = hello.process
        watch = nil
        if core.options.endsWithRun, let run = singleRun(hello.process.pid, at: connection.endpoint) {
            target = run
        } else if case .name = target {
            // Later attempts look for the whole name, because the target may be only a prefix of it.
            target = .name(hello.process.name)
        }
        let attachment = Attachment(core, connection, hello.process)
        phase = .live(attachment)
        core.systemProcess.withLock { $0 = connection.process }
        core.status.onNext(.live(hello.process))
        // Other messages may have arrived together with the hello.
        deliverMessages(of: attachment)
    }

    private func receive(_ attachment: Attachment, _ entries: ArraySlice<pollfd>) {
        attachment.sendAndReceive(entries)
        deliverMessages(of: attachment)
    }

    private func deliverMessages(of attachment: Attachment) {
        do throws(AttachError) {
            try attachment.deliverMessages(&numbering)
        } catch {
            attachment.close()
            if clock.now - attachment.startTime >= Self.steadyTime { backoff.reset() }
            if attachment.hasPeerStopped, isSingleRun { return ending = .finished }
            goodbye = attachment.hasPeerStopped ? error.description : nil
            fail(error, lastReceived: attachment.lastReceivedWall)
        }
    }

    /// When the last bytes before the loss arrived, in nanoseconds since 1970.
    private var disconnectedSince: UInt64 = 0
    /// What the program said when it ended or stopped its inspector; nil if the connection was lost otherwise.
    private var goodbye: String?

    private func fail(_ error: AttachError, lastReceived: UInt64? = nil) {
        // A requested stop may have caused the error.
        guard !core.isStopping else { return ending = .stopped }
        guard let process else { return failAtFirst(error) }
        if let lastReceived { disconnectedSince = lastReceived } else { attempt += 1 }
        // Watch before the first attempt, too, because after several short connections the first attempt is seconds
        // away.
        if watch == nil { watch = makeWatch() }
        guard error.kind != .version || lastReceived != nil else { return ending = .failed(error.description) }
        guard !isGone(error) else { return ending = .finished }
        // The program that answers the next attempt may be another run.
        guard isSingleRun || !core.options.endsWithRun else { return ending = .failed(error.description) }
        let delay = scheduleAttempt()
        core.status.onNext(
            .reconnecting(
                process,
                Disconnection(
                    since: disconnectedSince, reason: goodbye ?? error.description, attempt: attempt,
                    nextAttempt: clock.wall.addingClamped(delay), hasStopped: goodbye != nil)))
    }

    private func failAtFirst(_ error: AttachError) {
        attempt += 1
        let isRetried =
            switch error.kind {
            case .notFound, .gone, .timedOut, .busy, .system: true
            case .ambiguous, .refused, .version, .foreign: false
            }
        // A process that has ended never comes back, so waiting for its pid would not end.
        guard core.options.waits, isRetried, !isGone(error) else { return ending = .failed(error.description) }
        _ = scheduleAttempt()
        core.status.onNext(.connecting(attempt: attempt + 1, lastFailure: error.description))
    }

    private func makeWatch() -> FolderWatch? { FolderWatch(core.options.discovery.watchedFolders(of: target)) }

    /// Brings the next attempt forward after a change in a watched folder, because the program may have begun to
    /// listen. There are ten attempts a second at most.
    private func advanceAttempt(_ entries: ArraySlice<pollfd>, from moment: UInt64) {
        guard let entry = entries.first, entry.revents != 0 else { return }
        watch?.drain()
        phase = .waiting(until: min(moment, max(clock.now, lastConnect + Self.shortestDelay)))
    }

    /// Schedules the next attempt after the next delay, and returns that delay.
    private func scheduleAttempt() -> UInt64 {
        let delay = backoff.next()
        phase = .waiting(until: clock.now + delay)
        return delay
    }

    /// Returns the target by this pid if it leads to the endpoint; otherwise nil.
    private func singleRun(_ pid: Int32, at endpoint: Endpoint) -> Target? {
        (try? core.options.discovery.resolve(.pid(pid)))?.description == endpoint.description ? .pid(pid) : nil
    }

    /// Whether the target is one run of a program, not a name or address at which a later run may listen.
    private var isSingleRun: Bool {
        switch target {
        case .pid: true
        case .ssh(_, let process): Int32(process) != nil
        case .name, .unix, .tcp, .exec: false
        }
    }

    /// Returns whether the target is a single run of a program, and that run has ended.
    private func isGone(_ error: AttachError) -> Bool {
        switch target {
        case .pid(let pid): !SafeFiles.isRunning(pid)
        case .ssh: isSingleRun && error.kind == .notFound
        case .name, .unix, .tcp, .exec: false
        }
    }
}
