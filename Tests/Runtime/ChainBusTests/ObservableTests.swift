import ChainBus
import Testing

struct ObservableTests {
    @Test func b1_theClosureRunsOncePerSubscription() {
        let log = Log<String>()
        let numbers = EventStream<Int> { observer in
            log.add("start")
            for number in 1...3 { observer.onNext(number) }
            observer.onCompleted()
            return AnyDisposable { log.add("stop") }
        }
        #expect(log.entries == [])
        for _ in 0..<2 { numbers.subscribe(AnyObserver { log.add("\($0)") }).dispose() }
        let once = ["start", "next(1)", "next(2)", "next(3)", "completed", "stop"]
        #expect(log.entries == once + once)
    }

    @Test func b1_theGrammarIsKeptWhateverTheSourceDoes() {
        let log = Log<StreamEvent<Int>>()
        let rude = EventStream<Int> { observer in
            observer.onNext(1)
            observer.onError(Failure())
            observer.onNext(2)
            observer.onCompleted()
            return AnyDisposable {}
        }
        rude.subscribe(AnyObserver { log.add($0) }).dispose()
        #expect(log.entries == [.next(1), .error(Failure())])
    }

    @Test func b1_theSourceIsDisposedOfOnceByDisposeOrByTheEnd() {
        for ends in [false, true] {
            let log = Log<String>()
            let source = Box<AnyObserver<Int>?>(nil)
            let stream = EventStream<Int> { observer in
                source.value = observer
                return AnyDisposable { log.add("stop") }
            }
            let subscription = stream.subscribe(AnyObserver { log.add("\($0)") })
            source.value?.onNext(1)
            if ends { source.value?.onCompleted() }
            subscription.dispose()
            subscription.dispose()
            source.value?.onNext(2)
            #expect(log.entries == (ends ? ["next(1)", "completed", "stop"] : ["next(1)", "stop"]))
        }
    }

    @Test func b1_aSourceOnManyThreadsIsSerialised() throws {
        let source = Box<AnyObserver<Int>?>(nil)
        let stream = EventStream<Int> { observer in
            source.value = observer
            return AnyDisposable {}
        }
        let log = Log<StreamEvent<Int>>()
        let subscription = stream.subscribe(AnyObserver { log.add($0) })
        let observer = try #require(source.value)
        try onThreads(4) { _ in
            for number in 0..<100 { observer.onNext(number) }
            observer.onCompleted()
        }
        #expect(log.entries.filter(\.isTerminal).count == 1)
        #expect(log.entries.last == .completed)
        #expect(log.entries.count >= 101)
        subscription.dispose()
    }

    @Test func s2_aSubscriptionIsReleasedWithItsSource() {
        let log = Log<String>()
        let source = Box<AnyObserver<Int>?>(nil)
        let canary = Canary { log.add("released") }
        let stream = EventStream<Int> { observer in
            source.value = observer
            return AnyDisposable { log.add("stop") }
        }
        _ = stream.subscribe(onNext: { [canary] _ in log.add("\(type(of: canary))") })
        _ = consume canary
        source.value?.onNext(1)
        source.replace(nil)
        #expect(log.entries.sorted() == ["Canary", "released", "stop"])
    }
}

// SPDX-License-Identifier: MIT
