import ChainEvents
import ChainSystem
import Foundation
import SeededNumbers
import TerminalHarness
import Testing

@testable import ChainOutside

/// What is read of files and of memory may be cut, or contain anything.
struct ParsingTests {
    private let text = """
        55d0c8a00000-55d0c8a02000 r--p 00000000 08:01 131074                     /opt/a program/shop
        55d0c8a02000-55d0c8a09000 r-xp 00002000 08:01 131074                     /opt/a program/shop
        55d0c9c11000-55d0c9c32000 rw-p 00000000 00:00 0                          [heap]
        7f0000000000-7f0000021000 rw-p 00000000 00:00 0 
        7f1000000000-7f1000001000 rw-s 00000000 00:05 77                         /memfd:x (deleted)
        ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]

        """

    @Test func mapsAreParsed() {
        let map = MemoryMap(parsing: Array(text.utf8))
        #expect(map.regions.count == 6)
        #expect(map.region(0x55d0_c8a0_1fff)?.path == "/opt/a program/shop")
        #expect(map.region(0x55d0_c8a0_2000)?.offset == 0x2000)
        #expect(map.region(0x55d0_c8a0_9000) == nil && map.region(0) == nil && map.region(.max) == nil)
        #expect(map.isExecutable(0x55d0_c8a0_2000) && !map.isWritable(0x55d0_c8a0_2000))
        #expect(map.isWritable(0x55d0_c9c1_1000) && map.region(0x55d0_c9c1_1000)?.isFile == false)
        #expect(map.region(0x7f00_0000_0000)?.path == "")
        #expect(map.region(0x7f10_0000_0000)?.isPrivate == false)
        #expect(map.region(0x7f10_0000_0000)?.path == "/memfd:x (deleted)")
        #expect(map.isExecutable(0xffff_ffff_ff60_0fff))
        #expect(MemoryMap(parsing: []).regions.isEmpty)
    }

    @Test func damagedMapsAreParsedAsFarAsTheyAreMaps() {
        let whole = Array(text.utf8)
        Seeds.forEach(upTo: 300, of: "maps") { seed in
            var random = SeededGenerator(seed: seed)
            var bytes = Array(whole.prefix(Int.random(in: 0...whole.count, using: &random)))
            for _ in 0..<Int.random(in: 0...20, using: &random) where !bytes.isEmpty {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            let map = MemoryMap(parsing: bytes)
            #expect(map.regions.count <= 26)
            for region in map.regions { #expect(region.start < region.end) }
            _ = map.region(random.next())
        }
        for line in [
            "a-b", "2-1 r--p 0 0:0 0", "1-2 r--p 0 0:0", "1-2 r-p 0 0:0 0", "12 r--p 0 0:0 0", "-1 r--p 0 0:0 0",
        ] {
            #expect(MemoryMap(parsing: Array(line.utf8)).regions.isEmpty, "\(line)")
        }
    }

    @Test func blockingCallsAreParsed() throws {
        let futex = try #require(BlockingCall(parsing: "202 0x7f01 0x80 0x2 0x0 0x0 0x0 0x7ffd 0x7f02\n"))
        #expect((futex.first, futex.second, futex.third) == (0x7F01, 0x80, 2))
        #if os(Linux) && arch(x86_64)
            #expect(futex.wait == .futex)
        #endif
        #expect(BlockingCall(parsing: "running\n") == nil && BlockingCall(parsing: "") == nil)
        let page = try #require(BlockingCall(parsing: "-1 0x7ffd 0x7f02\n"))
        #expect(page.first == 0 && page.second == 0 && page.third == 0)
        #if os(Linux)
            #expect(page.wait == .page)
        #endif
        #expect(BlockingCall(parsing: "202 0x") != nil && BlockingCall(parsing: "999999999999999999999") == nil)
    }

    // MARK: Files

    @Test func symbolsAreRead() throws {
        let file = try #require(Self.elfFile(Self.program))
        #expect(file.hasSymbols && !file.segments.isEmpty)
        let table = try #require(file.symbols(isDynamic: false))
        let main = try #require(table.addresses(withPrefix: "main")[""])
        #expect(table.symbol(at: main)?.name == "main")
        #expect(table.symbol(at: 0) == nil && table.threadLocal("main") == nil)
    }

    /// By its id, without being read again.
    @Test func symbolsOfABuildAreReadOnce() throws {
        let cache = SymbolCache(limit: 256 << 20)
        let file = try #require(Self.elfFile(Self.program))
        let table = try #require(cache.table(of: file, isDynamic: false))
        let main = try #require(table.addresses(withPrefix: "main")[""])
        // A copy whose names of symbols are not those of the first.
        try #require(!file.buildID.isEmpty)
        var other = Data(Self.program)
        while let name = other.range(of: Data("\0main\0".utf8)) { other[name.lowerBound + 1] = 0x6E }
        let copy = try #require(Self.elfFile(Array(other)))
        #expect(copy.symbols(isDynamic: false)?.symbol(at: main)?.name == "nain")
        #expect(cache.table(of: copy, isDynamic: false)?.symbol(at: main)?.name == "main")
        // One of another size may be stripped.
        let longer = try #require(Self.elfFile(Array(other) + [0]))
        #expect(cache.table(of: longer, isDynamic: false)?.symbol(at: main)?.name == "nain")
        // Past the limit those used longest ago are forgotten.
        let small = SymbolCache(limit: table.byteCount + table.byteCount / 2)
        for file in [file, longer, copy] { _ = small.table(of: file, isDynamic: false) }
        #expect(small.table(of: file, isDynamic: false)?.symbol(at: main)?.name == "nain")
    }

    @Test func cutAndDamagedFilesDoNoHarm() {
        let whole = Self.program
        var tableCount = 0
        Seeds.forEach(upTo: 120, of: "files") { seed in
            var random = SeededGenerator(seed: seed)
            var bytes = whole
            if seed % 3 == 0 { bytes = Array(bytes.prefix(Int.random(in: 0...whole.count, using: &random))) }
            // Most of what is parsed stands at the beginning, and at the end.
            for _ in 0..<(seed % 2 == 0 ? 40 : 0) where bytes.count > 8_192 {
                let part = Bool.random(using: &random) ? 0..<64 : bytes.count - 8_192..<bytes.count
                bytes[Int.random(in: part, using: &random)] = .random(in: 0...255, using: &random)
            }
            tableCount += Self.readAll(bytes, &random)
        }
        #expect(tableCount > 0)
        var random = SeededGenerator(seed: 1)
        for count in [0, 1, 63, 64, 65, 4_096] {
            var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            _ = Self.readAll(bytes, &random)
            // The mark of the format, and nonsense.
            let mark: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, 2, 1]
            bytes.replaceSubrange(..<min(6, count), with: mark.prefix(count))
            _ = Self.readAll(bytes, &random)
        }
    }

    private static let program =
        FileManager.default.contents(atPath: builtProduct("OutsideProbe")).map { Array($0) } ?? []

    private static func elfFile(_ bytes: [UInt8]) -> ElfFile? {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("chainview-\(UUID())").path
        guard FileManager.default.createFile(atPath: path, contents: Data(bytes)) else { return nil }
        defer { unlink(path) }
        return ElfFile(owning: open(path, O_RDONLY | O_CLOEXEC))
    }

    /// Calls all that reads a file, and returns how many tables of symbols it has.
    private static func readAll(_ bytes: [UInt8], _ random: inout SeededGenerator) -> Int {
        guard let file = elfFile(bytes) else { return 0 }
        var count = 0
        for isDynamic in [false, true] {
            guard let table = file.symbols(isDynamic: isDynamic) else { continue }
            count += 1
            for _ in 0..<20 { _ = table.symbol(at: .random(in: 0...0x40_0000, using: &random)) }
            _ = table.addresses(withPrefix: "_swift_concurrency_debug_")
            _ = table.threadLocal("value")
        }
        return count
    }
}

// SPDX-License-Identifier: MIT
