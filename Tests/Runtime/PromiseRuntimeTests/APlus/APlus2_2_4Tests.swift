import Foundation
import PromiseRuntime
import Testing

/// Promises/A+ 2.2.4: handlers are called with a clean stack; TheRules, P4.
@Suite(.nothingLeft) struct APlus2_2_4Tests {
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
        let runtime = ChainRuntime(executor: InlineExecutor.shared)
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

    @Test(
        "2.2.4 nor in a handler for a rejection, nor in one attached inside a handler of the other kind",
        arguments: Case.all.filter { $0.runner != .inline })
    func cleanStackOfRejections(_ run: Case) throws {
        let done = Latch()
        let isInside = ThreadMark()
        let seen = Log<Bool>()
        try run.with(
            Int.self,
            settle: { resolver in isInside.during { resolver.reject(Failure()) } },
            use: { promise in
                isInside.during {
                    promise.catch { _ in
                        seen.add(isInside.isSet)
                        isInside.during {
                            Promise.resolve(1).done { _ in
                                seen.add(isInside.isSet)
                                isInside.during {
                                    promise.failed { _ in
                                        seen.add(isInside.isSet)
                                        done.open()
                                    }.catch { _ in 0 }
                                }
                            }
                        }
                        return 0
                    }
                }
            })
        try done.wait()
        #expect(seen.entries == [false, false, false])
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

// SPDX-License-Identifier: MIT
