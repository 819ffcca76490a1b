// SPDX-License-Identifier: MIT

import Foundation

/// What a figure is compared with in the same run: the same work done by others, or a kernel whose work resembles it.
///
/// A kernel returns the nanoseconds of one operation, which are the milliseconds of a million: a figure in nanoseconds is
/// compared with one operation, a figure in milliseconds with a million.
public struct Peer: Sendable {
    /// The name in the line of the ratio, `FIGURE/NAME`.
    public let name: String
    /// Measures once; returns the value in the figure's unit.
    public let measure: @Sendable () -> Double

    /// Makes a peer.
    public init(_ name: String, _ measure: @escaping @Sendable () -> Double) {
        (self.name, self.measure) = (name, measure)
    }

    /// A kernel that reads 128 bytes at random places, as a viewer of a million nodes does.
    public static let reads = kernel("reads") {
        // Other places each time, because the last ones may still be in a cache.
        var random = UInt64.random(in: 1 ... .max)
        let records = records
        return timing {
            var sum: UInt64 = 0
            for _ in 0..<operationCount {
                random = next(random)
                let record = Int(random % UInt64(recordCount)) * wordCount
                for word in 0..<wordCount { sum &+= records[record + word] }
            }
            precondition(sum > 0)
        }
    }

    /// A kernel that sorts numbers: computation with branches, in a nearer cache.
    public static let sort = kernel("sort") {
        var random: UInt64 = 1
        var numbers = (0..<operationCount).map { _ in
            random = next(random)
            return random
        }
        return timing { numbers.sort() }
    }

    /// A kernel that makes objects and releases those that it made a thousand objects before.
    public static let allocations = kernel("allocations") {
        var kept = [Object?](repeating: nil, count: 1_000)
        return timing { for number in 0..<operationCount { kept[number % kept.count] = Object(number) } }
    }

    /// A fifth of a million, so that a kernel takes some 5 to 10 ms.
    private static let operationCount = 200_000

    private static func kernel(_ name: String, _ nanoseconds: @escaping @Sendable () -> UInt64) -> Peer {
        Peer(name) { Double(nanoseconds()) / Double(operationCount) }
    }
}

private final class Object {
    let number: Int

    init(_ number: Int) { self.number = number }
}

/// Returns the number that follows in Marsaglia's xorshift.
private func next(_ random: UInt64) -> UInt64 {
    var random = random
    random ^= random << 13
    random ^= random >> 7
    random ^= random << 17
    return random
}

private let recordCount = 1_000_000
private let wordCount = 16

/// Records of 128 bytes; mapped, so that no figure counts them as memory of the heap.
// Written here alone, before the first read.
nonisolated(unsafe) private let records: UnsafeMutablePointer<UInt64> = {
    let size = recordCount * wordCount * MemoryLayout<UInt64>.size
    let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
    guard let start, start != MAP_FAILED else { fatalError("no memory for \(recordCount) records") }
    let words = start.bindMemory(to: UInt64.self, capacity: recordCount * wordCount)
    for word in 0..<recordCount * wordCount { words[word] = UInt64(word) }
    return words
}()
