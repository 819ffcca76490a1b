import Foundation
import PromiseRuntime
import Testing

/// Promises/A+ 2.2, `then`; here `then`, `map`, `done`, `catch` and `recover` are it together (RUNTIME P3).
///
/// Not sayable in a typed language: 2.2.1 (handlers that are not functions: here they are functions or left out),
/// 2.2.5 (`this` of a handler), 2.2.7.3 with values of another type than the child's.
struct APlus22Tests {
    @Test("2.2.1 both handlers are optional", arguments: Case.all)
    func handlersAreOptional(_ run: Case) throws {
        let done = Latch(2)
        let seen = Log<String>()
        try run.fulfilled(1) { promise in
            promise.catch { _ in 9 }.done { value in
                seen.add("value \(value)")
                done.open()
            }
        }
        try run.rejected(Int.self, Failure()) { promise in
            promise.map { $0 + 1 }.catch { error in
                seen.add("\(error)")
                done.open()
                return 0
            }
        }
        try done.wait()
        #expect(seen.entries.sorted() == ["failed", "value 1"])
    }

    @Test("2.2.2.1 onFulfilled is called after fulfilment, with the value", arguments: Case.all)
    func onFulfilledGetsTheValue(_ run: Case) throws {
        let done = Latch()
        let seen = Log<Bool>()
        try run.fulfilled("value") { promise in
            promise.done { value in
                seen.add(value == "value" && promise.isSettled)
                done.open()
            }
        }
        try done.wait()
        #expect(seen.entries == [true])
    }

    @Test("2.2.2.2 onFulfilled is not called before")
    func onFulfilledIsNotEarly() throws {
        let world = ManualWorld()
        let (promise, resolver) = world.run { Promise<Int>.pending() }
        let seen = Log<Int>()
        promise.done { seen.add($0) }
        world.runAll()
        #expect(seen.entries == [])
        resolver.fulfill(1)
        #expect(seen.entries == [])
        world.runAll()
        #expect(seen.entries == [1])
    }

    @Test("2.2.2.3 onFulfilled is called once", arguments: Case.all)
    func onFulfilledOnce(_ run: Case) throws {
        let done = Latch(2)
        let seen = Log<Int>()
        try run.with(
            Int.self,
            settle: { resolver in
                resolver.fulfill(1)
                resolver.fulfill(2)
                done.open()
            },
            use: { promise in
                promise.done { seen.add($0) }.finally { done.open() }
            })
        try done.wait()
        #expect(seen.entries == [1])
    }

    @Test("2.2.3.1 onRejected is called after rejection, with the reason", arguments: Case.all)
    func onRejectedGetsTheReason(_ run: Case) throws {
        let done = Latch()
        let seen = Log<String>()
        try run.rejected(Int.self, Failure("reason")) { promise in
            promise.then {
                Promise.resolve($0)
            } onRejected: { error in
                seen.add("\(error) \(promise.isSettled)")
                done.open()
                return .resolve(0)
            }.done { _ in }
        }
        try done.wait()
        #expect(seen.entries == ["reason true"])
    }

    @Test("2.2.3.2, 2.2.3.3 onRejected is not early, and called once")
    func onRejectedOnce() throws {
        let world = ManualWorld()
        let (promise, resolver) = world.run { Promise<Int>.pending() }
        let seen = Log<String>()
        promise.catch { error in
            seen.add("\(error)")
            return 0
        }
        world.runAll()
        #expect(seen.entries == [])
        resolver.reject(Failure("1"))
        resolver.reject(Failure("2"))
        world.runAll()
        world.runAll()
        #expect(seen.entries == ["1"])
    }

    @Test("2.2.2, 2.2.3 only the handler that fits is called", arguments: Case.all)
    func onlyOneHandler(_ run: Case) throws {
        let done = Latch(2)
        let seen = Log<String>()
        let use: @Sendable (Promise<Int>) -> Void = { promise in
            promise.then { value in
                seen.add("value")
                return Promise.resolve(value)
            } onRejected: { _ in
                seen.add("error")
                return .resolve(0)
            }.finally { done.open() }
        }
        try run.fulfilled(1, use: use)
        try run.rejected(Int.self, Failure(), use: use)
        try done.wait()
        #expect(seen.entries.sorted() == ["error", "value"])
    }

    @Test("2.2.4 the stack holds no code of the caller", arguments: Case.all.filter { $0.runner != .inline })
    func cleanStack(_ run: Case) throws {
        let done = Latch()
        let isInside = ThreadMark()
        let seen = Log<Bool>()
        try run.with(
            Int.self,
            settle: { resolver in isInside.during { resolver.fulfill(1) } },
            use: { promise in
                isInside.during {
                    promise.done { _ in
                        seen.add(isInside.isSet)
                        isInside.during {
                            promise.done { _ in
                                seen.add(isInside.isSet)
                                done.open()
                            }
                        }
                    }
                }
            })
        try done.wait()
        #expect(seen.entries == [false, false])
    }

    @Test("2.2.4, P4 the inline executor does not nest: a handler sees no other handler below it")
    func inlineDoesNotNest() throws {
        let depth = Box((now: 0, most: 0))
        let done = Latch()
        let runtime = Runtime(executor: InlineExecutor.shared)
        runtime.run {
            @Sendable func descendAgain(_ left: Int) -> Promise<Int> {
                depth.change {
                    $0.now += 1
                    $0.most = max($0.most, $0.now)
                }
                defer { depth.change { $0.now -= 1 } }
                return left == 0 ? .resolve(0) : Promise.resolve(left - 1).then { descendAgain($0) }
            }
            Promise.resolve(1_000).then { descendAgain($0) }.finally { done.open() }
        }
        try done.wait()
        #expect(depth.value.most == 1)
    }

    @Test("2.2.6.1 handlers run in the order of their registration", arguments: Case.all.filter { $0.runner != .pool })
    func orderOfFulfilled(_ run: Case) throws {
        let done = Latch(10)
        let seen = Log<Int>()
        try run.fulfilled(0) { promise in
            for index in 0..<10 {
                promise.done { _ in
                    seen.add(index)
                    done.open()
                }
            }
        }
        try done.wait()
        #expect(seen.entries == Array(0..<10))
    }

    @Test("2.2.6.1 one that is registered inside a handler comes after those before it")
    func orderFromInside() throws {
        for executor in [DispatchExecutor(label: "order"), InlineExecutor.shared] as [any PromiseExecutor] {
            let seen = Log<String>()
            let done = Latch()
            let (promise, resolver) = Runtime(executor: executor).run { Promise<Int>.pending() }
            promise.done { _ in
                seen.add("1")
                promise.done { _ in
                    seen.add("1.1")
                    done.open()
                }
            }
            promise.done { _ in seen.add("2") }
            resolver.fulfill(0)
            try done.wait()
            #expect(seen.entries == ["1", "2", "1.1"])
        }
    }

    @Test(
        "2.2.6.2 so do those for a rejection, one throwing among them",
        arguments: Case.all.filter { $0.runner != .pool })
    func orderOfRejected(_ run: Case) throws {
        let done = Latch(5)
        let seen = Log<Int>()
        try run.rejected(Int.self, Failure()) { promise in
            for index in 0..<5 {
                promise.catch { _ in
                    seen.add(index)
                    done.open()
                    if index == 2 { throw Failure("in handler") }
                    return index
                }.catch { _ in 0 }
            }
        }
        try done.wait()
        #expect(seen.entries == Array(0..<5))
    }

    @Test("2.2.7.1 a value that is returned fulfils the child", arguments: Case.all)
    func returnedValue(_ run: Case) throws {
        let made = Log<Promise<String>>()
        try run.fulfilled(1) { made.add($0.map { "\($0 + 1)" }) }
        try run.rejected(String.self, Failure()) { made.add($0.catch { "\($0)!" }) }
        #expect(try made.entries.map { try value(of: $0) } == ["2", "failed!"])
    }

    @Test("2.2.7.2 a throw rejects the child", arguments: Case.all)
    func throwRejects(_ run: Case) throws {
        let made = Log<Promise<Int>>()
        try run.fulfilled(1) { promise in
            made.add(promise.map { _ in throw Failure("map") })
            made.add(promise.then { _ -> Promise<Int> in throw Failure("then") })
            made.add(promise.done { _ in throw Failure("done") }.map { 0 })
            made.add(promise.tap { _ in throw Failure("tap") })
        }
        try run.rejected(Int.self, Failure("parent")) { promise in
            made.add(promise.catch { _ in throw Failure("catch") })
            made.add(promise.recover { _ -> Promise<Int> in throw Failure("recover") })
        }
        let names = try made.entries.map { "\(try error(of: $0))" }
        #expect(names == ["map", "then", "done", "tap", "catch", "recover"])
        for promise in made.entries { promise.catch { _ in 0 } }
    }

    @Test("2.2.7.3 without onFulfilled the value is passed on", arguments: Case.all)
    func valuePassesOn(_ run: Case) throws {
        let made = Log<Promise<Int>>()
        try run.fulfilled(5) { promise in
            made.add(promise.catch { _ in 0 })
            made.add(promise.catch(only: Failure.self) { _ in 0 })
            made.add(promise.recover { _ in Promise.resolve(0) })
            made.add(promise.failed { _ in })
        }
        #expect(try made.entries.map { try value(of: $0) } == [5, 5, 5, 5])
    }

    @Test("2.2.7.4 without onRejected the reason is passed on", arguments: Case.all)
    func reasonPassesOn(_ run: Case) throws {
        let made = Log<Promise<Int>>()
        try run.rejected(Int.self, Failure("kept")) { promise in
            made.add(promise.map { $0 })
            made.add(promise.then { Promise.resolve($0) })
            made.add(promise.done { _ in }.map { 0 })
            made.add(promise.tap { _ in })
            made.add(promise.ignore { _ in 1 }.map { _ in 0 })
        }
        for promise in made.entries {
            #expect(try error(of: promise) as? Failure == Failure("kept"))
            promise.catch { _ in 0 }
        }
    }
}

/// Marks a thread while it is inside a call.
final class ThreadMark: Sendable {
    private let threads = Box<[ObjectIdentifier: Int]>([:])
    private var me: ObjectIdentifier { ObjectIdentifier(Thread.current) }

    var isSet: Bool { threads.value[me, default: 0] > 0 }

    func during(_ body: () -> Void) {
        let me = me
        threads.change { $0[me, default: 0] += 1 }
        body()
        threads.change { $0[me, default: 0] -= 1 }
    }
}
