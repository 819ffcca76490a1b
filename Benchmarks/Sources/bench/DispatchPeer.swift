// SPDX-License-Identifier: MIT

import Dispatch

/// The same work with plain Dispatch: a link is a block that the block before it enqueues.
enum DispatchPeer {
    private static let queues = (0..<2).map { DispatchQueue(label: "bench-\($0)") }

    static func handedOver(_ count: Int) -> Double {
        processNanoseconds(per: count) {
            Ended.expect(count)
            makeCounted(count, queues[0])
            Ended.wait()
        }
    }

    static func twoThreads(_ count: Int) -> Double {
        processNanoseconds(per: count) {
            Ended.expect(count)
            onThreads(2) { makeCounted(count / 2, queues[$0]) }
            Ended.wait()
        }
    }

    private static func makeCounted(_ count: Int, _ queue: DispatchQueue) {
        for number in 0..<count {
            queue.async {
                let first = number &+ 1
                queue.async {
                    let second = first &+ 1
                    queue.async {
                        use(second &+ 1)
                        Ended.one()
                    }
                }
            }
        }
    }
}
