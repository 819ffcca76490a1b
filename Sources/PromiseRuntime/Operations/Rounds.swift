import ChainEvents

/// Whether there is another round after one has ended, and when: what tells `repeat` from `retry`.
enum RoundRule<Value: Sendable>: Sendable {
    case until(@Sendable (Value) throws -> Bool, pause: Duration)
    case retry(attempts: Int, Backoff, onlyIf: (@Sendable (any Error) throws -> Bool)?)

    /// Of the node whose rounds they are.
    var kind: NodeKind {
        switch self {
        case .until: .repeat
        case .retry: .retry
        }
    }

    /// Of a round.
    var roundKind: NodeKind {
        switch self {
        case .until: .round
        case .retry: .attempt
        }
    }

    /// A round's number as the dashboard shows it; rounds count from 1.
    func title(of round: Int) -> String {
        switch self {
        case .until: "\(round)"
        case .retry(let attempts, _, _): "\(round) of \(attempts)"
        }
    }

    /// Whether a round was the last one, as far as that needs no code of the program. A cancelled one always is.
    func ends(with outcome: Result<Value, any Error>, round: Int) -> Bool {
        switch (self, outcome) {
        case (.until, .success): false
        case (.until, .failure), (.retry, .success): true
        case (.retry(let attempts, _, _), .failure(let error)): round >= attempts || error is PromiseCancelled
        }
    }

    /// How long to wait before the next round; nil for no other one. Asks the program, so: on its executor.
    func pause(after outcome: Result<Value, any Error>, round: Int) throws -> Duration? {
        switch (self, outcome) {
        case (.until(let isEnough, let pause), .success(let value)): try isEnough(value) ? nil : pause
        case (.retry(_, let backoff, let isWorthAnother), .failure(let error)):
            try isWorthAnother?(error) ?? true ? backoff.wait(afterFailures: round) : nil
        default: nil
        }
    }
}

/// Starts a promise again and again, one after the other: each round a node under this one, which follows what the body
/// made, each wait a `delay`.
///
/// A round settles on whatever thread; what comes of it is decided in a job of the executor, which then is the next
/// round's, too. So nothing recurses, and there is one hop a round.
final class RoundsNode<Value: Sendable>: Promise<Value>, Combinator, @unchecked Sendable {
    // Sendable: what changes is behind its lock.
    typealias Body = @Sendable () throws -> Promise<Value>

    private struct Plan {
        let rule: RoundRule<Value>
        let body: Body
    }
    // The program's closures, until this node settles.
    private let plan: Lock<Plan?>

    init(
        _ rule: RoundRule<Value>, label: String, on executor: (any PromiseExecutor)?, site: CallSite,
        body: @escaping Body
    ) {
        plan = Lock(Plan(rule: rule, body: body))
        super.init(kind: rule.kind, site: site, context: .root(label: label, executor: executor))
        queueRound(1)
    }

    /// Makes a round whose body runs as the executor gets to it.
    private func queueRound(_ number: Int) {
        guard let round = makeRound(number) else { return }
        round.submitBody { [self] in runBody(of: round) }
    }

    /// Makes a round and runs its body in the job that this is called in.
    private func runRound(_ number: Int) {
        guard let round = makeRound(number), !round.isSettled else { return }
        round.runAsCurrent { runBody(of: round) }
    }

    private func makeRound(_ number: Int) -> Promise<Value>? {
        guard let rule = plan.withLock({ $0?.rule }) else { return nil }
        let round = makeMember(labelled: rule.title(of: number)) {
            Promise<Value>(kind: rule.roundKind, site: callSite, context: $0)
        }
        start(round, at: number)
        return round
    }

    /// Makes a promise in this node's name; the label is for viewers, and costs nothing where there are none.
    private func makeMember<Member>(labelled title: @autoclosure () -> String, _ make: (Context) -> Member) -> Member {
        var text = ""
        if isRecording { text = (label.map { $0 + " " } ?? "") + title() }
        var member: Member?
        runAsCreator { member = make(context.child(label: text, executor: nil)) }
        return member!
    }

    private func runBody(of round: Promise<Value>) -> Bool {
        guard let body = plan.withLock({ $0?.body }) else { return false }
        do {
            let made = try body()
            // This node waits for the round, which is to follow what was made.
            if let cycle = made.cycle(to: self) { throw cycle }
            if !round.follow(made, byHandler: true), made.isSettled { made.markErrorSeen() }
            return false
        } catch {
            return round.reject(error, by: .machinery, flags: .handlerEnded)
        }
    }

    func memberSettled(_ member: AnyPromise, at number: Int) {
        guard !isSettled, let rule = plan.withLock({ $0?.rule }) else { return }
        if member.kind == .delay {
            if member.error != nil { passError(of: member, flags: []) } else { queueRound(number + 1) }
        } else if rule.ends(with: unsafeDowncast(member, to: Promise<Value>.self).result!, round: number) {
            copyOutcome(of: member, flags: [])
        } else {
            submitStep { [self] in decideNextRound(after: member, rule, number) }
        }
    }

    /// Asks the program whether there is another round, and starts it.
    private func decideNextRound(after round: AnyPromise, _ rule: RoundRule<Value>, _ number: Int) {
        guard !isSettled else { return }
        let outcome = unsafeDowncast(round, to: Promise<Value>.self).result!
        var decision: Result<Duration?, any Error> = .success(nil)
        runAsCreator { decision = Result { try rule.pause(after: outcome, round: number) } }
        switch decision {
        case .failure(let error): _ = reject(error, by: .machinery)
        case .success(nil): copyOutcome(of: round, flags: [])
        case .success(let pause?) where pause > .zero: wait(pause, before: number + 1, rule)
        case .success: runRound(number + 1)
        }
    }

    private func wait(_ pause: Duration, before number: Int, _ rule: RoundRule<Value>) {
        let delay = makeMember(labelled: "before \(rule.title(of: number))") {
            TimerNode<Void>(.delay, context: $0, site: callSite, parent: nil)
        }
        start(delay, at: number - 1)
        delay.set(pause) { delay in _ = delay.fulfill((), by: .machinery) }
    }

    override var pendingMembers: [AnyPromise] { startedMembers }

    override func didSettle() {
        let plan = plan.withLock { $0.take() }
        _ = plan
    }
}
