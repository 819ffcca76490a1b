import ChainTesting
import PromiseRuntime
import Testing

/// A user's executor that drops, keeps or discards its jobs (TheRules, S2).
struct DroppedJobTests {
    /// Drops its jobs, or keeps them until the test drops or runs them.
    private final class Hoarder: PromiseExecutor {
        let identity = ExecutorIdentity(name: "hoarder")
        let jobs = Log<PromiseJob>()
        let isDropping: Bool

        init(isDropping: Bool) { self.isDropping = isDropping }

        func submit(_ job: PromiseJob) { if !isDropping { jobs.add(job) } }
    }

    enum Work: CaseIterable, Sendable {
        case body, resolverBody, handler, cleanUp, sequence, retry, `repeat`

        func make(on executor: any PromiseExecutor) -> Promise<Int> {
            switch self {
            case .body: Promise(label: "work", on: executor) { 1 }
            case .resolverBody: Promise(label: "work", on: executor, resolver: { $0.fulfill(1) })
            case .handler: Promise.resolve(1).map(label: "work", on: executor) { $0 }
            case .cleanUp: Promise<Int>.reject(Failure()).catch(label: "work", on: executor) { _ in 1 }
            case .sequence:
                Promise.sequence([1], label: "work", on: executor) { Promise.resolve($0) }
                    .map(on: InlineExecutor.shared) { $0[0] }
            case .retry: Promise.retry(1, label: "work", on: executor) { Promise.resolve(1) }
            case .repeat:
                Promise.repeat(label: "work", on: executor) {
                    Promise.resolve(1)
                } until: { _ in
                    true
                }
            }
        }
    }

    @Test("S2 the promise of a dropped job is abandoned", arguments: Work.allCases)
    func dropped(_ work: Work) throws {
        let error = try error(of: work.make(on: Hoarder(isDropping: true)).map(on: InlineExecutor.shared) { $0 })
        #expect(error is PromiseAbandonedError, "\(error)")
    }

    @Test("S2 the promise of a kept job is pending until the job is released", arguments: Work.allCases)
    func released(_ work: Work) throws {
        let executor = Box<Hoarder?>(Hoarder(isDropping: false))
        let jobs = Box(0)
        let promise: Promise<Int>
        do {
            let hoarder = try #require(executor.value)
            promise = work.make(on: hoarder).map(on: InlineExecutor.shared) { $0 }
            jobs.value = hoarder.jobs.count
            #expect(jobs.value == 1 && !promise.isSettled)
            hoarder.jobs.clear()
        }
        #expect(try error(of: promise) is PromiseAbandonedError)
    }

    @Test("S2 the promise of a job that ran is not abandoned, however long the job is kept", arguments: Work.allCases)
    func ran(_ work: Work) throws {
        let executor = Hoarder(isDropping: false)
        let promise = work.make(on: executor)
        var runCount = 0
        while runCount < executor.jobs.count {
            executor.jobs.entries[runCount].run()
            runCount += 1
        }
        executor.jobs.clear()
        #expect(try value(of: promise) == 1)
    }

    @Test("S2 a job that was discarded, and is then dropped, is discarded once")
    func discarded() throws {
        let executor = Hoarder(isDropping: false)
        let runtime = ChainRuntime()
        let reports = Log<String>()
        runtime.onAbandoned = { reports.add("\($0.error.labels)") }
        let promise = runtime.run { Promise<Int>(label: "work", on: executor) { 1 } }
        executor.jobs.entries[0].discard()
        #expect(try error(of: promise) is PromiseAbandonedError)
        executor.jobs.clear()
        #expect(reports.entries == ["[\"work\"]"])
    }
}

// SPDX-License-Identifier: MIT
