import SeededNumbers
import Testing

@testable import ChainRows

@Suite struct PagedArrayTests {
    /// Compares with an array after random writes. Copies keep their elements.
    @Test(arguments: 1...6) func pagesAreAValue(_ seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var pages = PagedArray<UInt32>()
        var mirror = [UInt32](repeating: 0, count: 12_000)
        var kept: [(PagedArray<UInt32>, [UInt32])] = []
        for step in 0..<4_000 {
            let index = Int.random(in: 0..<12_000, using: &random)
            switch step % 400 {
            case 200: kept.append((pages, mirror))
            case 300 where seed == 3:
                pages.removeAll()
                mirror = mirror.map { _ in 0 }
            default:
                pages[UInt32(index)] += UInt32(step)
                mirror[index] += UInt32(step)
            }
        }
        for (pages, mirror) in kept + [(pages, mirror)] {
            #expect((0..<12_000).map { pages[UInt32($0)] } == mirror)
            #expect(pages[4_000_000] == 0)
        }
    }
}

// SPDX-License-Identifier: MIT
