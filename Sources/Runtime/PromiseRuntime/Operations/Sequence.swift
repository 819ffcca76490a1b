// SPDX-License-Identifier: MIT

import ChainEvents
import ChainSystem

extension Promise {
    /// Makes a promise from each input, one after another or up to `concurrency` at a time. The returned promise is
    /// fulfilled with the values in the order of the inputs (RXPromise; MICAcom's `seq`; PromiseKit's
    /// `when(fulfilled:concurrently:)`).
    ///
    ///     let pages = Promise.sequence([1, 2, 3], concurrency: 2) { fetch($0) }
    ///
    /// The first rejection of a member, or a throw of `make`, stops the sequence and rejects the returned promise.
    /// Pending members are then cancelled unless they have another consumer; the same happens if the sequence is
    /// cancelled (<doc:TheRules>, X2). Without inputs the value is `[]`. `make` runs on the executor, in the order of
    /// the inputs. O(n). With a `concurrency` above 1, members may settle in any order.
    ///
    /// - Parameter concurrency: At least 1.
    public static func sequence<Input: Sendable, Next: Thenable>(
        _ inputs: some Sequence<Input>, concurrency: Int = 1, label: String = "",
        on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID, line: UInt = #line,
        _ make: @escaping @Sendable (Input) throws -> Next
    ) -> Promise<[Next.Value]> where Value == [Next.Value] {
        SequenceNode<Input, Next.Value, [Next.Value]>(
            .sequence, Array(inputs), concurrency: concurrency, keepsValues: true, label: label, on: executor,
            site: CallSite(fileID: file, line: line), finish: { $0 }, make: { try make($0).asPromise() })
    }

    /// Works as ``sequence(_:concurrency:label:on:file:line:_:)``, without keeping values.
    @discardableResult
    public static func forEach<Input: Sendable, Next: Thenable>(
        _ inputs: some Sequence<Input>, concurrency: Int = 1, label: String = "",
        on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID, line: UInt = #line,
        _ make: @escaping @Sendable (Input) throws -> Next
    ) -> Promise<Void> where Value == Void {
        SequenceNode<Input, Next.Value, Void>(
            .forEach, Array(inputs), concurrency: concurrency, keepsValues: false, label: label, on: executor,
            site: CallSite(fileID: file, line: line), finish: { _ in }, make: { try make($0).asPromise() })
    }
}

/// The node of `sequence` and `forEach`, which starts its members itself.
final class SequenceNode<Input: Sendable, Member: Sendable, Output: Sendable>: Promise<Output>, Combinator,
    @unchecked Sendable
{
    // Sendable: mutable state is behind its lock.
    typealias Make = @Sendable (Input) throws -> Promise<Member>

    private struct Progress {
        var inputs: [Input]
        // The program's closure, kept until the node settles.
        var make: Make?
        // The index of the next input.
        var next = 0
        // The number of members that are not fulfilled yet, including unstarted members.
        var unfulfilledCount: Int
        // The members' values by the index of the input; empty if the node keeps no values.
        var values: [Member?]
        // The number of members that may be started at this moment: `concurrency`, less the running members.
        var wanted: Int
        // Whether a job that starts members is queued or runs. The job starts wanted members in a loop, so that a
        // member that settles at once causes no recursion. After `startLimit` members it queues another job.
        var isStarting = false
    }

    /// The limit of members that one job starts, so that members that settle at once do not occupy a thread.
    private let startLimit = 64

    private let progress: Lock<Progress>
    private let finish: @Sendable ([Member]) -> Output

    init(
        _ kind: NodeKind, _ inputs: [Input], concurrency: Int, keepsValues: Bool, label: String,
        on executor: (any PromiseExecutor)?, site: CallSite, finish: @escaping @Sendable ([Member]) -> Output,
        make: @escaping Make
    ) {
        precondition(concurrency >= 1, "concurrency must be at least 1, not \(concurrency)")
        progress = Lock(
            Progress(
                inputs: inputs, make: make, unfulfilledCount: inputs.count,
                values: keepsValues ? Array(repeating: nil, count: inputs.count) : [], wanted: concurrency))
        self.finish = finish
        super.init(kind: kind, site: site, context: .root(label: label, executor: executor))
        if inputs.isEmpty {
            _ = fulfill(finish([]), by: .machinery)
        } else {
            startMore()
        }
    }

    /// Starts as many members as are wanted, on the executor.
    private func startMore() {
        let isStarter = progress.withLock { progress in
            guard !progress.isStarting, progress.wanted > 0, progress.next < progress.inputs.count else { return false }
            progress.isStarting = true
            return true
        }
        if isStarter { submitStep { self.startWanted() } }
    }

    private func startWanted() {
        for _ in 0..<startLimit {
            guard let (index, input, make) = nextInput() else { return }
            var made: Result<Promise<Member>, any Error>?
            runAsCreator { made = Result { try make(input) } }
            switch made! {
            case .success(let member): start(member, at: index)
            case .failure(let error): _ = reject(error, by: .machinery)
            }
        }
        submitStep { self.startWanted() }
    }

    private func nextInput() -> (Int, Input, Make)? {
        progress.withLock { progress in
            guard progress.wanted > 0, progress.next < progress.inputs.count, let make = progress.make else {
                progress.isStarting = false
                return nil
            }
            progress.wanted -= 1
            progress.next += 1
            return (progress.next - 1, progress.inputs[progress.next - 1], make)
        }
    }

    func memberSettled(_ member: AnyPromise, at index: Int) {
        guard !isSettled else { return }
        switch unsafeDowncast(member, to: Promise<Member>.self).result! {
        case .failure:
            passError(of: member, flags: [])
        case .success(let value):
            let isLast = progress.withLock { progress in
                if !progress.values.isEmpty { progress.values[index] = value }
                progress.unfulfilledCount -= 1
                progress.wanted += 1
                return progress.unfulfilledCount == 0
            }
            if isLast {
                let values = progress.withLock { take(&$0.values) }
                _ = fulfill(finish(values.compactMap { $0 }), by: .machinery)
            } else {
                startMore()
            }
        }
    }

    override var pendingMembers: [AnyPromise] { startedMembers }

    override func didSettle() {
        // Released without the lock (TheRules, S4).
        let (inputs, values, make) = progress.withLock { progress in
            (take(&progress.inputs), take(&progress.values), progress.make.take())
        }
        _ = (inputs, values, make)
    }
}
