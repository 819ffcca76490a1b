import ChainBus
import Synchronization

/// What an event costs on its way over the bus, from another module, so unspecialised. It carries batches, a hundred a
/// second, not events: the limits keep that under a thousandth of a core.
let busFigures = [
    Figure(name: "bus.publish.1-subscriber", limit: 4_000) { publish(to: 1) },
    Figure(name: "bus.publish.10-subscribers.each", limit: 1_500) { publish(to: 10) / 10 },
    Figure(name: "bus.mailbox.push-and-drain", limit: 1_000) {
        let mailbox = Mailbox<Int>(limit: 1_000) {}
        return nanosecondsEach(200) {
            for number in 0..<1_000 { mailbox.push(number) }
            use(mailbox.drain())
        } / 1_000
    },
    Figure(name: "bus.store.step", limit: 4_000) {
        let store = Store(0) { (state: inout Int, action: Int) -> [Never] in
            state += action
            return []
        }
        let subscription = store.subscribe { state, _ in use(state) }
        defer { subscription.dispose() }
        return nanosecondsEach(100_000) { store.dispatch(1) }
    },
]

private func publish(to count: Int) -> Double {
    let subject = PublishSubject<Int>()
    let sum = Sum()
    let bag = DisposeBag()
    for _ in 0..<count { subject.subscribe { sum.value.add($0, ordering: .relaxed) }.disposed(by: bag) }
    return nanosecondsEach(50_000) { subject.onNext(1) }
}

private final class Sum: Sendable {
    let value = Atomic(0)
}
