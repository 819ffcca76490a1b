import ChainEvents
import SeededNumbers
import Testing

@testable import ChainModel

@Suite struct TableTests {
    @Test(arguments: Seeds.upTo(5))
    func idsAgreeWithADictionary(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var table = IDTable()
        var known: [UInt64: UInt32] = [:]
        var gone: Set<UInt64> = []
        let ids = (0..<3000).map { _ in UInt64.random(in: 1...4000, using: &generator) } + [.max, 1 << 40, 1 << 63]
        for (position, id) in ids.enumerated() {
            if known[id] == nil, !gone.contains(id) {
                table.insert(NodeID(id), UInt32(position))
                known[id] = UInt32(position)
            } else if known.removeValue(forKey: id) != nil {
                table.remove(NodeID(id))
                gone.insert(id)
            }
        }
        for id in Set(ids) {
            let expected = known[id] ?? evictedSlot
            #expect(table.find(NodeID(id)) == expected)
            #expect(table.findCachingPage(NodeID(id)) == expected)
        }
        for id in Array(known.keys) { table.remove(NodeID(id)) }
        for id in ids { #expect(table.find(NodeID(id)) == evictedSlot) }
        #expect(table.find(NodeID(5000)) == noSlot)
        #expect(table.keys(from: 0, limit: 10) == [])
    }

    /// A chunk of a state sorts only the keys it may need: 300,000 pages are sorted 300 times otherwise.
    @Test func theLeastKeysAreReturned() {
        var table = IDTable()
        let last = UInt64.max >> 8
        let keys = Array(stride(from: 3 as UInt64, to: 3_000, by: 3)) + [last]
        for key in keys.reversed() { table.insert(NodeID(key << 8 | 7), 1) }
        #expect(table.keys(from: 0, limit: 1) == [3])
        #expect(table.keys(from: 0, limit: 64) == Array(keys[..<64]))
        #expect(table.keys(from: 4, limit: 64) == Array(keys[1..<65]))
        #expect(table.keys(from: 2_990, limit: 64) == [2_991, 2_994, 2_997, last])
        #expect(table.keys(from: 0, limit: keys.count) == keys)
        #expect(table.keys(from: last, limit: 64) == [last])
        #expect(table.keys(from: 1 << 56, limit: 64) == [])
    }

    /// Each node has a page of ids of its own; the last page is the last that there can be.
    @Test(arguments: [64, 300, .max] as [Int])
    func chunksOfAStateHaveEachNodeOnce(limit: Int) {
        var forest = ChainForest(process: ProcessKey(rawValue: 1))
        var batch = EventBatch(process: forest.process, sequence: 1, time: 10)
        let ids = (1...20_000 as ClosedRange<UInt64>).map { NodeID($0 * 300) } + [NodeID(.max)]
        // A link names nodes that were not reported, in pages of their own.
        batch.events = ids.map { ChainEvent(time: 5, .created, node: $0) }
        for id in 1...1_000 as ClosedRange<UInt64> {
            batch.events.append(ChainEvent(time: 6, .linked, node: NodeID(300), other: NodeID((30_000 + id) * 300)))
        }
        forest.apply(batch)
        var found: [NodeID] = []
        var next: NodeID? = NodeID.none
        while let first = next, found.count <= 40_000 {
            let part = forest.snapshot(from: first, limit: limit)
            found += part.nodes.map(\.id)
            next = part.next
        }
        // A node with many members has several snapshots.
        #expect(found.filter { $0 != NodeID(300) } == Array(ids[1...]))
        #expect(found.first == NodeID(300))
    }

    @Test func removedPagesMergeIntoRanges() {
        var table = IDTable()
        for id in 1..<5000 as Range<UInt64> { table.insert(NodeID(id), UInt32(id)) }
        for id in (1..<5000 as Range<UInt64>).reversed() { table.remove(NodeID(id)) }
        #expect(table.find(NodeID(300)) == evictedSlot)
        #expect(table.find(NodeID(4999)) == evictedSlot)
        #expect(table.find(NodeID(5001)) == noSlot)
        #expect(table.rangeCount == 1)
    }

    /// Each page keeps ids that never come, as those of threads that ended do.
    @Test func pagesWithHolesAreForgottenPastALimit() {
        var table = IDTable(rememberedLimit: 100)
        for page in 1...1_000 as ClosedRange<UInt64> {
            for id in [page << 8 | 1, page << 8 | 5] { table.insert(NodeID(id), 7) }
            for id in [page << 8 | 1, page << 8 | 5] { table.remove(NodeID(id)) }
            #expect(table.rememberedCount <= 100)
        }
        // The newest are known exactly.
        #expect(table.find(NodeID(1_000 << 8 | 5)) == evictedSlot && table.find(NodeID(1_000 << 8 | 6)) == noSlot)
        #expect(!table.isForgotten(NodeID(1_000 << 8 | 5)) && !table.isForgotten(NodeID(1_000 << 8 | 6)))
        #expect(table.find(NodeID(1_001 << 8)) == noSlot)
        // Of the oldest, all ids count as removed; one that comes all the same can be inserted.
        let late = NodeID(3 << 8 | 6)
        #expect(table.find(late) == evictedSlot && table.isForgotten(late))
        table.insert(late, 9)
        #expect(table.find(late) == 9 && !table.isForgotten(late))
        table.remove(late)
        #expect(table.find(late) == evictedSlot && !table.isForgotten(late))
    }

    @Test func withdrawnIdsAreNotRemembered() {
        var table = IDTable()
        for id in [300, 301, 600] as [UInt64] { table.insert(NodeID(id), UInt32(id)) }
        table.remove(NodeID(300))
        for id in [301, 600] as [UInt64] { table.withdraw(NodeID(id)) }
        #expect(table.find(NodeID(300)) == evictedSlot)
        #expect(table.find(NodeID(301)) == noSlot && table.find(NodeID(600)) == noSlot)
        #expect(table.rememberedCount == 1, "the page of 600 is not")
        table.insert(NodeID(301), 5)
        #expect(table.find(NodeID(300)) == evictedSlot && table.find(NodeID(301)) == 5)
    }

    @Test func lowestSlotsAreAllocatedFirstAndEmptyPagesFreed() {
        var slab = Slab<LinkRecord>(shift: 2)
        let slots = (0..<20).map { slab.allocate(LinkRecord(time: $0, holder: 0, target: 0, kind: .member)) }
        #expect(slots == Array(0..<20))
        for slot in 4..<20 as Range<UInt32> { slab.free(slot) }
        #expect(!slab.hasPage(of: 8))
        #expect(slab.hasPage(of: 3))
        slab.free(1)
        #expect(slab.allocate(LinkRecord(time: 0, holder: 0, target: 0, kind: .member)) == 1)
        #expect(slab.allocate(LinkRecord(time: 0, holder: 0, target: 0, kind: .member)) == 4)
        #expect(slab[3].pointee.time == 3)
        #expect(slab.count == 5)
    }

    @Test func lowestSlotsAreFoundAmongManyPages() {
        var slab = Slab<LinkRecord>(shift: 2)
        let record = LinkRecord(time: 0, holder: 0, target: 0, kind: .member)
        for _ in 0..<400 { _ = slab.allocate(record) }
        for slot in [399, 281, 3, 70] as [UInt32] { slab.free(slot) }
        #expect((0..<6).map { _ in slab.allocate(record) } == [3, 70, 281, 399, 400, 401])
    }

    /// Names are sent once, with the first part of a batch; the nodes that use them may be in a later part.
    @Test func namesAreKeptUntilTheEndOfTheirBatch() {
        var forest = ChainForest(process: ProcessKey(rawValue: 1))
        let count = UInt32(ForestData.threadNameLimit + 1)
        var first = EventBatch(process: forest.process, sequence: 1, time: 10)
        for thread in 1...count { first.threads[thread] = "worker-\(thread)" }
        var second = EventBatch(process: forest.process, sequence: 1, time: 10)
        second.events = [
            ChainEvent(time: 5, .created, node: NodeID(1)),
            ChainEvent(time: 6, .started, node: NodeID(1), thread: count),
        ]
        forest.apply(first, isLast: false)
        forest.apply(second)
        #expect(forest.threads == [count: "worker-\(count)"])
        #expect(forest.threadRenameCount == 0)
        first.threads = [count: "worker"]
        forest.apply(first)
        #expect(forest.threadRenameCount == 1)
    }

    @Test func equalTextsAreInternedOnceAndUnusedOnesRemoved() {
        var pool = TextPool()
        let (first, second, other) = (pool.intern("reserve stock"), pool.intern("reserve stock"), pool.intern("charge"))
        #expect(first == second)
        #expect(pool.count == 2)
        pool.release(first)
        #expect(pool[second] == "reserve stock")
        pool.release(second)
        #expect(pool.count == 1)
        #expect(pool[other] == "charge")
        #expect(pool[noSlot] == nil)
    }

    /// Texts that differ in one place only are shared, however many there are of them at the same time.
    @Test(arguments: [8, 64]) func equalTextsAreSharedWhereverTheyDiffer(length: Int) {
        var pool = TextPool()
        let texts = (0..<length).map { place in
            String(repeating: "x", count: place) + "a" + String(repeating: "x", count: length - place - 1)
        }
        for _ in 0..<10 { for text in texts { _ = pool.intern(text) } }
        #expect(pool.count == length)
    }

    @Test func aNodeIsNinetySixBytesAndAChainSixtyFour() {
        #expect(MemoryLayout<NodeRecord>.stride == 96)
        #expect(MemoryLayout<ChainRecord>.stride == 64)
        #expect(MemoryLayout<NodeExtra>.stride == 64)
        #expect(MemoryLayout<LinkRecord>.stride == 40)
    }
}

// SPDX-License-Identifier: MIT
