import Foundation
import PromiseRuntime
import Testing

/// The life of a long chain (TheRules, P5, S4): no step of it may recurse.
enum DeepCase: CaseIterable, Sendable {
    case fulfilled, rejected, cancelled, cancelledInTheMiddle, pendingHeadFirst, pendingTailFirst
    case settledHeadFirst, settledTailFirst, heldAllHeadFirst, heldAllTailFirst, thens, skips
    case adopted, adoptedFromTheEnd, adoptedReject, adoptedCancelled, adoptedReleased
}

@Suite struct DeepAndWideTests {
    // Recursion needs at least a hundred bytes per link, so either stack would overflow many times over.
    #if TSAN
        private static let (count, mainCount) = (10_000, 10_000)
        private static let stack = 512 << 10
    #elseif DEBUG
        // An unoptimised link takes 5 µs.
        private static let (count, mainCount) = (50_000, 200_000)
        private static let stack = 128 << 10
    #else
        private static let (count, mainCount) = (1_000_000, 1_000_000)
        private static let stack = 512 << 10
    #endif

    @Test("P5, S4 up to a million links on a thread's small stack", arguments: DeepCase.allCases)
    func onASmallStack(_ deep: DeepCase) throws {
        let done = Latch()
        let faults = Log<String>()
        let thread = Thread {
            if let fault = Self.run(deep, Self.count) { faults.add(fault) }
            done.open()
        }
        thread.stackSize = Self.stack
        thread.start()
        try done.wait("\(deep)")
        #expect(faults.entries == [])
    }

    @Test("P5, S4 many links on the main thread", arguments: [DeepCase.fulfilled, .pendingTailFirst, .adopted])
    @MainActor func onTheMainThread(_ deep: DeepCase) { #expect(Self.run(deep, Self.mainCount) == nil) }

    /// Runs a case, and returns a description of the fault, or nil.
    private static func run(_ deep: DeepCase, _ count: Int) -> String? {
        weak var isolated: ChainRuntime?
        let fault: String? = {
            let runtime = ChainRuntime(executor: InlineExecutor.shared)
            isolated = runtime
            return runtime.run { isAdoption(deep) ? adoption(deep, count) : chain(deep, count) }
        }()
        return fault ?? (isolated == nil ? nil : "promises are left")
    }

    private static func isAdoption(_ deep: DeepCase) -> Bool {
        switch deep {
        case .adopted, .adoptedFromTheEnd, .adoptedReject, .adoptedCancelled, .adoptedReleased: true
        default: false
        }
    }

    // MARK: Links

    private static func chain(_ deep: DeepCase, _ count: Int) -> String? {
        var pair: (promise: Promise<Int>, resolver: Resolver<Int>)? = Promise<Int>.pending()
        var all: [Promise<Int>] = []
        var last: Promise<Int>? = pair!.promise
        let keepsAll = deep == .heldAllHeadFirst || deep == .heldAllTailFirst || deep == .cancelledInTheMiddle
        for index in 0..<count {
            switch deep {
            case .thens where index % 2 == 0: last = last!.then { Promise.resolve($0 + 1) }
            case .skips: last = last!.catch { _ in 0 }
            default: last = last!.map { $0 + 1 }
            }
            if keepsAll { all.append(last!) }
        }
        func released() -> String? {
            pair = nil
            last = nil
            return nil
        }
        switch deep {
        case .fulfilled, .thens, .skips:
            pair!.resolver.fulfill(0)
            return (try? last!.result?.get()) == (deep == .skips ? 0 : count) ? released() : "not all ran"
        case .rejected:
            pair!.resolver.reject(Failure("deep"))
            guard case .rejected(let error) = last!.state, error is Failure else { return "the error did not arrive" }
            last!.catch { _ in 0 }
        case .cancelled:
            pair!.promise.cancel()
            return last!.isCancelled && last!.isSettled ? released() : "the cancellation did not arrive"
        case .cancelledInTheMiddle:
            all[count / 2].cancel()
            return last!.isCancelled && !all[count / 2 - 1].isSettled ? released() : "the wrong half was cancelled"
        case .pendingHeadFirst:
            pair = nil
            return last!.isSettled ? released() : "not abandoned"
        case .pendingTailFirst:
            last = nil
            pair = nil
        case .settledHeadFirst, .heldAllHeadFirst:
            pair!.resolver.fulfill(0)
            pair = nil
            all.reverse()
            while all.popLast() != nil {}
        case .settledTailFirst, .heldAllTailFirst:
            pair!.resolver.fulfill(0)
            last = nil
            while all.popLast() != nil {}
        default: return "no chain"
        }
        return released()
    }

    // MARK: Adoption

    /// Makes promises that each follow the one before; returns a description of the fault, or nil.
    private static func adoption(_ deep: DeepCase, _ count: Int) -> String? {
        var made = (0..<count).map { _ in Promise<Int>.pending() }
        let order: any Sequence<Int> = deep == .adoptedFromTheEnd ? (1..<count).reversed() : Array(1..<count)
        for index in order { made[index].resolver.resolve(made[index - 1].promise) }
        let last = made[count - 1].promise
        switch deep {
        case .adoptedReject:
            made[0].resolver.reject(Failure("deep"))
            guard case .rejected(let error) = last.state, error is Failure else { return "the error did not arrive" }
            last.catch { _ in 0 }
        case .adoptedCancelled:
            last.cancel()
            return made[0].promise.isCancelled ? nil : "the first one was not cancelled"
        case .adoptedReleased:
            made = []
            return last.isSettled ? nil : "not abandoned"
        default:
            made[0].resolver.fulfill(1)
            return (try? last.result?.get()) == 1 ? nil : "the value did not arrive"
        }
        return nil
    }

    // MARK: Width

    @Test("P7 up to a million members, settled before or after", arguments: Program.Gather.allCases, [false, true])
    func members(_ kind: Program.Gather, _ isSettled: Bool) {
        let count = Self.count
        weak var isolated: ChainRuntime?
        let outcome: Outcome? = {
            let runtime = ChainRuntime(executor: InlineExecutor.shared)
            isolated = runtime
            return runtime.run {
                let made = (0..<count).map { _ in Promise<Int>.pending() }
                let settle = {
                    // For `any` all but the last fail, because it ends with the first value.
                    for (_, resolver) in made.dropLast() {
                        if kind == .any { resolver.reject(Failure()) } else { resolver.fulfill(1) }
                    }
                    made.last!.resolver.fulfill(1)
                }
                if isSettled { settle() }
                let members = made.map(\.promise)
                let whole: Promise<Int> =
                    switch kind {
                    case .all: Promise.all(members).map { $0.reduce(0, +) }
                    case .allSettled: Promise.allSettled(members).map { try $0.reduce(0) { try $0 + $1.get() } }
                    case .any: Promise.any(members)
                    case .race: Promise.race(members)
                    }
                if !isSettled { settle() }
                return Outcome(whole.result) { [$0] }
            }
        }()
        #expect(outcome == .value([kind == .any || kind == .race ? 1 : count]))
        #expect(isolated == nil)
    }

    @Test("P4, X1 up to a million handlers of one promise, run or cancelled", arguments: [false, true])
    func children(_ isCancelled: Bool) {
        let count = Self.count
        weak var isolated: ChainRuntime?
        let ran = Box(0)
        do {
            let runtime = ChainRuntime(executor: InlineExecutor.shared)
            isolated = runtime
            let (root, resolver) = runtime.run { Promise<Int>.pending() }
            for _ in 0..<count { root.done { value in ran.change { $0 += value } } }
            if isCancelled { root.cancel() } else { resolver.fulfill(1) }
        }
        #expect(ran.value == (isCancelled ? 0 : count))
        #expect(isolated == nil)
    }
}

// SPDX-License-Identifier: MIT
