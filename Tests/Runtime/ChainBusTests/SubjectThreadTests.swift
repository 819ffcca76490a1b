import ChainBus
import Synchronization
import Testing

/// Subjects used from several threads that start together.
struct SubjectThreadTests {
    @Test func b1_emissionsFromManyThreadsAreSerialisedAndSeenInOneOrder() throws {
        let subject = PublishSubject<[Int]>()
        let logs = (0..<3).map { _ in Log<[Int]>() }
        let inside = Counter()
        let bag = DisposeBag()
        for log in logs {
            subject.subscribe(onNext: { element in
                #expect(inside.value.add(1, ordering: .relaxed).oldValue == 0)
                log.add(element)
                inside.value.subtract(1, ordering: .relaxed)
            }).disposed(by: bag)
        }
        try onThreads(4) { thread in for number in 0..<500 { subject.onNext([thread, number]) } }
        #expect(logs[0].entries.count == 2_000)
        #expect(logs[0].entries == logs[1].entries)
        #expect(logs[0].entries == logs[2].entries)
        for thread in 0..<4 {
            #expect(logs[0].entries.filter { $0[0] == thread }.map { $0[1] } == Array(0..<500))
        }
    }

    @Test func b1_theGrammarHoldsWhenThreadsRaceToTheEnd() throws {
        for round in 0..<50 {
            let subject = PublishSubject<Int>()
            let log = Log<StreamEvent<Int>>()
            _ = subject.subscribe(AnyObserver { log.add($0) })
            try onThreads(4) { thread in
                for number in 0..<20 {
                    if number == 10, thread.isMultiple(of: 2) { subject.onCompleted() }
                    if number == 11 { subject.onError(Failure()) }
                    subject.onNext(number)
                }
            }
            let entries = log.entries
            #expect(entries.filter(\.isTerminal).count == 1, "round \(round)")
            #expect(entries.last?.isTerminal == true, "round \(round)")
        }
    }

    @Test func b1_lateSubscribersOnOtherThreadsNeitherMissNorRepeat() throws {
        let subject = ReplaySubject<Int>(limit: 10_000)
        let logs = (0..<60).map { _ in Log<Int>() }
        try onThreads(4) { thread in
            if thread == 0 {
                for number in 0..<3_000 { subject.onNext(number) }
            } else {
                for index in 0..<20 { _ = subject.subscribe(onNext: { logs[(thread - 1) * 20 + index].add($0) }) }
            }
        }
        for log in logs { #expect(log.entries == Array(0..<3_000)) }
    }

    @Test func b1_aBehaviorSubscriberSeesASuffixWithoutGaps() throws {
        let subject = BehaviorSubject(0)
        let logs = (0..<40).map { _ in Log<Int>() }
        try onThreads(3) { thread in
            if thread == 0 {
                for number in 1...2_000 { subject.onNext(number) }
            } else {
                for index in 0..<20 { _ = subject.subscribe(onNext: { logs[(thread - 1) * 20 + index].add($0) }) }
            }
        }
        for log in logs {
            let first = try #require(log.entries.first)
            #expect(log.entries == Array(first...2_000))
        }
    }

    @Test func b1_nothingBeginsAfterDisposeOnAnotherThread() throws {
        for _ in 0..<100 {
            let subject = PublishSubject<Int>()
            let disposed = Counter()
            let late = Counter()
            // A delivery that began before the dispose may still run; it is the only one that may.
            let subscription = subject.subscribe(onNext: { _ in
                if disposed.value.load(ordering: .sequentiallyConsistent) == 1 {
                    late.value.add(1, ordering: .relaxed)
                }
            })
            try onThreads(2) { thread in
                if thread == 0 {
                    for number in 0..<200 { subject.onNext(number) }
                } else {
                    subscription.dispose()
                    disposed.value.store(1, ordering: .sequentiallyConsistent)
                }
            }
            #expect(late.value.load(ordering: .relaxed) <= 1)
        }
    }

    @Test func b1_subscribingDisposingAndEmittingAtOnceLosesNoSubscriber() throws {
        let subject = PublishSubject<Int>()
        let steady = Log<Int>()
        let subscription = subject.subscribe(onNext: { steady.add($0) })
        try onThreads(4) { thread in
            for number in 0..<300 {
                if thread < 2 {
                    subject.onNext(number)
                } else {
                    let passing = subject.subscribe(onNext: { _ in })
                    passing.dispose()
                }
            }
        }
        #expect(steady.entries.count == 600)
        #expect(subject.subscriberCount == 1)
        subscription.dispose()
    }

    @Test func b1_aVariableIsSetAndReadFromManyThreads() throws {
        let variable = Variable(0)
        let log = Log<Int>()
        _ = variable.subscribe(onNext: { log.add($0) })
        try onThreads(4) { thread in
            for number in 0..<200 {
                variable.value = thread * 200 + number
                _ = variable.value
            }
        }
        #expect(log.entries.count == 801)
        #expect(log.entries.last == variable.value)
    }
}

private final class Counter: Sendable {
    let value = Atomic(0)
}

// SPDX-License-Identifier: MIT
