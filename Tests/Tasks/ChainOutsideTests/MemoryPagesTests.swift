import ChainSystem
import SeededNumbers
import Testing

@testable import ChainOutside

/// Memory of this process, read as that of another.
struct MemoryPagesTests {
    private static let canRead = ProcessMemory(pid: getpid()).problem(at: UInt64(UInt(bitPattern: environ))) == nil

    /// Pages with words that are their own addresses; the page `hole` cannot be read.
    private final class Memory {
        let start: UInt64
        private let pointer: UnsafeMutableRawPointer
        static let pageCount = 100
        static let hole = 57

        init() throws {
            let size = Self.pageCount * 4096
            pointer = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            try #require(pointer != MAP_FAILED)
            start = UInt64(UInt(bitPattern: pointer))
            for offset in stride(from: 0, to: size, by: 8) {
                pointer.storeBytes(of: start + UInt64(offset), toByteOffset: offset, as: UInt64.self)
            }
            mprotect(pointer + Self.hole * 4096, 4096, PROT_NONE)
        }

        deinit { munmap(pointer, Self.pageCount * 4096) }

        /// Whether a piece lies outside of what can be read.
        func isMissing(_ address: UInt64, _ size: Int) -> Bool {
            let first = Int(address - start) / 4096
            let last = (Int(address - start) + size - 1) / 4096
            return last >= Self.pageCount || (first...last).contains(Self.hole)
        }
    }

    @Test(.enabled(if: MemoryPagesTests.canRead, "This process cannot read its own memory as another's"))
    func piecesAreWhatIsThere() throws {
        let memory = try Memory()
        Seeds.forEach(upTo: 60, of: "pieces") { seed in
            var random = SeededGenerator(seed: seed)
            let words = Int.random(in: 1...40, using: &random)
            // More than are read at once, also across pages and at the missing page.
            let count = seed % 10 == 0 ? ProcessMemory.pieceLimit * 2 + 7 : Int.random(in: 0...50, using: &random)
            let addresses = (0..<count).map { _ in
                let page =
                    Bool.random(using: &random) ? Int.random(in: 0..<Memory.pageCount, using: &random) : Memory.hole
                return memory.start + UInt64(page * 4096 + Int.random(in: 0..<512, using: &random) * 8)
            }
            let found = ProcessMemory(pid: getpid()).pieces(at: addresses, words: words)
            #expect(found.count == addresses.count * words)
            for (index, address) in addresses.enumerated() {
                let piece = Array(found[index * words..<(index + 1) * words])
                let isMissing = memory.isMissing(address, words * 8)
                let expected = (0..<words).map { isMissing ? 0 : address + UInt64($0) * 8 }
                // Behind the pages there may be others.
                if address + UInt64(words) * 8 <= memory.start + UInt64(Memory.pageCount) * 4096 {
                    #expect(piece == expected, "\(seed)")
                }
            }
        }
    }

    @Test(.enabled(if: MemoryPagesTests.canRead, "This process cannot read its own memory as another's"))
    func whatCannotBeReadIsZero() {
        let memory = ProcessMemory(pid: getpid())
        #expect(memory.pieces(at: [0, 8, .max, .max - 7, 4097], words: 2).allSatisfy { $0 == 0 })
        #expect(memory.text(0) == nil && memory.text(.max) == nil)
    }

    @Test(.enabled(if: MemoryPagesTests.canRead, "This process cannot read its own memory as another's"))
    func textsEndAtAZeroOrTheLimit() {
        let text = "the name of a task"
        let size = 3 * 4096
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: size)
        defer { bytes.deallocate() }
        bytes.initialize(repeating: 0x61, count: size)
        // Across the end of a page.
        let offset = 8192 - Int(UInt(bitPattern: bytes) % 4096) - 5
        for (index, byte) in (Array(text.utf8) + [0]).enumerated() { bytes[offset + index] = byte }
        let address = UInt64(UInt(bitPattern: bytes + offset))
        let memory = ProcessMemory(pid: getpid())
        #expect(memory.text(address) == text)
        #expect(memory.text(address, limit: 8) == "the name")
    }
}

// SPDX-License-Identifier: MIT
