import SeededNumbers
import Testing

@testable import ChainOutside

/// The lines of addresses, from sections that are built by hand.
struct LineTableTests {
    /// Bytes of a section.
    private struct Section {
        var bytes: [UInt8] = []

        mutating func number<Number: FixedWidthInteger>(_ number: Number) {
            withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
        }

        mutating func text(_ text: String) { bytes += Array(text.utf8) + [0] }
    }

    /// A program that says: 0x1000 line 0, 0x1004 line 7 of file 1, 0x1010 line 9 of file 2, the end at 0x1020.
    private static let program: [UInt8] = {
        var section = Section()
        section.bytes += [0, 9, 2]
        section.number(UInt64(0x1000))
        section.bytes += [3, 0x7F, 1]  // a line less: 0
        section.bytes += [2, 4, 3, 7, 1]
        section.bytes += [4, 2, 2, 12, 3, 2, 1]
        section.bytes += [2, 16, 0, 1, 1]
        // Functions that the linker has removed begin at 0.
        section.bytes += [0, 9, 2]
        section.number(UInt64(0))
        section.bytes += [1, 2, 0x80, 0x40, 0, 1, 1]
        return section.bytes
    }()

    private static func unit(_ version: UInt16, _ files: [UInt8], program: [UInt8] = program) -> [UInt8] {
        var header = Section()
        header.bytes.append(1)
        if version >= 4 { header.bytes.append(1) }
        header.bytes += [1, UInt8(bitPattern: -5), 14, 13]
        header.bytes += [0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1]
        header.bytes += files
        var unit = Section()
        unit.number(version)
        if version >= 5 { unit.bytes += [8, 0] }
        unit.number(UInt32(header.bytes.count))
        unit.bytes += header.bytes + program
        var whole = Section()
        whole.number(UInt32(unit.bytes.count))
        return whole.bytes + unit.bytes
    }

    /// Files 1 and 2 in the folders /work/Sources/Shop and /work/Sources/Till.
    private static func version4(program: [UInt8] = program) -> [UInt8] {
        var files = Section()
        for folder in ["/work/Sources/Shop", "/work/Sources/Till"] { files.text(folder) }
        files.text("")
        for (folder, name) in [(1, "Orders.swift"), (2, "Charge.swift")] as [(UInt8, String)] {
            files.text(name)
            files.bytes += [folder, 0, 0]
        }
        files.text("")
        return unit(4, files.bytes, program: program)
    }

    /// Where names of version 5 are.
    private static let names: [UInt8] = {
        var names = Section()
        for name in ["/work/Sources/Shop", "/work/Sources/Till", "Orders.swift", "Charge.swift"] { names.text(name) }
        return names.bytes
    }()

    private static let version5: [UInt8] = {
        var files = Section()
        // Folders: a path in .debug_line_str.
        files.bytes += [1, 1, 0x1F, 2]
        for offset in [0, 19] as [UInt32] { files.number(offset) }
        // Files: a path, a folder and a checksum.
        files.bytes += [3, 1, 0x1F, 2, 0x0B, 5, 0x1E, 3]
        for (offset, folder) in [(38, 0), (38, 0), (51, 1)] as [(UInt32, UInt8)] {
            files.number(offset)
            files.bytes.append(folder)
            files.bytes += [UInt8](repeating: 0xAA, count: 16)
        }
        return unit(5, files.bytes)
    }()

    @Test(arguments: [4, 5]) func addressesHaveLines(version: Int) {
        let table = LineTable(version == 4 ? Self.version4() : Self.version5, lineStrings: Self.names)
        #expect(table.place(of: 0x1004) == .init(file: "Shop/Orders.swift", line: 7))
        #expect(table.place(of: 0x100F) == .init(file: "Shop/Orders.swift", line: 7))
        #expect(table.place(of: 0x1010) == .init(file: "Till/Charge.swift", line: 9))
        #expect(table.place(of: 0x101F) == .init(file: "Till/Charge.swift", line: 9))
        for address in [0, 1, 0xFFF, 0x1020, .max] as [UInt64] { #expect(table.place(of: address) == nil) }
    }

    /// The code at the beginning of a function may be the compiler's own.
    @Test func aFunctionBeginsAtItsFirstLine() {
        let table = LineTable(Self.version4())
        #expect(table.place(of: 0x1000) == nil)
        #expect(table.place(of: 0x1000, before: 0x1004) == nil)
        #expect(table.place(of: 0x1000, before: 0x1010) == .init(file: "Shop/Orders.swift", line: 7))
        #expect(table.place(of: 0x1010, before: 0x1020) == .init(file: "Till/Charge.swift", line: 9))
    }

    @Test func unitsOfUnknownVersionsAreLeftOut() {
        var other = Self.version4()
        other[4] = 77
        let table = LineTable(other + Self.version4())
        #expect(table.place(of: 0x1004) == .init(file: "Shop/Orders.swift", line: 7))
    }

    @Test func damagedSectionsDoNoHarm() {
        let whole = Self.version4() + Self.version5
        var foundCount = 0
        Seeds.forEach(upTo: 2_000, of: "sections") { seed in
            var random = SeededGenerator(seed: seed)
            var bytes = whole
            if seed % 4 == 0 { bytes = Array(bytes.prefix(.random(in: 0...whole.count, using: &random))) }
            for _ in 0..<Int.random(in: 0...6, using: &random) where !bytes.isEmpty {
                bytes[.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            let table = LineTable(bytes, lineStrings: Array(Self.names.prefix(.random(in: 0...60, using: &random))))
            for address in [0x1000, 0x1004, 0x1010, random.next()] as [UInt64] {
                if table.place(of: address, before: address &+ 64) != nil { foundCount += 1 }
            }
        }
        #expect(foundCount > 0)
    }

    /// Otherwise a table of many long names would take all memory.
    @Test func longNamesAreNotRead() {
        let long = [UInt8](repeating: 0x61, count: 5_000) + [0]
        let table = LineTable(Self.version5, lineStrings: long + Self.names)
        #expect(table.place(of: 0x1004) == nil)
    }

    @Test func numbersAreRead() {
        var cursor = ByteCursor([0xE5, 0x8E, 0x26, 0x7F, 0x80, 0x7F, 0x80, 0x80], at: 0)
        #expect(cursor.number() == 624_485)
        #expect(cursor.signedNumber() == -1)
        #expect(cursor.signedNumber() == -128)
        #expect(cursor.number() == nil && cursor.byte() == nil && cursor.word(size: 1) == nil)
        cursor = ByteCursor([1, 2, 3, 4], at: 1)
        #expect(cursor.word(size: 3) == 0x04_0302 && cursor.word(size: 9) == nil && cursor.skipText() == nil)
    }
}

// SPDX-License-Identifier: MIT
