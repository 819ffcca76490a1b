/// What an executor can run: a promise that has a handler, or a closure in a box.
public class Runnable {
    @usableFromInline
    init() {}

    /// Does the work; called once for each time that it was handed to an executor.
    func runHandler() { fatalError("a Runnable that does not run") }

    /// Called instead where an executor ends with it: whoever waits for the work is to know.
    func discard() {}
}

/// Who waits for a promise: a link made by `then` (which is itself a promise), a follower, a combinator, or a callback of
/// ours. It may stand in the lists of several promises.
public class Waiter: Runnable {
    @usableFromInline
    override init() { super.init() }

    /// Called once a registration, by the thread that settles `promise` or registers at a settled one, no lock held.
    func settled(_ promise: AnyPromise) { fatalError("a Waiter that does not wait") }

    /// Whether the list may drop it: it has been told, or needs it no more.
    var isDone: Bool { true }

    /// Whether somebody wants the outcome by it: what decides if a promise has consumers (RUNTIME X2).
    var isConsumer: Bool { true }

    /// The promise on whose behalf it waits, if there is one.
    var consumer: AnyPromise? { child }

    /// The promise to which a cancellation of the one waited for goes on (RUNTIME X1), if it is a child.
    var child: AnyPromise? { nil }

    /// Whether there is such a child; promises know without counting a reference.
    var isChild: Bool { child != nil }
}

/// The waiters of one promise, in order of registration, in one word: none, one, or a list on the heap. Each entry is a
/// reference that the word owns.
struct WaiterSlot {
    // 0; the address of the only waiter; or that of a WaiterList, plus 1.
    private var word: UInt = 0

    var isEmpty: Bool { word == 0 }

    private var single: Unmanaged<Waiter>? {
        UnsafeRawPointer(bitPattern: word).map { Unmanaged.fromOpaque($0) }
    }

    private var list: WaiterList {
        Unmanaged<WaiterList>.fromOpaque(UnsafeRawPointer(bitPattern: word & ~1)!).takeUnretainedValue()
    }

    var count: Int { word == 0 ? 0 : word & 1 == 0 ? 1 : list.entries.count }

    /// The one at a place, unretained.
    subscript(_ index: Int) -> Unmanaged<Waiter> { word & 1 == 0 ? single! : list.entries[index] }

    /// Appends, taking a reference.
    @inline(__always)
    mutating func append(_ waiter: Waiter) {
        let entry = Unmanaged.passUnretained(waiter).retain()
        if word == 0 { word = UInt(bitPattern: entry.toOpaque()) } else { appendAnother(entry) }
    }

    @inline(never)
    private mutating func appendAnother(_ entry: Unmanaged<Waiter>) {
        if word & 1 == 0 {
            store([single!, entry])
        } else {
            list.entries.append(entry)
        }
    }

    private mutating func store(_ entries: ContiguousArray<Unmanaged<Waiter>>) {
        word = UInt(bitPattern: Unmanaged.passRetained(WaiterList(entries)).toOpaque()) | 1
    }

    /// Takes that waiter out, for the caller to release, if it is the only one.
    @inline(__always)
    mutating func takeOnly(_ waiter: Unmanaged<AnyPromise>) -> Bool {
        guard word == UInt(bitPattern: waiter.toOpaque()) else { return false }
        word = 0
        return true
    }

    /// Notes that one more is done; true where it is time to sweep. Amortised over the entries, a sweep costs O(1).
    mutating func noteDone() -> Bool {
        if word & 1 == 0 { return word != 0 }
        list.doneCount += 1
        return list.doneCount * 2 >= list.entries.count
    }

    /// Takes those out that are done, for the caller to release once it holds no lock.
    mutating func sweep() -> WaiterSlot {
        guard word & 1 == 1 else {
            guard let single, single._withUnsafeGuaranteedRef({ $0.isDone }) else { return WaiterSlot() }
            return takeAll()
        }
        // Told apart once: a waiter may become done between two looks, and would be lost or dropped twice.
        var (kept, done) = (ContiguousArray<Unmanaged<Waiter>>(), ContiguousArray<Unmanaged<Waiter>>())
        for entry in list.entries {
            if entry._withUnsafeGuaranteedRef({ $0.isDone }) { done.append(entry) } else { kept.append(entry) }
        }
        if kept.isEmpty { return takeAll() }
        list.entries = kept
        list.doneCount = 0
        var swept = WaiterSlot()
        if !done.isEmpty { swept.store(done) }
        return swept
    }

    private mutating func takeAll() -> WaiterSlot {
        let all = self
        word = 0
        return all
    }

    /// Calls `body` with each, in order of registration.
    func forEach(_ body: (Waiter) -> Void) {
        for index in 0..<count { self[index]._withUnsafeGuaranteedRef { body($0) } }
    }

    /// Gives the references back, one after the other: no recursion however long the list is.
    @inline(__always)
    consuming func release() { if word != 0 { releaseAll() } }

    @inline(never)
    private consuming func releaseAll() {
        if word & 1 == 0 { return single!.release() }
        let list = Unmanaged<WaiterList>.fromOpaque(UnsafeRawPointer(bitPattern: word & ~1)!).takeRetainedValue()
        for entry in list.entries { entry.release() }
    }
}

/// Where there are two waiters or more.
private final class WaiterList {
    var entries: ContiguousArray<Unmanaged<Waiter>>
    var doneCount = 0

    init(_ entries: ContiguousArray<Unmanaged<Waiter>>) { self.entries = entries }
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
