// SPDX-License-Identifier: MIT

import ChainEvents

// All operations below take O(n) for n members, and one object. A combinator is no child of its members, and by default
// its cancellation leaves the members alone. With `cancellingLosers`, a combinator that is settled or cancelled
// withdraws its interest in its members: members without another consumer are cancelled (TheRules, X2).
extension Promise {
    /// Makes a promise that is fulfilled with the values of all members, in their order (ES6). It is rejected with the
    /// error of the first member that is rejected.
    ///
    ///     let pages = Promise.all([1, 2, 3].map { fetch($0) }).map { $0.joined() }
    ///
    /// Without members the value is `[]`. After a rejection the other members run on; with `cancellingLosers`, members
    /// without another consumer are cancelled.
    @inlinable
    public static func all<Member>(
        _ members: some Sequence<Promise<Member>>, cancellingLosers: Bool = false, label: String = "",
        file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<[Member]> where Value == [Member] {
        GatherNode<[Member]>(
            .all, .all, untyped(members), label: label, site: CallSite(fileID: file, line: line),
            cancelsLosers: cancellingLosers
        ) { node, members in
            let values = members.map { Unmanaged.passUnretained($0).value(Member.self) }
            _ = unsafeDowncast(node, to: GatherNode<[Member]>.self).fulfill(values, by: .machinery)
        }
    }

    /// Makes a promise that is fulfilled with the outcomes in the members' order, once every member is settled (ES6).
    /// It is never rejected, except by a cancellation. Without members the value is `[]`. The members' errors count as
    /// handled.
    @inlinable
    public static func allSettled<Member>(
        _ members: some Sequence<Promise<Member>>, label: String = "", file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<[Result<Member, any Error>]> where Value == [Result<Member, any Error>] {
        GatherNode<[Result<Member, any Error>]>(
            .allSettled, .allSettled, untyped(members), label: label, site: CallSite(fileID: file, line: line)
        ) { node, members in
            let outcomes = members.map { unsafeDowncast($0, to: Promise<Member>.self).result! }
            let node = unsafeDowncast(node, to: GatherNode<[Result<Member, any Error>]>.self)
            _ = node.fulfill(outcomes, by: .machinery)
        }
    }

    /// Makes a promise that is fulfilled with the value of the first member that is fulfilled (ES6). If all members are
    /// rejected, or there are no members, it is rejected with ``AllRejectedError``, which holds the members' errors in
    /// order. Losers run on; with `cancellingLosers`, losers without another consumer are cancelled. Which of two
    /// members that settle at the same time comes first is not promised.
    @inlinable
    public static func any(
        _ members: some Sequence<Promise<Value>>, cancellingLosers: Bool = false, label: String = "",
        file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<Value> {
        GatherNode<Value>(
            .any, .any, untyped(members), label: label, site: CallSite(fileID: file, line: line),
            cancelsLosers: cancellingLosers,
            collect: rejectWithAll)
    }

    /// Makes a promise that is settled as the first member that settles (ES6, PromiseKit). Without members it is
    /// rejected with ``AllRejectedError`` (in ES6 it would be pending for ever). Losers run on; with
    /// `cancellingLosers`, losers without another consumer are cancelled.
    @inlinable
    public static func race(
        _ members: some Sequence<Promise<Value>>, cancellingLosers: Bool = false, label: String = "",
        file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<Value> {
        GatherNode<Value>(
            .race, .race, untyped(members), label: label, site: CallSite(fileID: file, line: line),
            cancelsLosers: cancellingLosers,
            collect: rejectWithAll)
    }
}

/// Erases the type of the members; O(1) for an array, because arrays of objects have the same layout whatever their
/// class.
@inlinable
func untyped<Member>(_ members: some Sequence<Promise<Member>>) -> [AnyPromise] {
    unsafeBitCast(Array(members), to: [AnyPromise].self)
}

/// Rejects `any` or `race` with all errors, in order, because no member was fulfilled.
@usableFromInline
@Sendable
func rejectWithAll(_ node: AnyPromise, _ members: [AnyPromise]) {
    _ = node.reject(AllRejectedError(errors: members.map { $0.error! }), by: .machinery)
}
