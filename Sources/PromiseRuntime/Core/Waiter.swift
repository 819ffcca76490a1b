/// Who waits for a promise: a link made by `then` (which is itself a promise), a follower, a combinator's membership, or
/// a callback of ours. Stands in one promise's list, in order of registration.
public class Waiter {
    /// The next in the list that this waiter stands in; the list owns one reference to each.
    // Unchecked: touched only under the lock bit of the promise in whose list the waiter stands.
    @exclusivity(unchecked)
    final var next: Unmanaged<Waiter>?

    @usableFromInline
    init() { next = nil }

    /// Called once, by the thread that settles `promise` or registers at a settled one, with no lock held.
    func settled(_ promise: AnyPromise) { fatalError("a Waiter that does not wait") }

    /// Whether the list may drop it: it has been told, or needs it no more.
    var isDone: Bool { true }

    /// Whether somebody wants the outcome by it: what decides if a promise has consumers (RUNTIME X2).
    var isConsumer: Bool { true }

    /// The promise on whose behalf it waits, if there is one.
    var consumer: AnyPromise? { child }

    /// The promise to which a cancellation of the one waited for goes on (RUNTIME X1), if it is a child.
    var child: AnyPromise? { nil }
}

/// A list of waiters: first and last, a count, and how many of them are known to be done.
struct WaiterList {
    private(set) var first: Unmanaged<Waiter>?
    private var last: Unmanaged<Waiter>?
    private(set) var count: UInt32 = 0
    private var doneCount: UInt32 = 0

    var isEmpty: Bool { first == nil }

    /// Appends, taking a reference.
    mutating func append(_ waiter: Waiter) {
        let entry = Unmanaged.passRetained(waiter)
        if let last { last._withUnsafeGuaranteedRef { $0.next = entry } } else { first = entry }
        last = entry
        count &+= 1
    }

    /// Notes that one more is done; true where it is time to sweep. Amortised over the entries, a sweep costs O(1).
    mutating func noteDone() -> Bool {
        doneCount &+= 1
        return doneCount &* 2 >= count
    }

    /// Takes those out that are done, for the caller to release once it holds no lock.
    mutating func sweep() -> WaiterList {
        var kept = WaiterList()
        var done = WaiterList()
        var entry = first
        while let current = entry {
            entry = current._withUnsafeGuaranteedRef { $0.next }
            current._withUnsafeGuaranteedRef { $0.next = nil }
            if current._withUnsafeGuaranteedRef({ $0.isDone }) { done.link(current) } else { kept.link(current) }
        }
        self = kept
        return done
    }

    private mutating func link(_ entry: Unmanaged<Waiter>) {
        if let last { last._withUnsafeGuaranteedRef { $0.next = entry } } else { first = entry }
        last = entry
        count &+= 1
    }

    /// Calls `body` with each, in order of registration.
    func forEach(_ body: (Waiter) -> Void) {
        var entry = first
        while let current = entry {
            current._withUnsafeGuaranteedRef { body($0) }
            entry = current._withUnsafeGuaranteedRef { $0.next }
        }
    }

    /// Gives the references back, one after the other: no recursion however long the list is.
    consuming func release() {
        var entry = first
        while let current = entry {
            entry = current._withUnsafeGuaranteedRef { $0.next }
            current.release()
        }
    }
}

/// A waiter of the runtime's own that runs a closure when the promise settles; never user code.
final class CallbackWaiter: Waiter {
    // Behind a lock, since `isDone` is asked by whoever sweeps the list, on any thread.
    private let action: Lock<((AnyPromise) -> Void)?>

    init(_ action: @escaping (AnyPromise) -> Void) { self.action = Lock(action) }

    override func settled(_ promise: AnyPromise) {
        let action = self.action.withLock { $0.take() }
        action?(promise)
    }

    override var isDone: Bool { action.withLock { $0 == nil } }
}
