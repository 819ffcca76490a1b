import ChainEvents
import Foundation
import PromiseRuntime
import Testing

/// TheRules, P2, P8, and the inference of P3.
@Suite(.nothingLeft) struct MakerTests {
    @Test("P2 each maker by its label", arguments: Case.Runner.allCases)
    func makers(_ runner: Case.Runner) throws {
        let executor = Case(timing: .already, place: .outside, runner: runner).executor
        #expect(try value(of: Promise(on: executor) { resolve, _ in resolve(1) } as Promise<Int>) == 1)
        #expect(try error(of: Promise<Int>(on: executor) { _, reject in reject(Failure()) }) is Failure)
        #expect(try value(of: Promise<Int>(on: executor, resolver: { $0.fulfill(2) })) == 2)
        #expect(try value(of: Promise(on: executor) { 3 }) == 3)
        #expect(try value(of: Promise(Int("4")!, on: executor)) == 4)
        #expect(try value(of: Promise.resolve(6, on: executor)) == 6)
        #expect(try value(of: Promise<Void> { resolve, _ in resolve() }) == ())
        #expect(try error(of: Promise<Int>.reject(Failure("7"), on: executor)) as? Failure == Failure("7"))
    }

    @Test("P2 asynchronous work", arguments: Case.Runner.allCases)
    func asyncWork(_ runner: Case.Runner) async throws {
        let executor = Case(timing: .already, place: .outside, runner: runner).executor
        #expect(try await Promise(on: executor, async: { await Self.five() }).value == 5)
        await #expect(throws: Failure()) { try await Promise<Int>(async: { throw Failure() }).value }
    }

    private static func five() async -> Int {
        await Task.yield()
        return 5
    }

    @Test("P2 a throw in the body of each maker rejects")
    func throwing() throws {
        @Sendable func fail() throws -> Int { throw Failure() }
        let made: [Promise<Int>] = [
            Promise { (_: Promise<Int>.Resolve, _: Promise<Int>.Reject) in throw Failure() },
            Promise(resolver: { _ in throw Failure() }),
            Promise { throw Failure() }, Promise(try fail()),
        ]
        for promise in made { #expect(try error(of: promise) is Failure) }
    }

    @Test("P2 a closure without parameters is work; several statements, and a promise as a value")
    func overloads() throws {
        let work = Promise {
            let one = 1
            return one + 1
        }
        let text: Promise<String> = Promise { "text" }
        let longer = Promise<Int> { resolve, reject in
            if Int.random(in: 0...1) < 2 { resolve(9) } else { reject(Failure()) }
        }
        #expect(try value(of: work) == 2 && value(of: text) == "text" && value(of: longer) == 9)
        #expect(work.kind == .work && longer.kind == .promise)
    }

    @Test("P2 a body runs later, on the executor; a throw after resolving does nothing")
    func bodyRunsLater() throws {
        let isolated = IsolatedRuntime()
        let seen = Log<String>()
        let promise = isolated.run {
            Promise<Int> { resolve, _ in
                seen.add("body")
                resolve(1)
                throw Failure()
            }
        }
        #expect(seen.entries == [])
        isolated.runAll()
        #expect(seen.entries == ["body"])
        #expect(try promise.result?.get() == 1)
    }

    @Test("P2 a label and an executor are the promise's own; the executor is its chain's, too")
    func contexts() throws {
        let isolated = IsolatedRuntime()
        let (first, second) = (ManualExecutor(), ManualExecutor())
        let ran = Log<String>()
        isolated.run {
            let root = Promise.resolve(1, label: "root", on: first)
            #expect(root.label == "root")
            let child = root.map(label: "child", on: second) { value in
                ran.add("child")
                return value
            }
            let grandchild = child.done { _ in ran.add("grandchild") }
            #expect(child.label == "child" && grandchild.label == nil)
        }
        #expect(first.runAll() == 0 && second.runAll() == 1 && ran.entries == ["child"])
        #expect(first.runAll() == 1 && ran.entries == ["child", "grandchild"])
        #expect(isolated.executor.pendingCount == 0)
    }

    @Test("P8 id, call site, kind, parent, root, state")
    func facts() throws {
        let (root, resolver) = Promise<Int>.pending(label: "r")
        let line = UInt32(#line) + 1
        let child = root.map { $0 + 1 }
        let leaf = child.map { $0 + 1 }
        #expect(child.callSite.site.line == line)
        #expect(child.callSite.site.fileName == "MakerTests.swift")
        #expect(root.kind == .pending && child.kind == .map)
        #expect(Set([root.id, child.id, leaf.id]).count == 3)
        #expect(root.parent == nil && root.root == nil)
        #expect(child.parent === root && leaf.parent === child && leaf.root === root)
        resolver.fulfill(1)
        #expect(try value(of: leaf) == 3)
        #expect(leaf.parent == nil && leaf.root == nil && child.parent == nil)
    }

    @Test("P8 ids are never reused, whatever the threads")
    func idsAreUnique() throws {
        let ids = Box<Set<UInt64>>([])
        try onThreads(4) { _ in
            let mine = (0..<3_000).map { Promise.resolve($0).id.rawValue }
            ids.change { $0.formUnion(mine) }
        }
        #expect(ids.value.count == 12_000 && !ids.value.contains(0))
    }

    @Test("P8 a task can wait for the value, or the error")
    func asyncValue() async throws {
        let (promise, resolver) = Promise<Int>.pending()
        async let value = promise.map { $0 * 2 }.value
        Thread { resolver.fulfill(21) }.start()
        #expect(try await value == 42)
        await #expect(throws: Failure("no")) { try await Promise<Int>.reject(Failure("no")).value }
    }

    @Test("P2 work with await is a task, by its closure alone")
    func asynchronousWork() async throws {
        @Sendable func load() async throws -> Int { 20 }
        let promise = Promise { try await load() }
            .then { number in Promise(label: "add") { try await load() + number + 2 } }
        #expect(try await promise.value == 42)
        #expect(Promise { try await load() }.kind == .task)
        #expect(Promise { 20 }.kind == .work)
    }

    @Test("P2 X6 a CancellationError of work with await rejects with PromiseCancelledError; a catch recovers")
    func cancellationError() async throws {
        let runtime = ChainRuntime()
        NothingLeft.watch(runtime)
        let unhandled = Log<String>()
        runtime.onUnhandled = { unhandled.add("\($0.error)") }
        let work = runtime.run { Promise<Int>(async: { throw CancellationError() }) }
        #expect(try await work.catch { $0 is PromiseCancelledError ? 5 : 0 }.value == 5)
        await #expect(throws: PromiseCancelledError.self) { try await work.recover { _ in Promise.resolve(6) }.value }
        #expect(!work.isCancelled && work.snapshot().settlement == .cancelled)
        #expect(unhandled.entries == [])
    }

    @Test("P3 a chain of 15 mixed links, with operators and literals, is inferred")
    func inference() throws {
        let promise = Promise { 1 }
            .map { $0 + 1 }
            .then { Promise.resolve($0 * 2) }
            .map { value in
                let half = Double(value) / 2
                return half + 0.5
            }
            .tap { _ in }
            .map { "\($0)" }
            .failed { _ in }
            .then { text in Promise { text.count + 1 } }
            .catch { _ in 0 }
            .anyway { _ in }
            .map { [$0, $0 + 1] }
            .map { $0.reduce(0, +) }
            .recover { _ in Promise.resolve(1) }
            .asResult()
            .map { try $0.get() }
        #expect(try value(of: promise) == 9)
    }
}

// SPDX-License-Identifier: MIT
