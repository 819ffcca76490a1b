import CChainRuntime
import ChainEvents

/// The promises that are alive, by id, kept only while somebody records: it serves cancellation and resync.
///
/// Hash tables with open addressing, one a shard: it takes no room in a promise, and a look-up tries to retain under the
/// shard's lock, which the promise's deinit must take to leave. Nothing is retained by being registered.
final class Registry: Sendable {
    static let shardCount = 64

    private let shards: [Lock<Shard>] = (0..<shardCount).map { _ in Lock(Shard()) }

    private func shard(of id: NodeID) -> Lock<Shard> {
        // Ids come in blocks of 1024 a thread: neighbours of one block share a shard's cache lines, blocks spread.
        shards[Int(truncatingIfNeeded: (id.rawValue >> 4) % UInt64(Self.shardCount))]
    }

    func insert(_ promise: AnyPromise) {
        shard(of: promise.id).withLock { $0.insert(promise.id.rawValue, Unmanaged.passUnretained(promise).toOpaque()) }
    }

    func remove(_ id: NodeID) {
        shard(of: id).withLock { $0.remove(id.rawValue) }
    }

    /// The promise of that id, retained, or nil where it is gone or going.
    func promise(_ id: NodeID) -> AnyPromise? {
        shard(of: id).withLock { shard in
            guard let pointer = shard.find(id.rawValue), chain_try_retain(pointer) else { return nil }
            return Unmanaged<AnyPromise>.fromOpaque(pointer).takeRetainedValue()
        }
    }

    /// Those of one shard, retained; the lock is held while they are gathered, not while they are used or released.
    func promises(inShard index: Int) -> [AnyPromise] {
        shards[index].withLock { shard in
            shard.pointers.compactMap {
                chain_try_retain($0) ? Unmanaged<AnyPromise>.fromOpaque($0).takeRetainedValue() : nil
            }
        }
    }

    var count: Int { shards.reduce(0) { $0 + $1.withLock { $0.count } } }
}

/// One hash table: linear probing, at most three quarters full, and removal by shifting back, so no tombstones pile up.
private struct Shard: @unchecked Sendable {
    // Sendable: the pointers are only used under the shard's lock, after try-retain.
    private var keys: [UInt64] = []
    private var values: [UnsafeMutableRawPointer?] = []
    private(set) var count = 0

    var pointers: some Sequence<UnsafeMutableRawPointer> { values.lazy.compactMap { $0 } }

    private func home(_ key: UInt64) -> Int {
        Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 32) & (keys.count - 1)
    }

    private func slot(of key: UInt64) -> Int? {
        guard count > 0 else { return nil }
        var index = home(key)
        while keys[index] != 0 {
            if keys[index] == key { return index }
            index = (index + 1) & (keys.count - 1)
        }
        return nil
    }

    func find(_ key: UInt64) -> UnsafeMutableRawPointer? { slot(of: key).flatMap { values[$0] } }

    mutating func insert(_ key: UInt64, _ value: UnsafeMutableRawPointer) {
        if (count + 1) * 4 > keys.count * 3 { grow() }
        var index = home(key)
        while keys[index] != 0 { index = (index + 1) & (keys.count - 1) }
        keys[index] = key
        values[index] = value
        count += 1
    }

    mutating func remove(_ key: UInt64) {
        guard var hole = slot(of: key) else { return }
        count -= 1
        var index = hole
        while true {
            index = (index + 1) & (keys.count - 1)
            if keys[index] == 0 { break }
            // An entry may fill the hole unless its home lies after the hole, up to where it stands.
            let distance = (index - home(keys[index])) & (keys.count - 1)
            if distance >= (index - hole) & (keys.count - 1) {
                keys[hole] = keys[index]
                values[hole] = values[index]
                hole = index
            }
        }
        keys[hole] = 0
        values[hole] = nil
    }

    private mutating func grow() {
        let old = (keys, values)
        keys = [UInt64](repeating: 0, count: max(16, old.0.count * 2))
        values = [UnsafeMutableRawPointer?](repeating: nil, count: keys.count)
        count = 0
        for (key, value) in zip(old.0, old.1) where key != 0 { insert(key, value!) }
    }
}
