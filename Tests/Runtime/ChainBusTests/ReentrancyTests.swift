import ChainBus
import Testing

/// Emitting, ending, subscribing and disposing inside a delivery.
struct ReentrancyTests {
    @Test func b1_emittingInsideADeliveryIsDeliveredAfterItToAll() {
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        let bag = DisposeBag()
        subject.subscribe(onNext: { number in
            log.add("a\(number)")
            if number < 3 { subject.onNext(number + 1) }
            log.add("end of a\(number)")
        }).disposed(by: bag)
        subject.subscribe(onNext: { log.add("b\($0)") }).disposed(by: bag)
        subject.onNext(1)
        #expect(
            log.entries == [
                "a1", "end of a1", "b1", "a2", "end of a2", "b2", "a3", "end of a3", "b3",
            ])
    }

    @Test func b1_emittingInsideDeliveriesDoesNotGrowTheStack() {
        let subject = PublishSubject<Int>()
        let last = Box(0)
        let subscription = subject.subscribe(onNext: { number in
            last.value = number
            if number < 200_000 { subject.onNext(number + 1) }
        })
        subject.onNext(1)
        #expect(last.value == 200_000)
        subscription.dispose()
    }

    @Test func b1_endingInsideADeliveryLetsThatDeliveryReachAll() {
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        _ = subject.subscribe(
            AnyObserver { event in
                log.add("a \(event)")
                subject.onCompleted()
                subject.onNext(9)
            })
        _ = subject.subscribe(AnyObserver { log.add("b \($0)") })
        subject.onNext(1)
        #expect(log.entries == ["a next(1)", "b next(1)", "a completed", "b completed"])
    }

    @Test func b1_disposingOfAnotherInsideADeliverySkipsIt() {
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        let victim = Box<(any Disposable)?>(nil)
        let bag = DisposeBag()
        subject.subscribe(onNext: { _ in victim.value?.dispose() }).disposed(by: bag)
        victim.value = subject.subscribe(onNext: { log.add("victim \($0)") })
        subject.subscribe(onNext: { log.add("other \($0)") }).disposed(by: bag)
        subject.onNext(1)
        #expect(log.entries == ["other 1"])
    }

    @Test func b1_anObserverThatDisposesOfItselfInsideADeliveryGetsNothingMore() {
        let subject = PublishSubject<Int>()
        let log = Log<Int>()
        let own = Box<(any Disposable)?>(nil)
        own.value = subject.subscribe(onNext: { number in
            log.add(number)
            subject.onNext(number + 1)
            own.value?.dispose()
        })
        subject.onNext(1)
        #expect(log.entries == [1])
        #expect(subject.subscriberCount == 0)
    }

    @Test func b1_subscribingInsideADeliveryStartsWithTheNextEvent() {
        let subject = PublishSubject<Int>()
        let log = Log<Int>()
        let bag = DisposeBag()
        subject.subscribe(onNext: { number in
            guard number == 1 else { return }
            subject.onNext(2)  // accepted before the subscription below, which does not get it
            subject.subscribe(onNext: { log.add($0) }).disposed(by: bag)
            subject.onNext(3)
        }).disposed(by: bag)
        subject.onNext(1)
        subject.onNext(4)
        #expect(log.entries == [3, 4])
    }

    @Test func b1_aLateSubscriberInsideADeliveryNeitherMissesNorRepeats() {
        let subject = ReplaySubject<Int>(limit: 100)
        let late = Log<Int>()
        let bag = DisposeBag()
        subject.subscribe(onNext: { number in
            guard number == 2 else { return }
            subject.onNext(3)  // accepted, not delivered yet
            subject.subscribe(onNext: { late.add($0) }).disposed(by: bag)
            #expect(late.entries == [])
            subject.onNext(4)
        }).disposed(by: bag)
        for number in [1, 2, 5] { subject.onNext(number) }
        #expect(late.entries == [1, 2, 3, 4, 5])
    }

    @Test func b1_aBehaviorSubscriberInsideADeliveryGetsTheNewestValueOnce() {
        let subject = BehaviorSubject(0)
        let late = Log<Int>()
        let bag = DisposeBag()
        subject.subscribe(onNext: { number in
            guard number == 1 else { return }
            subject.subscribe(onNext: { late.add($0) }).disposed(by: bag)
            subject.onNext(2)
        }).disposed(by: bag)
        subject.onNext(1)
        #expect(late.entries == [1, 2])
    }

    @Test func b1_subscribingInsideTheDeliveryOfThePastWorks() {
        let subject = ReplaySubject<Int>(limit: 3)
        for number in 1...3 { subject.onNext(number) }
        let log = Log<String>()
        let bag = DisposeBag()
        subject.subscribe(onNext: { outer in
            log.add("outer \(outer)")
            guard outer == 2 else { return }
            subject.subscribe(onNext: { log.add("inner \($0)") }).disposed(by: bag)
        }).disposed(by: bag)
        #expect(log.entries == ["outer 1", "outer 2", "outer 3", "inner 1", "inner 2", "inner 3"])
    }

    @Test func b1_twoSubjectsThatFeedEachOtherKeepTheirOrder() {
        let ping = PublishSubject<Int>()
        let pong = PublishSubject<Int>()
        let log = Log<Int>()
        let bag = DisposeBag()
        ping.subscribe(onNext: {
            log.add($0); if $0 < 9 { pong.onNext($0 + 1) }
        }).disposed(by: bag)
        pong.subscribe(onNext: {
            log.add($0); ping.onNext($0 + 1)
        }).disposed(by: bag)
        ping.onNext(1)
        #expect(log.entries == Array(1...9))
    }
}

// SPDX-License-Identifier: MIT
