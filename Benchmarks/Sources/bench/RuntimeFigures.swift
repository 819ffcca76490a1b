import ChainEvents
import Foundation
import PromiseRuntime

#if canImport(Glibc)
    import Glibc
#endif

/// What a promise costs the program that uses it.
enum RuntimeFigures {
    static func show() {
        let inline = Runtime(executor: InlineExecutor.shared)
        let links = inline.run { threeLinks(30_000) }
        Figure(name: "runtime/three-links/inline", value: links, unit: "ns", limit: .none).show()
        recording(unrecorded: links)
        for length in [100_000, 1_000_000] {
            let time = inline.run { chain(length) }
            Figure(name: "runtime/chain-of-\(length)/inline", value: time, unit: "ns/link", limit: .none).show()
        }
        Figure(name: "runtime/all-of-100000/pending", value: inline.run { all(100_000) }, unit: "ms", limit: .none).show()
        memory()
    }

    private static func threeLinks(_ count: Int) -> Double {
        measure(count: count) {
            for value in 0..<count {
                _ = Promise.resolve(value).map { $0 &+ 1 }.map { $0 &+ 1 }.map { $0 &+ 1 }
            }
        }
    }

    /// Takes nothing but time: what the runtime itself spends on recording, without rings.
    private final class CountingSink: EventSink {
        // Written by the one thread of this benchmark alone.
        nonisolated(unsafe) var count = 0
        func record(_ record: EventRecord, text: String?) { count += 1 }
    }

    private static func recording(unrecorded: Double) {
        let sink = CountingSink()
        let runtime = Runtime(sink: sink, executor: InlineExecutor.shared)
        let rounds = 30_000
        let time = runtime.run { threeLinks(rounds) }
        let eventsEach = Double(sink.count) / Double(rounds * 7)
        Figure(
            name: "runtime/event/reported", value: (time - unrecorded) / eventsEach, unit: "ns", limit: .none
        ).show()
    }

    private static func chain(_ length: Int) -> Double {
        measure(runs: 3, count: length) {
            let (root, resolver) = Promise<Int>.pending()
            var last = root
            for _ in 0..<length { last = last.map { $0 &+ 1 } }
            resolver.fulfill(0)
            precondition(try! last.result!.get() == length)
        }
    }

    private static func all(_ count: Int) -> Double {
        measure(runs: 3, count: 1_000_000) {
            let members = (0..<count).map { _ in Promise<Int>.pending() }
            let whole = Promise.all(members.map(\.promise))
            for member in members { member.resolver.fulfill(1) }
            precondition(try! whole.result!.get().count == count)
        }
    }

    private static func memory() {
        #if canImport(Glibc)
            let count = 100_000
            var pending: [Promise<Int>] = []
            var resolvers: [Resolver<Int>] = []
            pending.reserveCapacity(count)
            resolvers.reserveCapacity(count)
            let empty = mallinfo2().uordblks
            for _ in 0..<count {
                let (promise, resolver) = Promise<Int>.pending()
                pending.append(promise)
                resolvers.append(resolver)
            }
            let made = mallinfo2().uordblks
            Figure(
                name: "runtime/pending-promise/memory", value: Double(made - empty) / Double(count), unit: "bytes",
                limit: .none
            ).show()
            for promise in pending { promise.done { _ in } }
            let linked = mallinfo2().uordblks
            Figure(
                name: "runtime/pending-promise-with-handler/memory", value: Double(linked - empty) / Double(count),
                unit: "bytes", limit: .none
            ).show()
            for resolver in resolvers { resolver.fulfill(0) }
        #endif
    }
}
