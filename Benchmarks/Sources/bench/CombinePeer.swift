// SPDX-License-Identifier: MIT

import OpenCombine
import Synchronization

/// The same deliveries with OpenCombine's `PassthroughSubject`: each handler adds the element to an atomic sum.
enum CombinePeer {
    /// Returns the thread's nanoseconds for one event to `count` subscribers.
    static func publish(to count: Int) -> Double {
        let subject = PassthroughSubject<Int, Never>()
        let sum = Sum()
        let subscriptions = (0..<count).map { _ in subject.sink { sum.value.add($0, ordering: .relaxed) } }
        defer { for subscription in subscriptions { subscription.cancel() } }
        let nanoseconds = nanosecondsEach(busEventCount) { subject.send(1) }
        precondition(sum.value.load(ordering: .relaxed) == busEventCount * count)
        return nanoseconds
    }
}

/// How many events a measurement of the bus publishes.
let busEventCount = 50_000

/// The sum that the handlers of both libraries add to.
final class Sum: Sendable {
    let value = Atomic(0)
}
