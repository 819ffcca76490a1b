import ChainBus
import Testing

/// S2 and S4 for the bus: nothing leaks, and an object may call back into the subject or mailbox that releases it.
struct ReleaseTests {
    @Test func s2_aSubjectAndItsObserversAreReleasedThoughTheDisposableIsHeld() {
        let log = Log<String>()
        var subject: PublishSubject<Int>? = PublishSubject()
        let canary = Canary { log.add("released") }
        let subscription = subject?.subscribe(onNext: { [canary] _ in log.add("\(type(of: canary))") })
        _ = consume canary
        #expect(log.entries == [])
        subject = nil
        #expect(log.entries == ["released"])
        subscription?.dispose()
    }

    @Test func s2_anObserverIsReleasedByDisposeAndByTheEnd() {
        for ends in [false, true] {
            let log = Log<String>()
            let subject = PublishSubject<Int>()
            let canary = Canary { log.add("released") }
            let subscription = subject.subscribe(onNext: { [canary] _ in log.add("\(type(of: canary))") })
            _ = consume canary
            if ends { subject.onCompleted() } else { subscription.dispose() }
            #expect(log.entries == ["released"])
            subscription.dispose()
        }
    }

    @Test func s2_anObserverThatDisposesOfItselfIsReleasedWhenTheDeliveryIsOver() {
        let log = Log<String>()
        let subject = PublishSubject<Int>()
        let own = Box<(any Disposable)?>(nil)
        let canary = Canary { log.add("released") }
        own.value = subject.subscribe(onNext: { [canary] _ in
            own.value?.dispose()
            log.add("disposed, \(type(of: canary)) is still there")
        })
        _ = consume canary
        _ = subject.subscribe(onNext: { log.add("other \($0)") })
        subject.onNext(1)
        #expect(Set(log.entries) == ["disposed, Canary is still there", "other 1", "released"])
        #expect(log.entries.first == "disposed, Canary is still there")
    }

    @Test func s4_anObserverThatIsReleasedByADeliveryMayEmit() {
        let log = Log<String>()
        let subject = PublishSubject<Int>()
        let victim = Box<(any Disposable)?>(nil)
        let canary = Canary { subject.onNext(2) }
        _ = subject.subscribe(onNext: { number in
            log.add("first \(number)")
            victim.value?.dispose()
        })
        victim.value = subject.subscribe(onNext: { [canary] _ in log.add("\(type(of: canary))") })
        _ = consume canary
        _ = subject.subscribe(onNext: { log.add("last \($0)") })
        subject.onNext(1)
        #expect(log.entries == ["first 1", "last 1", "first 2", "last 2"])
    }

    @Test func s2_anObserverDisposedOfOnAnotherThreadIsReleasedAtTheLatestAfterTheDelivery() throws {
        for _ in 0..<200 {
            let released = Log<Int>()
            let subject = PublishSubject<Int>()
            let subscription = { (canary: Canary) in
                subject.subscribe(onNext: { [canary] _ in withExtendedLifetime(canary) {} })
            }(Canary { released.add(1) })
            try onThreads(2) { thread in
                if thread == 0 { for number in 0..<20 { subject.onNext(number) } } else { subscription.dispose() }
            }
            #expect(released.entries == [1])
            #expect(subject.subscriberCount == 0)
        }
    }

    @Test func s4_anElementThatIsEvictedMayEmitAsItIsReleased() {
        let log = Log<String>()
        let subject = ReplaySubject<Canary>(limit: 1)
        subject.onNext(Canary { subject.onNext(Canary { log.add("inner") }) })
        subject.onNext(Canary { log.add("second") })
        #expect(log.entries == ["second"])
        subject.onNext(Canary {})
        #expect(log.entries == ["second", "inner"])
    }

    @Test func s4_aVariablesOldValueMayReadTheVariableAsItIsReleased() {
        let log = Log<Int>()
        let variable = Variable<Canary?>(nil)
        let other = Variable(7)
        variable.value = Canary { log.add(variable.value == nil ? other.value : 0) }
        variable.value = nil
        #expect(log.entries == [7])
    }

    @Test func s4_anObserverMayUseTheSubjectAsItIsReleased() {
        let log = Log<Int>()
        let subject = PublishSubject<Int>()
        let canary = Canary {
            log.add(subject.subscriberCount)
            subject.subscribe(onNext: { _ in }).dispose()
        }
        let subscription = subject.subscribe(onNext: { [canary] _ in log.add("\(canary)".count) })
        _ = consume canary
        subscription.dispose()
        #expect(log.entries == [0])
    }

    @Test func s4_anElementWithoutAReceiverIsReleasedAtOnce() {
        let log = Log<Int>()
        let subject = PublishSubject<Canary>()
        subject.onNext(Canary { log.add(subject.subscriberCount) })
        #expect(log.entries == [0])
        subject.onCompleted()
        subject.onNext(Canary { log.add(1) })
        #expect(log.entries == [0, 1])
    }

    @Test func s4_droppedAndDrainedMailMayPushAsItIsReleased() {
        let log = Log<Int>()
        let mailbox = Mailbox<Canary>(limit: 1) {}
        mailbox.push(Canary { mailbox.push(Canary { log.add(1) }) })
        mailbox.push(Canary { log.add(mailbox.waitingCost) })
        #expect(log.entries == [1])
        #expect(mailbox.drain().droppedCount == 1)
        #expect(mailbox.waitingCost == 1)
        mailbox.onCompleted()
        #expect(mailbox.drain().elements.count == 1)
    }
}

// SPDX-License-Identifier: MIT
