import ChainEvents

// All take O(n) for n members. Members are links: a combinator is nobody's child, and cancelling it leaves them alone.
extension Promise {
    /// Fulfilled with the values of all members, in their order; rejected as the first of them is rejected (ES6).
    ///
    ///     let pages = Promise.all([1, 2, 3].map { fetch($0) }).map { $0.joined() }
    ///
    /// No members: fulfilled with `[]`. The other members run on; with `cancellingLosers` they are cancelled once one
    /// was rejected.
    public static func all<Member>(
        _ members: some Sequence<Promise<Member>>, cancellingLosers: Bool = false, label: String = "",
        file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<[Member]> where Value == [Member] {
        GatherNode<Member, [Member]>(
            .all, Array(members), label: label, site: CallSite(file, line), cancelsLosers: cancellingLosers,
            keepsOutcomes: true, whenEmpty: { .success([]) }
        ) { outcome, gathered in
            if case .failure(let error) = outcome { return .failure(error) }
            return gathered.left == 0 ? Result { try gathered.outcomes.map { try $0!.get() } } : nil
        }
    }

    /// Fulfilled, once every member is settled, with the outcomes in the members' order (ES6); never rejected, but by a
    /// cancellation. No members: `[]`. The members' errors count as handled.
    public static func allSettled<Member>(
        _ members: some Sequence<Promise<Member>>, label: String = "", file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<[Result<Member, any Error>]> where Value == [Result<Member, any Error>] {
        GatherNode<Member, [Result<Member, any Error>]>(
            .allSettled, Array(members), label: label, site: CallSite(file, line), cancelsLosers: false,
            keepsOutcomes: true, whenEmpty: { .success([]) }
        ) { _, gathered in
            gathered.left == 0 ? .success(gathered.outcomes.map { $0! }) : nil
        }
    }

    /// Fulfilled as the first member is fulfilled (ES6); if all are rejected, or there are none, rejected with
    /// ``AllRejected``, which holds their errors in order. Losers run on unless `cancellingLosers`; which of two members that
    /// settle at the same time is the first is not promised.
    public static func any(
        _ members: some Sequence<Promise<Value>>, cancellingLosers: Bool = false, label: String = "",
        file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<Value> {
        GatherNode<Value, Value>(
            .any, Array(members), label: label, site: CallSite(file, line), cancelsLosers: cancellingLosers,
            keepsOutcomes: true, whenEmpty: { .failure(AllRejected(errors: [])) }
        ) { outcome, gathered in
            if case .success = outcome { return outcome }
            guard gathered.left == 0 else { return nil }
            return .failure(
                AllRejected(
                    errors: gathered.outcomes.compactMap { if case .failure(let error)? = $0 { error } else { nil } }))
        }
    }

    /// Settled as the first member to settle is (ES6, PromiseKit). No members: rejected with ``AllRejected`` (ES6's would be
    /// pending for ever). Losers run on unless `cancellingLosers`.
    public static func race(
        _ members: some Sequence<Promise<Value>>, cancellingLosers: Bool = false, label: String = "",
        file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<Value> {
        GatherNode<Value, Value>(
            .race, Array(members), label: label, site: CallSite(file, line), cancelsLosers: cancellingLosers,
            keepsOutcomes: false, whenEmpty: { .failure(AllRejected(errors: [])) }
        ) { outcome, _ in outcome }
    }
}
