// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainEvents
import ChainSystem

/// The live promises by id, registered only while a recorder runs: viewers cancel them, and an inspector walks over
/// them to correct its forest.
///
/// Hash tables with open addressing, one per shard: they take no room in a promise. A look-up does a try-retain under
/// the shard's lock, which the promise's deinit takes to remove the promise. Registering retains nothing.
final class Registry: Sendable {
    static let shardCount = 64

    private let shards: [Lock<Shard>] = (0..<shardCount).map { _ in Lock(Shard()) }

    private func shard(of id: NodeID) -> Lock<Shard> {
        // Ids are allocated in blocks of 1,024 per thread: 16 neighbours share a shard, and a block is spread over all
        // shards.
        shards[Int(truncatingIfNeeded: (id.rawValue >> 4) % UInt64(Self.shardCount))]
    }

    deinit { for shard in shards { shard.withLock { $0.deallocate() } } }

    func insert(_ promise: AnyPromise) {
        shard(of: promise.id).withLock { $0.insert(promise.id.rawValue, Unmanaged.passUnretained(promise).toOpaque()) }
    }

    func remove(_ id: NodeID) {
        shard(of: id).withLock { $0.remove(id.rawValue) }
    }

    /// Returns the promise with that id, retained; nil if no such promise is registered, or if it is being released.
    func promise(_ id: NodeID) -> AnyPromise? {
        shard(of: id).withLock { shard in
            guard let pointer = shard.find(id.rawValue), chain_try_retain(pointer) else { return nil }
            return Unmanaged<AnyPromise>.fromOpaque(pointer).takeRetainedValue()
        }
    }

    /// Returns the promises of one shard, retained. The lock is held while they are collected, not while they are used
    /// or released.
    func promises(inShard index: Int) -> [AnyPromise] {
        shards[index].withLock { shard in
            shard.pointers.compactMap {
                chain_try_retain($0) ? Unmanaged<AnyPromise>.fromOpaque($0).takeRetainedValue() : nil
            }
        }
    }

    /// Empties the registry in the child of a fork. The child's only thread holds the locks. A thread of the parent may
    /// have held the lock bit of any promise, and no thread of the child would release that bit.
    func forgetAllInChild() { for shard in shards { shard.whileForking { $0.deallocate() } } }

    func lockForFork() { for shard in shards { shard.lockForFork() } }
    func unlockAfterFork() { for shard in shards { shard.unlockAfterFork() } }

    var count: Int { shards.reduce(0) { $0 + $1.withLock { $0.count } } }
    /// The number of slots of all tables.
    var slotCount: Int { shards.reduce(0) { $0 + $1.withLock { $0.capacity } } }
}

/// One hash table: linear probing, at most three quarters full, with removal by shifting back, so no tombstones pile
/// up. A large table that is nearly empty shrinks. The table has memory of its own, because an array checks for
/// uniqueness at each change.
private struct Shard: @unchecked Sendable {
    // Sendable: accessed under the shard's lock alone; the promises are accessed only after a try-retain.
    private struct Entry {
        var key: UInt64
        var promise: UnsafeMutableRawPointer?
    }
    private var entries: UnsafeMutablePointer<Entry>?
    // The capacity, a power of two, minus 1; -1 without a table.
    private var mask = -1
    private(set) var count = 0

    var capacity: Int { mask + 1 }
    /// The capacity up to which a table does not shrink.
    private static let keptCapacity = 1_024

    var pointers: some Sequence<UnsafeMutableRawPointer> {
        UnsafeBufferPointer(start: entries, count: capacity).lazy.compactMap { $0.promise }
    }

    /// Returns the slot at which the search for a key begins.
    private func home(_ key: UInt64) -> Int {
        Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
    }

    /// Returns the slot of a key, or the empty slot where it belongs. The table must have an empty slot.
    private func slot(of key: UInt64, in entries: UnsafeMutablePointer<Entry>) -> Int {
        var index = home(key)
        while entries[index].key != 0, entries[index].key != key { index = (index &+ 1) & mask }
        return index
    }

    func find(_ key: UInt64) -> UnsafeMutableRawPointer? { entries.flatMap { $0[slot(of: key, in: $0)].promise } }

    mutating func insert(_ key: UInt64, _ promise: UnsafeMutableRawPointer) {
        if (count + 1) * 4 > capacity * 3 { resize(to: max(16, capacity * 2)) }
        entries![slot(of: key, in: entries!)] = Entry(key: key, promise: promise)
        count &+= 1
    }

    mutating func remove(_ key: UInt64) {
        guard let entries else { return }
        var hole = slot(of: key, in: entries)
        guard entries[hole].key == key else { return }
        count &-= 1
        var index = hole
        while true {
            index = (index &+ 1) & mask
            if entries[index].key == 0 { break }
            // An entry may fill the hole unless its home slot lies after the hole, up to its present slot.
            let distance = (index &- home(entries[index].key)) & mask
            if distance >= (index &- hole) & mask {
                entries[hole] = entries[index]
                hole = index
            }
        }
        entries[hole] = Entry(key: 0, promise: nil)
        // This limit is far below the limit for growing, so that a count that goes up and down moves no entries.
        if capacity > Self.keptCapacity, count < capacity / 16 { resize(to: capacity / 4) }
    }

    /// Moves the entries into a table of another size, a power of two with room for them and an empty slot.
    private mutating func resize(to newCapacity: Int) {
        let (old, oldCapacity) = (entries, capacity)
        mask = newCapacity - 1
        let new = UnsafeMutablePointer<Entry>.allocate(capacity: capacity)
        new.initialize(repeating: Entry(key: 0, promise: nil), count: capacity)
        entries = new
        guard let old else { return }
        for index in 0..<oldCapacity where old[index].key != 0 {
            new[slot(of: old[index].key, in: new)] = old[index]
        }
        old.deallocate()
    }

    mutating func deallocate() {
        entries?.deallocate()
        (entries, mask, count) = (nil, -1, 0)
    }
}
