import PromiseRuntime
import Testing

/// An error that is larger than a word and holds an instance with a counted deinit.
private struct HeldFailure: Error {
    let canary: Canary
    let number: Int
}

/// The ways in which a promise gets an error.
enum RejectionCase: CaseIterable, Sendable {
    case thrown, work, resolver, rejected, all, allSettled, any, race, retry, sequence, adopted, passedOn, recovered
    case caught, asResult, replaced, cancelledMeanwhile
}

/// Errors are released with their promises, also in release builds (TheRules, S2).
@Suite(.nothingLeft) struct ErrorLeakTests {
    private let runCount = 100

    @Test(arguments: RejectionCase.allCases)
    func s2ErrorsGoWithTheirPromises(rejectionCase: RejectionCase) {
        let alive = Box(0)
        let made = Box(0)
        let isolated = IsolatedRuntime()
        for number in 0..<runCount {
            isolated.run {
                build(rejectionCase) {
                    made.value += 1
                    return HeldFailure(canary: Canary(alive), number: number)
                }
            }
            isolated.runAll()
        }
        #expect(made.value >= runCount)
        #expect(alive.value == 0)
    }

    private func build(_ rejectionCase: RejectionCase, failure: @escaping @Sendable () -> HeldFailure) {
        let failing = Promise<Int>.reject(failure())
        switch rejectionCase {
        case .thrown: Promise.resolve(1).done { _ in throw failure() }
        case .work: _ = Promise<Int> { throw failure() }
        case .resolver: Promise<Int>.pending().resolver.reject(failure())
        case .rejected: break
        case .all: _ = Promise.all([.resolve(1), failing])
        case .allSettled: _ = Promise.allSettled([.resolve(1), failing])
        case .any: _ = Promise.any([failing, .reject(failure())])
        case .race: _ = Promise.race([failing, .resolve(1)])
        case .retry: _ = Promise.retry(3) { Promise<Int>.reject(failure()) }
        case .sequence: _ = Promise.sequence(0..<3) { _ in Promise<Int>.reject(failure()) }
        case .adopted: _ = Promise.resolve(1).then { _ in failing }
        case .passedOn: failing.map { $0 + 1 }.done { _ in }
        case .recovered: _ = failing.recover { _ in Promise.resolve(1) }
        case .caught: failing.catch { _ in 1 }
        case .asResult: _ = failing.asResult().map { "\($0)" }
        case .replaced: failing.failed { _ in throw failure() }
        case .cancelledMeanwhile:
            let (promise, resolver) = Promise<Int>.pending()
            promise.cancel()
            resolver.reject(failure())
        }
    }
}

// SPDX-License-Identifier: MIT
