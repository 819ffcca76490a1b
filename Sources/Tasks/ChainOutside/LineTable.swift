// SPDX-License-Identifier: MIT

/// The source lines of the functions of a file: its section `.debug_line`, in the versions 2 to 5 of the DWARF format.
/// All offsets come from the file, which may be damaged or hostile, and are checked.
///
/// The whole section is run through once, which takes some 10 ms a megabyte.
final class LineTable {
    /// A place in the source.
    struct Place: Hashable, Sendable {
        /// The name of the file, with the folder that it is in, if that is known: `Shop/Orders.swift`.
        var file: String
        /// From 1.
        var line: UInt32
    }

    /// Consecutive addresses, and where the program has their lines.
    private struct Sequence {
        let start: UInt64
        let end: UInt64
        let unit: Int32
        let offset: Int32
    }

    /// The most sequences that are kept; those of further functions have no lines.
    private static let sequenceLimit = 1_000_000
    /// The most bytes of a program that are run through to find a line.
    private static let searchLimit = 4 << 20

    /// A row: from its address on, up to that of the next row, code comes from a line.
    private struct Row {
        var address: UInt64 = 0
        var file: UInt64 = 1
        var line: UInt32 = 1
        var isEnd = false
    }

    private let bytes: [UInt8]
    /// The section that names of files are in, from version 5 on: `.debug_line_str`.
    private let lineStrings: [UInt8]
    private var units: [LineUnit] = []
    /// In the order of addresses.
    private var sequences: [Sequence] = []

    init(_ bytes: [UInt8], lineStrings: [UInt8] = []) {
        (self.bytes, self.lineStrings) = (bytes, lineStrings)
        var next = 0
        while next < bytes.count {
            var cursor = ByteCursor(bytes, at: next)
            guard let unit = LineUnit(&cursor), unit.end > next else { break }
            next = unit.end
            guard unit.hasProgram else { continue }
            let index = Int32(units.count)
            units.append(unit)
            var start: UInt64?
            var offset = unit.program
            run(unit, from: unit.program) { row, next in
                if row.isEnd {
                    // Functions that the linker has removed begin at 0, or near the end of all addresses.
                    if let start, start > 0, start < row.address, row.address < 1 << 62,
                        sequences.count < Self.sequenceLimit
                    {
                        let place = Int32(truncatingIfNeeded: offset)
                        sequences.append(Sequence(start: start, end: row.address, unit: index, offset: place))
                    }
                    start = nil
                    offset = next
                } else if start == nil {
                    start = row.address
                }
                return true
            }
        }
        sequences.sort { $0.start < $1.start }
    }

    /// Returns the line of the code at an address of the file. The code at the beginning of a function may come from no
    /// line; if `end` is given, the first line up to there is returned then.
    func place(of address: UInt64, before end: UInt64? = nil) -> Place? {
        let index = sequences.count(before: { $0.start <= address }) - 1
        guard index >= 0, sequences[index].end > address else { return nil }
        let sequence = sequences[index]
        let unit = units[Int(sequence.unit)]
        var last: Row?
        var found: Row?
        run(unit, from: Int(sequence.offset)) { row, next in
            if let last, row.address > address, last.line != 0, last.address <= address || last.address < (end ?? 0) {
                found = last
                return false
            }
            last = row
            return !row.isEnd && row.address < max(end ?? 0, address &+ 1)
                && next - Int(sequence.offset) < Self.searchLimit
        }
        guard let found, let file = fileName(found.file, in: unit) else { return nil }
        return Place(file: file, line: found.line)
    }

    // MARK: Programs

    /// Runs the program of a unit from the beginning of a sequence, and calls `body` with each row, and the offset behind
    /// it, until that returns false.
    private func run(_ unit: LineUnit, from offset: Int, _ body: (Row, Int) -> Bool) {
        var cursor = ByteCursor(bytes, at: offset)
        var row = Row()
        func advance(_ operation: UInt64) { row.address &+= operation &* unit.minimumLength }
        while cursor.offset < unit.end, let code = cursor.byte() {
            if code >= unit.opcodeBase {
                let adjusted = UInt64(code - unit.opcodeBase)
                advance(adjusted / unit.lineRange)
                row.line = row.line &+ UInt32(truncatingIfNeeded: unit.lineBase + Int64(adjusted % unit.lineRange))
                guard body(row, cursor.offset) else { return }
                continue
            }
            switch code {
            case 0:
                guard let length = cursor.number(), length > 0, let extended = cursor.byte() else { return }
                let end = cursor.offset &+ Int(clamping: length - 1)
                switch extended {
                case 1:
                    row.isEnd = true
                    guard body(row, cursor.offset) else { return }
                    row = Row()
                case 2: row.address = cursor.word(size: length - 1) ?? 0
                default: break
                }
                guard cursor.move(to: end) else { return }
            case 1: guard body(row, cursor.offset) else { return }
            case 2: advance(cursor.number() ?? 0)
            case 3: row.line = row.line &+ UInt32(truncatingIfNeeded: cursor.signedNumber() ?? 0)
            case 4: row.file = cursor.number() ?? 0
            case 8: advance(UInt64(255 - unit.opcodeBase) / unit.lineRange)
            case 9: row.address &+= cursor.word(size: 2) ?? 0
            default:
                for _ in 0..<(unit.argumentCounts.indices.contains(Int(code)) ? unit.argumentCounts[Int(code)] : 0) {
                    _ = cursor.number()
                }
            }
        }
    }

    // MARK: Names of files

    /// Returns the name of a file with its folder, `Shop/Orders.swift`.
    private func fileName(_ number: UInt64, in unit: LineUnit) -> String? {
        let table = LineFiles(bytes: bytes, lineStrings: lineStrings, unit: unit)
        // Before version 5 files and folders are counted from 1.
        let first: UInt64 = unit.version < 5 ? 1 : 0
        guard number >= first, let file = table.file(number - first), !file.name.isEmpty else { return nil }
        var path = file.name
        if !path.hasPrefix("/"), file.folder >= first, let folder = table.folder(file.folder - first) {
            path = folder + "/" + path
        }
        return path.split(separator: "/").suffix(2).joined(separator: "/")
    }
}

/// The header of one unit of a ``LineTable``.
struct LineUnit {
    let version: UInt64
    /// The offset of the tables of folders and files.
    let files: Int
    /// The offsets of the program, and of its end.
    let program: Int
    let end: Int
    let minimumLength: UInt64
    let lineBase: Int64
    let lineRange: UInt64
    let opcodeBase: UInt8
    /// The number of arguments of each code below `opcodeBase`; none for the first.
    let argumentCounts: [UInt8]
    /// The size of offsets: 4 or 8.
    let offsetSize: UInt64

    /// Whether it is of a version that is known, so that there are lines.
    let hasProgram: Bool

    /// Reads a header. Nil at the end of the section, and where the length of the unit is damaged.
    init?(_ cursor: inout ByteCursor) {
        guard var length = cursor.word(size: 4) else { return nil }
        var offsetSize: UInt64 = 4
        if length == 0xFFFF_FFFF {
            guard let long = cursor.word(size: 8) else { return nil }
            (length, offsetSize) = (long, 8)
        }
        let end = cursor.offset.addingReportingOverflow(Int(clamping: length))
        guard !end.overflow, end.partialValue <= cursor.count else { return nil }
        self.end = end.partialValue
        self.offsetSize = offsetSize
        version = cursor.word(size: 2) ?? 0
        if version >= 5 { _ = cursor.word(size: 2) }
        let rest = Int(clamping: cursor.word(size: offsetSize) ?? 0)
        let program = cursor.offset.addingReportingOverflow(rest)
        minimumLength = cursor.word(size: 1) ?? 1
        if version >= 4 { _ = cursor.byte() }
        _ = cursor.byte()
        lineBase = Int64(Int8(bitPattern: cursor.byte() ?? 0))
        let range = cursor.word(size: 1) ?? 0
        lineRange = max(1, range)
        opcodeBase = cursor.byte() ?? 0
        var counts: [UInt8] = [0]
        for _ in 1..<max(1, opcodeBase) { counts.append(cursor.byte() ?? 0) }
        argumentCounts = counts
        files = cursor.offset
        self.program = program.partialValue
        hasProgram =
            (2...5).contains(version) && range > 0 && opcodeBase > 0 && !program.overflow
            && program.partialValue >= files && program.partialValue <= self.end
    }
}

/// The folders and files of one unit of a ``LineTable``. Only what is asked for is decoded.
private struct LineFiles {
    let bytes: [UInt8]
    let lineStrings: [UInt8]
    let unit: LineUnit

    private static let limit = 100_000

    /// Returns a folder, counted from 0.
    func folder(_ index: UInt64) -> String? {
        var cursor = ByteCursor(bytes, at: unit.files)
        guard unit.version < 5 else { return entry(index, &cursor)?.name }
        for number in 0..<UInt64(Self.limit) {
            guard cursor.offset < unit.program, let length = cursor.skipText(), length > 0 else { return nil }
            if number == index { return cursor.textBehind(length) }
        }
        return nil
    }

    /// Returns a file, counted from 0.
    func file(_ index: UInt64) -> (name: String, folder: UInt64)? {
        var cursor = ByteCursor(bytes, at: unit.files)
        guard unit.version < 5 else {
            // Behind the folders.
            _ = entry(nil, &cursor)
            return entry(index, &cursor)
        }
        for _ in 0..<Self.limit {
            guard cursor.offset < unit.program, let length = cursor.skipText() else { return nil }
            if length == 0 { break }
        }
        for number in 0..<UInt64(Self.limit) {
            guard cursor.offset < unit.program, let length = cursor.skipText(), length > 0 else { return nil }
            let name = number == index ? cursor.textBehind(length) : nil
            let folder = cursor.number() ?? 0
            if number == index { return (name ?? "", folder) }
            _ = cursor.number()
            _ = cursor.number()
        }
        return nil
    }

    /// Reads a table of version 5, how each entry is written and then the entries, up to an entry or to its end.
    private func entry(_ index: UInt64?, _ cursor: inout ByteCursor) -> (name: String, folder: UInt64)? {
        var fields: [(content: UInt64, form: UInt64)] = []
        for _ in 0..<(cursor.byte() ?? 0) { fields.append((cursor.number() ?? 0, cursor.number() ?? 0)) }
        let count = min(UInt64(Self.limit), cursor.number() ?? 0)
        for number in 0..<count where cursor.offset < unit.program {
            var entry = (name: "", folder: UInt64(0))
            for (content, form) in fields {
                guard let value = value(form, &cursor, isWanted: number == index) else { return nil }
                if content == 1 { entry.name = value.text } else if content == 2 { entry.folder = value.number }
            }
            if number == index { return entry }
        }
        return nil
    }

    private func value(
        _ form: UInt64, _ cursor: inout ByteCursor, isWanted: Bool
    ) -> (text: String, number: UInt64)? {
        let number: UInt64?
        switch form {
        case 0x08:
            guard let length = cursor.skipText() else { return nil }
            return (isWanted ? cursor.textBehind(length) : "", 0)
        case 0x1F, 0x0E:
            guard let offset = cursor.word(size: unit.offsetSize) else { return nil }
            guard isWanted, form == 0x1F else { return ("", 0) }
            var name = ByteCursor(lineStrings, at: Int(clamping: offset))
            guard let length = name.skipText() else { return ("", 0) }
            return (name.textBehind(length), 0)
        case 0x0B: number = cursor.word(size: 1)
        case 0x05: number = cursor.word(size: 2)
        case 0x06: number = cursor.word(size: 4)
        case 0x07: number = cursor.word(size: 8)
        case 0x0F: number = cursor.number()
        case 0x1E: number = cursor.move(to: cursor.offset &+ 16) ? 0 : nil
        default: number = nil
        }
        return number.map { ("", $0) }
    }
}

/// Reads little-endian numbers and texts one after the other; nil at the end of the bytes.
struct ByteCursor {
    private let bytes: [UInt8]
    private(set) var offset: Int

    init(_ bytes: [UInt8], at offset: Int) { (self.bytes, self.offset) = (bytes, max(0, offset)) }

    var count: Int { bytes.count }

    mutating func byte() -> UInt8? {
        guard offset < bytes.count else { return nil }
        defer { offset += 1 }
        return bytes[offset]
    }

    /// Returns a number of 1 to 8 bytes; nil for other sizes.
    mutating func word(size: UInt64) -> UInt64? {
        guard (1...8).contains(size), Int(size) <= bytes.count - offset else { return nil }
        var word: UInt64 = 0
        for index in 0..<Int(size) { word |= UInt64(bytes[offset + index]) << (8 * UInt64(index)) }
        offset += Int(size)
        return word
    }

    /// Returns a number in the encoding LEB128, of which the lower 64 bits count.
    mutating func number() -> UInt64? { groups()?.number }

    mutating func signedNumber() -> Int64? {
        guard let (number, width) = groups() else { return nil }
        // The highest bit that was written is the sign.
        let isNegative = width < 64 && number >> (width - 1) & 1 != 0
        return Int64(bitPattern: isNegative ? number | .max << width : number)
    }

    /// Returns a number that is written in groups of seven bits, and the width of all groups.
    private mutating func groups() -> (number: UInt64, width: UInt64)? {
        var number: UInt64 = 0
        var width: UInt64 = 0
        while let byte = byte() {
            if width < 64 { number |= UInt64(byte & 0x7F) << width }
            width += 7
            if byte & 0x80 == 0 { return (number, width) }
        }
        return nil
    }

    /// The most bytes of a text.
    private static let textLimit = 4_096

    /// Moves behind a text that ends at a NUL, and returns its length without that; nil if it is longer than any path.
    mutating func skipText() -> Int? {
        guard offset < bytes.count else { return nil }
        let part = bytes[offset..<min(bytes.count, offset + Self.textLimit)]
        guard let end = part.firstIndex(of: 0) else { return nil }
        defer { offset = end + 1 }
        return end - offset
    }

    /// Returns the text that ``skipText()`` has just skipped.
    func textBehind(_ length: Int) -> String {
        String(decoding: bytes[offset - 1 - length..<offset - 1], as: UTF8.self)
    }

    /// Moves to an offset; returns false if it lies outside of the bytes.
    mutating func move(to next: Int) -> Bool {
        guard next >= 0, next <= bytes.count else { return false }
        offset = next
        return true
    }
}
