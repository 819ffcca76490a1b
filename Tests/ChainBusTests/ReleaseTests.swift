import ChainBus
import Testing

/// S4 for the bus: nothing leaks, and what is released may call back into what released it.
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

    @Test func s4_anElementThatNobodyGetsIsReleasedAtOnce() {
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
