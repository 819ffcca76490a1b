import ChainEvents

extension Promise {
    /// Makes a promise of each input and waits for it before the next one, up to `concurrency` at a time; fulfilled with
    /// the values in the inputs' order.
    ///
    /// Stops at the first rejection and is rejected with it; those under way are then cancelled, as they are when the
    /// sequence is cancelled (RUNTIME X2). No inputs: `[]`. `make` runs on the executor; O(n) over n inputs.
    ///
    /// - Parameter concurrency: at least 1.
    public static func sequence<Input: Sendable, Next: Thenable>(
        _ inputs: some Sequence<Input>, concurrency: Int = 1, label: String = "",
        on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID, line: UInt = #line,
        _ make: @escaping @Sendable (Input) throws -> Next
    ) -> Promise<[Next.Value]> where Value == [Next.Value] {
        let node = SequenceNode<Input, Next.Value, [Next.Value]>(
            .sequence, Array(inputs), concurrency: concurrency, keepsValues: true, label: label, on: executor,
            site: CallSite(file, line), finish: { $0 }, make: { try make($0).asPromise() })
        node.start()
        return node
    }

    /// As ``sequence(_:concurrency:label:on:file:line:_:)``, for work whose values nobody needs.
    @discardableResult
    public static func forEach<Input: Sendable, Next: Thenable>(
        _ inputs: some Sequence<Input>, concurrency: Int = 1, label: String = "",
        on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID, line: UInt = #line,
        _ make: @escaping @Sendable (Input) throws -> Next
    ) -> Promise<Void> where Value == Void {
        let node = SequenceNode<Input, Next.Value, Void>(
            .forEach, Array(inputs), concurrency: concurrency, keepsValues: false, label: label, on: executor,
            site: CallSite(file, line), finish: { _ in }, make: { try make($0).asPromise() })
        node.start()
        return node
    }
}

/// Starts its members itself, so many at a time.
final class SequenceNode<Input: Sendable, Member: Sendable, Output: Sendable>: Promise<Output>, Combinator,
    @unchecked Sendable
{
    // Sendable: what changes is behind its lock.
    private struct Progress {
        var inputs: [Input]
        var next = 0
        var left: Int
        var values: [Member?]
        var running: [Int: Promise<Member>] = [:]
        // Starting is under way on some thread, which will start these, too: a member that settles at once must not
        // lead to another nested start.
        var isStarting = false
        var wanted: Int
    }

    private let progress: Lock<Progress>
    private let make: @Sendable (Input) throws -> Promise<Member>
    private let finish: @Sendable ([Member]) -> Output

    init(
        _ kind: NodeKind, _ inputs: [Input], concurrency: Int, keepsValues: Bool, label: String,
        on executor: (any PromiseExecutor)?, site: CallSite, finish: @escaping @Sendable ([Member]) -> Output,
        make: @escaping @Sendable (Input) throws -> Promise<Member>
    ) {
        precondition(concurrency >= 1, "a sequence has at least 1 under way at a time, not \(concurrency)")
        progress = Lock(
            Progress(
                inputs: inputs, left: inputs.count,
                values: keepsValues ? Array(repeating: nil, count: inputs.count) : [], wanted: concurrency))
        self.make = make
        self.finish = finish
        super.init(kind: kind, site: site, context: .root(label: label, executor: executor))
    }

    /// Starts as many as are wanted, on the executor.
    func start() {
        if progress.withLock({ $0.left == 0 }) {
            _ = fulfill(finish([]), by: .machinery)
            return
        }
        let isOurs = progress.withLock { progress in
            guard !progress.isStarting, progress.wanted > 0, progress.next < progress.inputs.count else { return false }
            progress.isStarting = true
            return true
        }
        if isOurs { context.executor.execute { self.startWanted() } }
    }

    private func startWanted() {
        while let (index, input) = nextInput() {
            var member: Promise<Member>?
            runAsMaker {
                do { member = try make(input) } catch { _ = reject(error, by: .machinery) }
            }
            guard let member else { break }
            progress.withLock { $0.running[index] = member }
            if context.runtime.isRecording {
                report(.linked, other: member.id, detail: UInt16(LinkKind.member.rawValue))
            }
            if isSettled {
                // Cancelled or failed while this one was being made.
                _ = progress.withLock { $0.running.removeValue(forKey: index) }
                member.cancel("the sequence that started it has ended")
                break
            }
            member.register(MemberWaiter(self, index: index))
        }
    }

    private func nextInput() -> (Int, Input)? {
        progress.withLock { progress in
            guard progress.wanted > 0, progress.next < progress.inputs.count, !isSettled else {
                progress.isStarting = false
                return nil
            }
            progress.wanted -= 1
            progress.next += 1
            return (progress.next - 1, progress.inputs[progress.next - 1])
        }
    }

    func memberSettled(_ member: AnyPromise, at index: Int) {
        guard !isSettled else { return }
        switch unsafeDowncast(member, to: Promise<Member>.self).result! {
        case .failure(let error):
            _ = reject(error, by: .machinery)
        case .success(let value):
            let (released, isLast) = progress.withLock { progress in
                let released = progress.running.removeValue(forKey: index)
                if !progress.values.isEmpty { progress.values[index] = value }
                progress.left -= 1
                progress.wanted += 1
                return (released, progress.left == 0)
            }
            _ = released
            if isLast {
                let values = progress.withLock { take(&$0.values) }
                _ = fulfill(finish(values.compactMap { $0 }), by: .machinery)
            } else {
                start()
            }
        }
    }

    override func didSettle() {
        let (running, inputs, values) = progress.withLock { progress in
            let running = progress.running
            progress.running = [:]
            progress.next = progress.inputs.count
            return (running, take(&progress.inputs), take(&progress.values))
        }
        _ = (inputs, values)
        let why = error as? PromiseCancelled
        for member in running.sorted(by: { $0.key < $1.key }).map(\.value) where !member.isSettled {
            member.cancel(why?.reason ?? "the sequence that started it has ended", by: why?.by ?? .program)
        }
    }
}
