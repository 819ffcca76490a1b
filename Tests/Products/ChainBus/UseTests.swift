import ChainBus
import Testing

// Code as users of ChainBus write it: this target sees public declarations only.

/// A user's own stream type.
private struct Numbers: Subscribable {
    var observable: EventStream<Int> {
        EventStream { observer in
            (1...3).forEach { observer.onNext($0) }
            observer.onCompleted()
            return AnyDisposable {}
        }
    }
}

struct ChainBusUseTests {
    @Test("subjects deliver until the subscription is disposed of")
    func subjects() {
        let subject = PublishSubject<Int>()
        let mailbox = Mailbox<Int>(limit: 10) {}
        let bag = DisposeBag()
        subject.observable.subscribe(mailbox).disposed(by: bag)
        subject.onNext(1)
        bag.dispose()
        subject.onNext(2)
        #expect(mailbox.drain().elements == [1])
        let speed = Variable(1.0)
        speed.value = 2
        #expect(speed.value == 2 && BehaviorSubject(7).value == 7)
        let replayed = Mailbox<Int>(limit: 10) {}
        let replay = ReplaySubject<Int>(limit: 2)
        (1...3).forEach { replay.onNext($0) }
        replay.observable.subscribe(replayed).disposed(by: DisposeBag())
        #expect(replayed.drain().elements == [2, 3])
    }

    @Test("a stream of the user's own completes")
    func stream() {
        let mailbox = Mailbox<Int>(limit: 10) {}
        let subscription = Numbers().observable.subscribe(mailbox)
        let mail = mailbox.drain()
        #expect(mail.elements == [1, 2, 3] && mail.ending == .completed)
        subscription.dispose()
    }

    @Test("a store changes its state by actions, and a bag keeps an order")
    func store() {
        let store = StateStore(0) { (state: inout Int, action: Int) -> [String] in
            state += action
            return ["saved"]
        }
        store.dispatch(2)
        #expect(store.withState { $0 } == 2)
        var bag = OrderedBag<String>()
        let key = bag.insert("first")
        _ = bag.insert("second")
        bag.remove(key)
        #expect(Array(bag) == ["second"])
    }
}

// SPDX-License-Identifier: MIT
