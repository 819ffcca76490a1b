import ChainBus
import Testing

private struct Machine {
    enum Action: Equatable { case add(Int), double, save, saved(Int) }
    enum Effect: Equatable { case write(Int), note(String) }

    var total = 0
    var saves: [Int] = []

    static func reduce(_ machine: inout Machine, _ action: Action) -> [Effect] {
        switch action {
        case .add(let number): machine.total += number
        case .double: machine.total *= 2
        case .save: return [.write(machine.total), .note("saving")]
        case .saved(let number): machine.saves.append(number)
        }
        return []
    }
}

struct StateStoreTests {
    @Test func b3_actionsChangeTheStateInOrder() {
        let store = StateStore(Machine(), reduce: Machine.reduce)
        for action in [Machine.Action.add(3), .double, .add(1)] { store.dispatch(action) }
        #expect(store.withState { $0.total } == 7)
    }

    @Test func b3_subscribersAreCalledInOrderAfterEachChange() {
        let store = StateStore(Machine(), reduce: Machine.reduce)
        var log: [String] = []
        _ = store.subscribe { state, action in log.append("a \(action) \(state.total)") }
        let second = store.subscribe { state, action in log.append("b \(action) \(state.total)") }
        store.dispatch(.add(1))
        second.dispose()
        second.dispose()
        store.dispatch(.double)
        #expect(log == ["a add(1) 1", "b add(1) 1", "a double 2"])
    }

    @Test func b3_effectsAreHandledAfterTheSubscribersInOrder() {
        var log: [String] = []
        let store = StateStore(Machine(), reduce: Machine.reduce) { effect, store in
            log.append("\(effect)")
            if case .write(let number) = effect { store.dispatch(.saved(number)) }
            log.append("handled")
        }
        _ = store.subscribe { _, action in log.append("seen \(action)") }
        store.dispatch(.add(5))
        store.dispatch(.save)
        #expect(
            log == [
                "seen add(5)", "seen save", "write(5)", "handled", #"note("saving")"#, "handled", "seen saved(5)",
            ])
        #expect(store.withState { $0.saves } == [5])
    }

    @Test func b3_aDispatchInsideASubscriberWaitsUntilAllWereCalled() {
        let store = StateStore(Machine(), reduce: Machine.reduce)
        var log: [String] = []
        _ = store.subscribe { state, action in
            log.append("a \(action) \(state.total)")
            if action == .add(1) {
                store.dispatch(.double)
                store.dispatch(.add(10))
            }
        }
        _ = store.subscribe { state, action in log.append("b \(action) \(state.total)") }
        store.dispatch(.add(1))
        #expect(log == ["a add(1) 1", "b add(1) 1", "a double 2", "b double 2", "a add(10) 12", "b add(10) 12"])
    }

    @Test func b3_dispatchesInsideDispatchesDoNotGrowTheStack() {
        let store = StateStore(Machine(), reduce: Machine.reduce)
        _ = store.subscribe { state, _ in if state.total < 200_000 { store.dispatch(.add(1)) } }
        store.dispatch(.add(1))
        #expect(store.withState { $0.total } == 200_000)
    }

    @Test func b3_insideASubscriberDisposingActsAtOnceAndSubscribingAtTheNextChange() {
        let store = StateStore(Machine(), reduce: Machine.reduce)
        var log: [String] = []
        var victim: (any Disposable)?
        var late: (any Disposable)?
        _ = store.subscribe { _, _ in
            victim?.dispose()
            if late == nil { late = store.subscribe { _, action in log.append("late \(action)") } }
        }
        victim = store.subscribe { _, action in log.append("victim \(action)") }
        store.dispatch(.add(1))
        #expect(log == [])
        store.dispatch(.double)
        #expect(log == ["late double"])
    }

    @Test func b3_aDisposedSubscriberIsReleasedAtTheNextChangeAndMayUseTheStore() {
        let store = StateStore(Machine(), reduce: Machine.reduce)
        let log = Log<String>()
        let subscription = subscribeWithCanary(store, log)
        store.dispatch(.add(1))
        subscription.dispose()
        store.dispatch(.add(1))
        #expect(log.entries == ["called", "released"])
    }

    private func subscribeWithCanary(_ store: StateStore<Machine, Machine.Action, Machine.Effect>, _ log: Log<String>)
        -> any Disposable
    {
        let canary = Canary { log.add("released") }
        return store.subscribe { [canary] _, _ in log.add(type(of: canary) == Canary.self ? "called" : "") }
    }

    @Test func b3_theStateCanBeReadInsideSubscribersAndHandlers() {
        var seen: [Int] = []
        let store = StateStore(Machine(), reduce: Machine.reduce) { _, store in
            seen.append(store.withState { $0.total })
        }
        _ = store.subscribe { _, _ in seen.append(store.withState { $0.total + 100 }) }
        store.dispatch(.add(1))
        store.dispatch(.save)
        #expect(seen == [101, 101, 1, 1])
    }

    @Test func b3_aDispatchInsideAReaderWaitsUntilItIsOver() {
        let store = StateStore(Machine(), reduce: Machine.reduce)
        let read = store.withState { state in
            store.dispatch(.add(1))
            store.dispatch(.double)
            return state.total
        }
        #expect(read == 0)
        #expect(store.withState { $0.total } == 2)
    }

    @Test func b3_aReaderMayThrow() {
        let store = StateStore(Machine(), reduce: Machine.reduce)
        #expect(throws: Failure.self) { try store.withState { _ in throw Failure() } }
        store.dispatch(.add(1))
        #expect(store.withState { $0.total } == 1)
    }
}

/// States that must not be copied: one as large as a forest of a million nodes, and a noncopyable one.
struct StoreCopyTests {
    private struct Huge {
        var nodes = [UInt64](repeating: 1, count: 4_000_000)
        var address: UInt { nodes.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } }
    }

    private struct Unique: ~Copyable {
        var nodes: [Int] = []
    }

    @Test func b3_theStateIsNeverCopied() {
        let store = StateStore(Huge()) { (state: inout Huge, index: Int) -> [Int] in
            state.nodes[index] += 1
            return [index]
        } handle: { index, store in
            #expect(store.withState { $0.nodes[index] } == 2)
        }
        let before = store.withState { $0.address }
        var seen: [UInt] = []
        _ = store.subscribe { state, _ in seen.append(state.address) }
        for index in 0..<100 { store.dispatch(index) }
        #expect(seen.allSatisfy { $0 == before })
        #expect(seen.count == 100)
    }

    @Test func b3_theStateMayBeNoncopyable() {
        let store = StateStore(Unique()) { (state: inout Unique, number: Int) -> [Never] in
            state.nodes.append(number)
            return []
        }
        var counts: [Int] = []
        _ = store.subscribe { state, _ in counts.append(state.nodes.count) }
        store.dispatch(4)
        store.dispatch(2)
        #expect(counts == [1, 2])
        #expect(store.withState { $0.nodes } == [4, 2])
    }
}

/// Misuse that ends the program with a message. Each runs in a process of its own.
struct StoreMisuseTests {
    @Test func b3_aDispatchInsideReduceNamesBothActions() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let loop = Loop()
            loop.store = StateStore(0) { (state: inout Int, action: String) -> [Never] in
                if action == "outer" { loop.store?.dispatch("inner") }
                return []
            }
            loop.store?.dispatch("outer")
        }
        let message = try String(decoding: #require(result).standardErrorContent, as: UTF8.self)
        #expect(message.contains("dispatch of inner inside reduce, while it reduces outer"))
        #expect(message.contains("return an effect"))
    }

    @Test func b3_readingTheStoreInsideReduceNamesTheAction() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let loop = Loop()
            loop.store = StateStore(0) { (state: inout Int, action: String) -> [Never] in
                state = loop.store?.withState { $0 } ?? 0
                return []
            }
            loop.store?.dispatch("outer")
        }
        let message = try String(decoding: #require(result).standardErrorContent, as: UTF8.self)
        #expect(message.contains("withState inside reduce, while it reduces outer"))
    }

    @Test func b3_aHugeActionIsShortenedInTheMessage() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let loop = Loop()
            loop.store = StateStore(0) { (state: inout Int, action: String) -> [Never] in
                _ = loop.store?.subscribe { _, _ in }
                return []
            }
            loop.store?.dispatch(String(repeating: "x", count: 100_000))
        }
        let message = try String(decoding: #require(result).standardErrorContent, as: UTF8.self)
        #expect(message.contains("subscribe inside reduce, while it reduces xxx"))
        #expect(message.utf8.count < 10_000)
    }

    private final class Loop {
        var store: StateStore<Int, String, Never>?
    }
}

// SPDX-License-Identifier: MIT
