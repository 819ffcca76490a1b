// SPDX-License-Identifier: MIT

import Calibration
import ChainBus

/// The cost of an event on the bus, used from another module, beside that of OpenCombine.
let busComparisons = [
    Comparison(
        family: "bus", name: "publish.1-subscriber", turns: 15, ours: { publish(to: 1) },
        peers: [.init(name: "opencombine", limit: 0.8) { CombinePeer.publish(to: 1) }]),
    Comparison(
        family: "bus", name: "publish.10-subscribers.each", turns: 15, ours: { publish(to: 10) / 10 },
        peers: [.init(name: "opencombine", limit: 0.8) { CombinePeer.publish(to: 10) / 10 }]),
]

/// The cost of other frequent operations of the bus, used from another module.
let busFigures = [
    Figure(name: "bus.mailbox.push-and-drain", peer: .allocations, limit: 0.6) {
        let mailbox = Mailbox<Int>(limit: 1_000) {}
        return nanosecondsEach(200) {
            for number in 0..<1_000 { mailbox.push(number) }
            use(mailbox.drain())
        } / 1_000
    },
    Figure(name: "bus.store.step", peer: .allocations, limit: 6) {
        let store = StateStore(0) { (state: inout Int, action: Int) -> [Never] in
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
    let nanoseconds = nanosecondsEach(busEventCount) { subject.onNext(1) }
    precondition(sum.value.load(ordering: .relaxed) == busEventCount * count)
    return nanoseconds
}
