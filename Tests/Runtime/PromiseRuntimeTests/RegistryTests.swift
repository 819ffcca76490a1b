import ChainEvents
import Foundation
import SeededNumbers
import Testing

@testable import PromiseRuntime

@Suite struct RegistryTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func agreesWithADictionary(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let registry = Registry()
        var live: [NodeID: AnyPromise] = [:]
        let all = (0..<3_000).map { _ in Promise<Int>.resolve(1) as AnyPromise }
        for step in 0..<30_000 {
            let promise = all.randomElement(using: &random)!
            // Mostly inserts at first and removes at last, so that the tables grow and holes are filled.
            let inserts = Int.random(in: 0..<30_000, using: &random) > step
            if live[promise.id] == nil, inserts {
                registry.insert(promise)
                live[promise.id] = promise
            } else if live[promise.id] != nil, !inserts {
                registry.remove(promise.id)
                live[promise.id] = nil
            }
            if step % 100 == 0 {
                #expect(registry.count == live.count)
                for promise in all.shuffled(using: &random).prefix(50) {
                    #expect(registry.promise(promise.id) === live[promise.id])
                }
            }
        }
        let found = (0..<Registry.shardCount).flatMap { registry.promises(inShard: $0) }
        #expect(Set(found.map(\.id)) == Set(live.keys) && found.count == live.count)
        for id in live.keys { registry.remove(id) }
        #expect(registry.count == 0)
    }

    /// The room for a peak of promises is freed.
    @Test func tablesThatAreNearlyEmptyShrink() {
        let registry = Registry()
        let all = (0..<100_000).map { _ in Promise<Int>.resolve(1) as AnyPromise }
        let kept = stride(from: 0, to: all.count, by: 1_000).map { all[$0] }
        let keptIDs = Set(kept.map(\.id))
        for _ in 0..<2 {
            for promise in all where registry.promise(promise.id) == nil { registry.insert(promise) }
            #expect(registry.count == all.count && registry.slotCount >= all.count)
            #expect(all.allSatisfy { registry.promise($0.id) === $0 })
            for promise in all where !keptIDs.contains(promise.id) { registry.remove(promise.id) }
            #expect(registry.count == kept.count && registry.slotCount <= 1_024 * Registry.shardCount)
            #expect(kept.allSatisfy { registry.promise($0.id) === $0 })
        }
        // Small tables stay, because they are filled again soon.
        let capacity = registry.slotCount
        for promise in kept { registry.remove(promise.id) }
        #expect(registry.count == 0 && registry.slotCount == capacity)
    }

    @Test func removingAnUnknownKeyDoesNothing() {
        let registry = Registry()
        let promise = Promise<Int>.resolve(1)
        registry.remove(promise.id)
        registry.insert(promise)
        registry.remove(NodeID(promise.id.rawValue + 1))
        #expect(registry.count == 1 && registry.promise(promise.id) === promise)
        registry.remove(promise.id)
        registry.remove(promise.id)
        #expect(registry.count == 0 && registry.promise(promise.id) == nil)
    }

    private final class NullSink: EventSink {
        func record(_ record: EventRecord, text: String?) {}
    }

    @Test func aLookUpThatRacesWithAReleaseFindsThePromiseOrNothing() throws {
        let runtime = ChainRuntime()
        #expect(runtime.startRecording(into: NullSink()))
        let latest = Box<[NodeID]>(Array(repeating: .none, count: 2))
        let found = Box(0)
        let done = Box(0)
        try onThreads(4) { thread in
            if thread < 2 {
                for round in 0..<10_000 {
                    runtime.run {
                        let promise = Promise<[Int]>.resolve([round])
                        latest.change { $0[thread] = promise.id }
                    }
                }
                done.change { $0 += 1 }
            } else {
                while done.value < 2 {
                    for id in latest.value {
                        guard let promise = runtime.liveNode(id) else { continue }
                        if promise.id != id { Issue.record("another promise under \(id)") }
                        _ = promise.snapshot()
                        found.change { $0 += 1 }
                    }
                    for promise in runtime.liveNodes(inShard: found.value % ChainRuntime.registryShardCount) {
                        _ = promise.isSettled
                    }
                }
            }
        }
        #expect(runtime.liveNodeCount == 0)
    }
}

// SPDX-License-Identifier: MIT
