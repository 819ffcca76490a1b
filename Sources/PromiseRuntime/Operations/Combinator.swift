import ChainEvents

/// Waits for one member on behalf of a combinator, which it tells with the member's place.
final class MemberWaiter: Waiter {
    private let combinator: AnyPromise & Combinator
    private let index: Int

    init(_ combinator: AnyPromise & Combinator, index: Int) {
        self.combinator = combinator
        self.index = index
    }

    override func settled(_ promise: AnyPromise) {
        promise.markErrorSeen()
        combinator.memberSettled(promise, at: index)
    }

    override var isDone: Bool { combinator.isDone }
    override var consumer: AnyPromise? { combinator }
}

/// A promise that its members settle.
protocol Combinator: AnyPromise {
    /// Called once a member, from any thread, with no lock held.
    func memberSettled(_ member: AnyPromise, at index: Int)
}

/// Settles by what a pure collector makes of its members' outcomes: what `all`, `allSettled`, `any` and `race` share.
final class GatherNode<Member: Sendable, Output: Sendable>: Promise<Output>, Combinator, @unchecked Sendable {
    // Sendable: what changes is behind its lock.
    typealias Outcome = Result<Member, any Error>

    /// What is known of the members so far.
    struct Gathered {
        var outcomes: [Outcome?]
        var left: Int
    }

    /// Decides, member by member, whether the whole is settled by that.
    typealias Decide = @Sendable (_ outcome: Outcome, _ gathered: inout Gathered) -> Result<Output, any Error>?

    private let gathered: Lock<Gathered>
    private let decide: Decide
    private let cancelsLosers: Bool
    // Emptied as the node settles, so that a settled combinator keeps no member.
    private let members: Lock<[Promise<Member>]>

    init(
        _ kind: NodeKind, _ members: [Promise<Member>], label: String, site: CallSite, cancelsLosers: Bool,
        keepsOutcomes: Bool, whenEmpty: () -> Result<Output, any Error>, decide: @escaping Decide
    ) {
        gathered = Lock(
            Gathered(outcomes: keepsOutcomes ? Array(repeating: nil, count: members.count) : [], left: members.count))
        self.decide = decide
        self.cancelsLosers = cancelsLosers
        self.members = Lock(members)
        super.init(kind: kind, site: site, context: .root(label: label, executor: nil))
        if context.runtime.isRecording {
            for member in members { report(.linked, other: member.id, detail: UInt16(LinkKind.member.rawValue)) }
        }
        if members.isEmpty { settle(whenEmpty()) }
        for (index, member) in members.enumerated() {
            if isSettled {
                // It has lost already: its error concerns nobody (RUNTIME S3).
                member.markErrorSeen()
            } else {
                member.register(MemberWaiter(self, index: index))
            }
        }
    }

    func memberSettled(_ member: AnyPromise, at index: Int) {
        guard !isSettled else { return }
        let outcome = unsafeDowncast(member, to: Promise<Member>.self).result!
        let verdict = gathered.withLock { gathered in
            gathered.left -= 1
            if !gathered.outcomes.isEmpty { gathered.outcomes[index] = outcome }
            return decide(outcome, &gathered)
        }
        if let verdict { settle(verdict) }
    }

    private func settle(_ result: Result<Output, any Error>) {
        switch result {
        case .success(let value): _ = fulfill(value, by: .machinery)
        case .failure(let error): _ = reject(error, by: .machinery)
        }
    }

    override func didSettle() {
        let (members, outcomes) = (members.withLock { take(&$0) }, gathered.withLock { take(&$0.outcomes) })
        for member in members where !member.isSettled {
            member.quieten()
            member.waiterIsDone()
            if cancelsLosers, !current.has(PromiseState.cancelled) { member.cancel("lost to another member") }
        }
        _ = outcomes
    }
}

/// Moves an array out, so that it is released where no lock is held.
func take<Element>(_ array: inout [Element]) -> [Element] {
    let taken = array
    array = []
    return taken
}
