// SPDX-License-Identifier: MIT

import CCounting
import CHeap
import ChainBus
import PromiseRuntime
import Workloads

/// Prints how many allocations and bytes each piece of work takes.
func printAllocations() {
    printCount("allocations.three-links", of: 1_000) { Workloads.threeLinks($0) }
    printCount("allocations.three-capturing-links", of: 1_000) { Workloads.threeCapturingLinks($0) }
    printCount("allocations.recorded-three-links", of: 1_000) { count in
        Recorded.runtime.run { Workloads.threeLinks(count) }
    }
    printCount("allocations.pending", of: 1_000) { Workloads.pending($0) }
    printCount("allocations.pending-with-handler", of: 1_000) { Workloads.pendingWithHandler($0) }
    printCount("allocations.chain.link", of: 10_000) { Workloads.chain($0) }
    let settled = (0..<10_000).map { Promise.resolve($0) }
    printCount("allocations.all.settled-member", of: settled.count) { _ in Workloads.allOfSettled(settled) }
    let pending = [(0..<10_000), (0..<10_000)].map { $0.map { _ in Promise<Int>.pending() } }
    var round = 0
    printCount("allocations.all.pending-member", of: 10_000) { _ in
        Workloads.allOfPending(pending[round])
        round += 1
    }
    let subject = PublishSubject<Int>()
    let bag = DisposeBag()
    for _ in 0..<10 { subject.subscribe { use($0) }.disposed(by: bag) }
    printCount("allocations.bus.event", of: 1_000) { for number in 0..<$0 { subject.onNext(number) } }

    printBytes("bytes.pending") { _ in Workloads.pendingPromise() }
    printBytes("bytes.pending-with-handler") { _ in Workloads.pendingPromiseWithHandler() }
    printBytes("bytes.pending-with-capturing-handler") { Workloads.pendingPromiseWithHandler(capturing: $0) }
}

/// Prints the allocations for one of `units`, in a second round, because the first one fills caches.
private func printCount(_ name: String, of units: Int, _ work: (Int) -> Void) {
    guard heap_allocation_count() > 0 else { return }
    work(units)
    let before = heap_allocation_count()
    work(units)
    let count = heap_allocation_count() - before
    print(name, hundredths(Double(count) / Double(units)), "allocations")
}

/// Prints the bytes of the heap that one promise takes while it is pending, its resolver included.
private func printBytes(_ name: String, _ make: (Int) -> Resolver<Int>) {
    let count = 10_000
    var kept: [Resolver<Int>] = []
    kept.reserveCapacity(2 * count)
    for number in 0..<count { kept.append(make(number)) }
    let before = heap_in_use()
    for number in 0..<count { kept.append(make(number)) }
    let bytes = heap_in_use() - before
    for resolver in kept { resolver.fulfill(0) }
    print(name, hundredths(Double(bytes) / Double(count)), "bytes")
}

private func hundredths(_ value: Double) -> Double { (value * 100).rounded() / 100 }
