import CHeap
import ChainEvents
import PromiseRuntime

/// What a promise costs the program that uses it. The limits on times are fractions of what the fastest other library
/// that we know (SwiftNIO's futures) took for the same on a machine of two cores.
let promiseFigures = [
    Figure(name: "promise.three-links.inline", limit: 365) { inline { threeLinks() } },
    Figure(name: "promise.chain-of-100000.inline.each", limit: 351) { inline { chain(100_000) } },
    Figure(name: "promise.chain-of-1000000.inline.each", limit: 351, runs: 3) { inline { chain(1_000_000) } },
    Figure(name: "promise.all-of-100000.pending", limit: 14.5, unit: "ms", runs: 3) { inline { all(100_000) } },
    Figure(name: "promise.event.reported", limit: 25) {
        let sink = CountingSink()
        let count = 20_000
        let unrecorded = inline { threeLinks(count) }
        let recorded = Runtime(sink: sink, executor: InlineExecutor.shared).run { threeLinks(count) }
        return (recorded - unrecorded) * Double(count) / Double(sink.count)
    },
    Figure(name: "promise.pending.memory", limit: 96, unit: "bytes", runs: 1) { inline { memory(withHandler: false) } },
    Figure(name: "promise.pending-with-handler.memory", limit: 208, unit: "bytes", runs: 1) {
        inline { memory(withHandler: true) }
    },
]

private func inline(_ body: () -> Double) -> Double {
    Runtime(executor: InlineExecutor.shared).run(body)
}

private func threeLinks(_ count: Int = 20_000) -> Double {
    nanosecondsEach(count) {
        use(Promise.resolve(1).map { $0 &+ 1 }.map { $0 &+ 1 }.map { $0 &+ 1 })
    }
}

private func chain(_ length: Int) -> Double {
    nanosecondsEach(1) {
        let (root, resolver) = Promise<Int>.pending()
        var last = root
        for _ in 0..<length { last = last.map { $0 &+ 1 } }
        resolver.fulfill(0)
        precondition((try? last.result?.get()) == length)
    } / Double(length)
}

private func all(_ count: Int) -> Double {
    let members = (0..<count).map { _ in Promise<Int>.pending() }
    return nanosecondsEach(1) {
        let whole = Promise.all(members.map(\.promise))
        for member in members { member.resolver.fulfill(1) }
        precondition((try? whole.result?.get().count) == count)
    } / 1_000_000
}

/// Takes nothing but time: what the runtime itself spends on reporting, without rings.
private final class CountingSink: EventSink {
    // Written by the one thread that measures alone.
    nonisolated(unsafe) var count = 0

    func record(_ record: EventRecord, text: String?) { count += 1 }
}

/// Bytes of the heap that one promise takes, its resolver included.
private func memory(withHandler: Bool) -> Double {
    let count = 100_000
    var pending: [(promise: Promise<Int>, resolver: Resolver<Int>)] = []
    pending.reserveCapacity(count)
    let empty = Int(heap_in_use())
    for _ in 0..<count {
        let made = Promise<Int>.pending()
        if withHandler { made.promise.done { _ in } }
        pending.append(made)
    }
    let size = Int(heap_in_use()) - empty
    for (_, resolver) in pending { resolver.fulfill(0) }
    return Double(size) / Double(count)
}
