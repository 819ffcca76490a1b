// SPDX-License-Identifier: MIT

/// Finds the futures of SwiftNIO in the memory that a pass reads: objects that begin with the metadata of
/// `EventLoopFuture`, and that metadata itself, which the runtime makes for each type of value.
struct FutureSearch {
    /// The descriptor of the class in each copy of SwiftNIO.
    let descriptors: [UInt64]
    /// The metadata that earlier passes found.
    let metadata: Set<UInt64>
    /// What this pass has found: places whose sixth word is a descriptor, and objects.
    private(set) var foundMetadata: Set<UInt64> = []
    private(set) var objects: [UInt64] = []
    /// Most words are neither a descriptor nor metadata, which some of their bits tell.
    private var mayBe = [Bool](repeating: false, count: FutureSearch.filterSize)

    private static let filterSize = 4_096
    /// What looks like more is not looked at.
    private static let metadataLimit = 2_000, objectLimit = 100_000

    init(descriptors: [UInt64], metadata: Set<UInt64>) {
        (self.descriptors, self.metadata) = (descriptors, metadata)
        for address in descriptors + metadata { mayBe[Self.filter(address)] = true }
    }

    private static func filter(_ word: UInt64) -> Int { Int(truncatingIfNeeded: word >> 4) & (filterSize - 1) }

    /// Looks at words that begin at an address.
    mutating func search(_ words: UnsafeBufferPointer<UInt64>, at start: UInt64) {
        var hits: [Int] = []
        mayBe.withUnsafeBufferPointer { mayBe in
            for index in words.indices where mayBe[Self.filter(words[index])] { hits.append(index) }
        }
        for index in hits {
            let address = start &+ UInt64(index) &* 8
            if descriptors.contains(words[index]) {
                if foundMetadata.count < Self.metadataLimit { foundMetadata.insert(address &- FutureReader.descriptor) }
            } else if address & 15 == 0, metadata.contains(words[index]), objects.count < Self.objectLimit {
                objects.append(address)
            }
        }
    }
}
