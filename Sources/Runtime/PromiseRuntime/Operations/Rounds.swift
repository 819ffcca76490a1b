// SPDX-License-Identifier: MIT

import ChainEvents
import ChainSystem

/// The rule for the next round: what differs between `repeat` and `retry`.
enum RoundRule<Value: Sendable>: Sendable {
    case until(@Sendable (Value) throws -> Bool, pause: Duration)
    case retry(attempts: Int, RetryBackoff, onlyIf: (@Sendable (any Error) throws -> Bool)?)

    var kind: NodeKind {
        switch self {
        case .until: .repeat
        case .retry: .retry
        }
    }

    var roundKind: NodeKind {
        switch self {
        case .until: .round
        case .retry: .attempt
        }
    }

    /// Returns the number of a round as the dashboard shows it; rounds count from 1.
    func title(of round: Int) -> String {
        switch self {
        case .until: "\(round)"
        case .retry(let attempts, _, _): "\(round) of \(attempts)"
        }
    }

    /// Returns whether the outcome alone makes a round the last one; calls no code of the program. A cancelled round is
    /// always the last one.
    func ends(with outcome: Result<Value, any Error>, round: Int) -> Bool {
        switch (self, outcome) {
        case (.until, .success): false
        case (.until, .failure), (.retry, .success): true
        case (.retry(let attempts, _, _), .failure(let error)): round >= attempts || error is PromiseCancelledError
        }
    }

    /// Returns the wait before the next round; nil if there is no next round. Calls code of the program, so it must be
    /// called on the node's executor.
    func pause(after outcome: Result<Value, any Error>, round: Int) throws -> Duration? {
        switch (self, outcome) {
        case (.until(let isEnough, let pause), .success(let value)): try isEnough(value) ? nil : pause
        case (.retry(_, let backoff, let isWorthAnother), .failure(let error)):
            try isWorthAnother?(error) ?? true ? backoff.wait(afterFailures: round) : nil
        default: nil
        }
    }
}

/// The node of `repeat` and `retry`. Under it, each round is a node that follows the body's promise, and each wait is a
/// `delay`.
///
/// A round settles on any thread; the next step is decided in a job of the executor. Unless there is a wait, the same
/// job runs the next round, and goes on in a loop while rounds are settled when their bodies return. So nothing
/// recurses, such rounds cost no hop, and any other round costs one, or two after a wait.
final class RoundsNode<Value: Sendable>: Promise<Value>, Combinator, @unchecked Sendable {
    // Sendable: mutable state is behind its lock.
    typealias Body = @Sendable () throws -> Promise<Value>

    private struct Plan {
        let rule: RoundRule<Value>
        let body: Body
        // The round that a job runs, which goes on with the next step itself if the round ends meanwhile; 0 for none.
        var runningRound = 0
        // That round, once it has ended.
        var endedRound: AnyPromise?
    }
    /// The most rounds that one job runs, so that rounds that settle at once do not occupy a thread.
    private static var roundLimit: Int { 64 }

    // The program's closures, kept until this node settles.
    private let plan: Lock<Plan?>

    init(
        _ rule: RoundRule<Value>, label: String, on executor: (any PromiseExecutor)?, site: CallSite,
        body: @escaping Body
    ) {
        plan = Lock(Plan(rule: rule, body: body))
        super.init(kind: rule.kind, site: site, context: .root(label: label, executor: executor))
        queueRound(1)
    }

    /// Makes a round, and submits its body.
    private func queueRound(_ number: Int) {
        guard let round = makeRound(number) else { return }
        round.submitBody { [self] in runBody(of: round) }
    }

    /// Makes a round, and runs its body in the current job. Returns the round if it has ended meanwhile and the next
    /// step is left to this job.
    private func runRound(_ number: Int) -> AnyPromise? {
        guard let round = makeRound(number), !round.isSettled else { return nil }
        plan.withLock { $0?.runningRound = number }
        round.runAsCurrent { runBody(of: round) }
        return plan.withLock { plan in
            plan?.runningRound = 0
            return plan?.endedRound.take()
        }
    }

    private func makeRound(_ number: Int) -> Promise<Value>? {
        guard let rule = plan.withLock({ $0?.rule }) else { return nil }
        let round = makeMember(labelled: rule.title(of: number)) {
            Promise<Value>(kind: rule.roundKind, site: callSite, context: $0)
        }
        start(round, at: number)
        return round
    }

    /// Makes a node, with this node as its creator. The label is for viewers, and costs nothing without a recorder.
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
            // Checked here, because this node waits for the round, and the round will follow `made`.
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
        } else if !isLeftToJob(member, number) {
            submitStep { [self] in goOn(after: member, rule, number) }
        }
    }

    /// Returns whether a job still runs this round, and leaves the next step to the job.
    private func isLeftToJob(_ round: AnyPromise, _ number: Int) -> Bool {
        plan.withLock { plan in
            guard plan?.runningRound == number else { return false }
            plan?.endedRound = round
            return true
        }
    }

    /// Runs rounds in the current job as long as each has ended when its body returns.
    private func goOn(after ended: AnyPromise, _ rule: RoundRule<Value>, _ number: Int) {
        var (last, number) = (Optional(ended), number)
        for _ in 0..<Self.roundLimit {
            guard let round = last, decideNextRound(after: round, rule, number) else { return }
            // Released before the next round is made (TheRules, S2).
            last = nil
            number += 1
            last = runRound(number)
        }
        guard let last else { return }
        submitStep { [self, number] in goOn(after: last, rule, number) }
    }

    /// Calls the program to decide whether there is another round; returns whether it is to run at once.
    private func decideNextRound(after round: AnyPromise, _ rule: RoundRule<Value>, _ number: Int) -> Bool {
        guard !isSettled else { return false }
        let outcome = unsafeDowncast(round, to: Promise<Value>.self).result!
        var decision: Result<Duration?, any Error> = .success(nil)
        runAsCreator { decision = Result { try rule.pause(after: outcome, round: number) } }
        switch decision {
        case .failure(let error): _ = reject(error, by: .machinery)
        case .success(nil): copyOutcome(of: round, flags: [])
        case .success(let pause?) where pause > .zero: wait(pause, before: number + 1, rule)
        case .success: return true
        }
        return false
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
        // Released without the lock (TheRules, S4).
        let plan = plan.withLock { $0.take() }
        _ = plan
    }
}
