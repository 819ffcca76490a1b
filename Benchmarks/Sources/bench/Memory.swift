// SPDX-License-Identifier: MIT

import CHeap
import PromiseRuntime
import Workloads

/// Returns the bytes of the heap that each of `count` values takes while it is kept, the allocator's headers included.
func bytesEach<Kept>(_ count: Int, _ make: (Int) -> Kept, finish: (Kept) -> Void) -> Double {
    var kept: [Kept] = []
    kept.reserveCapacity(count)
    let before = Int(heap_in_use())
    for number in 0..<count { kept.append(make(number)) }
    let bytes = Int(heap_in_use()) - before
    for one in kept { finish(one) }
    return Double(bytes) / Double(count)
}

/// The bytes of a pending promise with its resolver.
extension Ours {
    static var bytesOfPending: Double { bytes { _ in Workloads.pendingPromise() } }
    static var bytesOfPendingWithHandler: Double { bytes { _ in Workloads.pendingPromiseWithHandler() } }
    static var bytesOfPendingWithCapturingHandler: Double {
        bytes { Workloads.pendingPromiseWithHandler(capturing: $0) }
    }

    private static func bytes(_ make: (Int) -> Resolver<Int>) -> Double {
        bytesEach(100_000, make) { $0.fulfill(0) }
    }
}
