import ChainBus
import Testing

/// Subjects on one thread: order, grammar, and what a late subscriber receives.
struct SubjectTests {
    @Test func b1_subscribersReceiveInOrderOfSubscription() {
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        let first = subject.subscribe(onNext: { log.add("first \($0)") })
        let second = subject.subscribe(onNext: { log.add("second \($0)") })
        let third = subject.subscribe(onNext: { log.add("third \($0)") })
        subject.onNext(1)
        second.dispose()
        subject.onNext(2)
        #expect(log.entries == ["first 1", "second 1", "third 1", "first 2", "third 2"])
        first.dispose()
        third.dispose()
        #expect(subject.subscriberCount == 0)
    }

    @Test(arguments: [StreamEvent<Int>.completed, .error(Failure())])
    func b1_nothingFollowsTheEnd(_ end: StreamEvent<Int>) {
        let subject = PublishSubject<Int>()
        let log = Log<StreamEvent<Int>>()
        let subscription = subject.subscribe(AnyObserver { log.add($0) })
        subject.onNext(1)
        subject.on(end)
        subject.onNext(2)
        subject.onCompleted()
        subject.onError(Failure())
        #expect(log.entries == [.next(1), end])
        #expect(subject.subscriberCount == 0)
        subscription.dispose()
    }

    @Test func b1_theErrorItselfArrives() {
        let subject = PublishSubject<Int>()
        let log = Log<Bool>()
        let subscription = subject.subscribe(
            onNext: { _ in Issue.record("no element was emitted") }, onError: { log.add($0 is Failure) },
            onCompleted: { Issue.record("it failed") })
        subject.onError(Failure())
        #expect(log.entries == [true])
        subscription.dispose()
    }

    @Test func b1_aPublishSubjectRepeatsOnlyTheEndForALateSubscriber() {
        let subject = PublishSubject<Int>()
        let log = Log<StreamEvent<Int>>()
        subject.onNext(1)
        let late = subject.subscribe(AnyObserver { log.add($0) })
        #expect(log.entries == [])
        subject.onNext(2)
        subject.onCompleted()
        let tooLate = subject.subscribe(AnyObserver { log.add($0) })
        #expect(log.entries == [.next(2), .completed, .completed])
        late.dispose()
        tooLate.dispose()
    }

    @Test func b1_aBehaviorSubjectSendsTheCurrentValueFirst() {
        let subject = BehaviorSubject(1)
        let log = Log<StreamEvent<Int>>()
        let early = subject.subscribe(AnyObserver { log.add($0) })
        subject.onNext(2)
        let late = subject.subscribe(AnyObserver { log.add($0) })
        #expect(log.entries == [.next(1), .next(2), .next(2)])
        #expect(subject.value == 2)
        subject.onError(Failure())
        subject.onNext(3)
        #expect(subject.value == 2)
        let tooLate = subject.subscribe(AnyObserver { log.add($0) })
        #expect(log.entries.suffix(3) == [.error(Failure()), .error(Failure()), .error(Failure())])
        #expect(log.entries.count == 6)
        for subscription in [early, late, tooLate] { subscription.dispose() }
    }

    @Test(arguments: [0, 1, 2, 3, 5, 100])
    func b1_aReplaySubjectSendsTheNewestUpToItsLimitThenTheEnd(_ limit: Int) {
        let subject = ReplaySubject<Int>(limit: limit)
        for number in 0..<7 {
            subject.onNext(number)
            let log = Log<StreamEvent<Int>>()
            subject.subscribe(AnyObserver { log.add($0) }).dispose()
            #expect(log.entries == (0...number).suffix(limit).map { .next($0) })
        }
        subject.onCompleted()
        let log = Log<StreamEvent<Int>>()
        subject.subscribe(AnyObserver { log.add($0) }).dispose()
        #expect(log.entries == (0..<7).suffix(limit).map { .next($0) } + [.completed])
    }

    @Test func b1_aVariableHasAValueAndCompletesWhenReleased() {
        let log = Log<StreamEvent<String>>()
        var variable: Variable<String>? = Variable("a")
        let subscription = variable?.subscribe(AnyObserver { log.add($0) })
        variable?.value = "b"
        #expect(variable?.value == "b")
        let observable = variable?.observable
        variable = nil
        #expect(log.entries == [.next("a"), .next("b"), .completed])
        subscription?.dispose()
        let late = observable?.subscribe(AnyObserver { log.add($0) })
        #expect(log.entries.count == 4)
        late?.dispose()
    }

    @Test func b1_aSubjectIsAnObserverOfAnother() {
        let source = PublishSubject<Int>()
        let relay = ReplaySubject<Int>(limit: 10)
        let subscription = source.subscribe(relay)
        source.onNext(1)
        source.onNext(2)
        source.onCompleted()
        let log = Log<StreamEvent<Int>>()
        relay.subscribe(AnyObserver { log.add($0) }).dispose()
        #expect(log.entries == [.next(1), .next(2), .completed])
        subscription.dispose()
    }

    @Test func b1_disposeIsIdempotentAndHarmsNoOther() {
        let subject = PublishSubject<Int>()
        let log = Log<Int>()
        let first = subject.subscribe(onNext: { log.add($0) })
        let second = subject.subscribe(onNext: { log.add(10 * $0) })
        first.dispose()
        first.dispose()
        subject.onNext(1)
        #expect(log.entries == [10])
        second.dispose()
    }

    @Test func b1_droppingTheDisposableKeepsTheSubscription() {
        let subject = PublishSubject<Int>()
        let log = Log<Int>()
        _ = subject.subscribe(onNext: { log.add($0) })
        subject.onNext(1)
        #expect(log.entries == [1])
    }
}

// SPDX-License-Identifier: MIT
