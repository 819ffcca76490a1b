// SPDX-License-Identifier: MIT

import CChainOutside
import ChainSystem

/// A program or library file in the 64-bit ELF format, little-endian. All offsets come from the file, which may be
/// damaged or hostile, and are checked.
final class ElfFile {
    /// A function or variable of a symbol table.
    struct Symbol {
        /// As in the file; in memory, the image's bias is added.
        let address: UInt64
        let size: UInt32
        /// The offset of the name in ``names``.
        let name: UInt32
    }

    private struct Section {
        /// The offset of the name in the section with the names of the sections.
        let name: UInt32
        let type: UInt32
        let flags: UInt64
        let offset: UInt64
        let size: UInt64
        let link: Int
    }

    /// What files of the same build with the same symbols have in common.
    struct Build: Hashable {
        let id: String
        let size: UInt64
        /// The user that the file belongs to.
        let owner: UInt32
    }

    private let descriptor: Int32
    private let size: UInt64
    private let owner: UInt32
    private let sections: [Section]
    /// The index of the section with the names of the sections.
    private let nameSection: Int
    /// The addresses and file offsets of the loaded parts.
    let segments: [(address: UInt64, offset: UInt64, size: UInt64)]
    /// The file's id in hexadecimal digits; empty if it has none.
    private(set) var buildID = ""

    private static let symbolTable: UInt32 = 2, noteTable: UInt32 = 7, dynamicSymbolTable: UInt32 = 11
    /// The flag of a section that is compressed.
    private static let compressed: UInt64 = 1 << 11
    /// The most bytes of one table, so that a hostile file does not take the memory of the viewer.
    private static let tableLimit: UInt64 = 1 << 30
    /// The most bytes of the table of lines: reading more takes seconds.
    private static let lineLimit: UInt64 = 64 << 20

    /// Reads the headers of an open file, and takes ownership of the descriptor. Nil if the file is not one of this
    /// format.
    init?(owning descriptor: Int32) {
        guard let facts = FileFacts(of: descriptor), facts.isFile, facts.size >= 64,
            let header = Self.read(descriptor, at: 0, 64), header.word32(0) == 0x464C_457F, header.byte(4) == 2,
            header.byte(5) == 1, let programHeaders = header.word64(32), let sectionHeaders = header.word64(40),
            let programHeaderCount = header.word16(56), let sectionCount = header.word16(60),
            let nameSection = header.word16(62)
        else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        size = UInt64(facts.size)
        owner = facts.owner
        let programs = Self.read(descriptor, at: programHeaders, Int(programHeaderCount) * 56) ?? []
        segments = (0..<programs.count / 56).compactMap { index in
            let base = index * 56
            guard programs.word32(base) == 1, let offset = programs.word64(base + 8),
                let address = programs.word64(base + 16), let size = programs.word64(base + 40)
            else { return nil }
            return (address, offset, size)
        }
        self.nameSection = Int(nameSection)
        let table = sectionHeaders == 0 ? [] : Self.read(descriptor, at: sectionHeaders, Int(sectionCount) * 64) ?? []
        sections = (0..<table.count / 64).map { index in
            let base = index * 64
            return Section(
                name: table.word32(base) ?? 0, type: table.word32(base + 4) ?? 0, flags: table.word64(base + 8) ?? 0,
                offset: table.word64(base + 24) ?? 0,
                size: table.word64(base + 32) ?? 0, link: Int(table.word32(base + 40) ?? 0))
        }
        buildID = readBuildID()
    }

    deinit { close(descriptor) }

    /// Whether the file has the names of its own functions, which stripped files do not have.
    var hasSymbols: Bool { sections.contains { $0.type == Self.symbolTable && $0.size > 0 } }

    /// Nil for a file without an id.
    var build: Build? { buildID.isEmpty ? nil : Build(id: buildID, size: size, owner: owner) }

    /// Whether another file is of the same build.
    func isBuild(of other: ElfFile) -> Bool {
        guard buildID.isEmpty, other.buildID.isEmpty else { return buildID == other.buildID }
        return segments.elementsEqual(other.segments) { $0 == $1 }
    }

    /// Whether Swift code is in the file: it then has the sections `swift5_types` and others, also if it was stripped.
    var hasSwift: Bool { sectionNames?.split(separator: 0).contains { $0.starts(with: "swift5_".utf8) } ?? false }

    /// The names of the sections, each ended by a NUL.
    private var sectionNames: [UInt8]? {
        guard sections.indices.contains(nameSection), sections[nameSection].size <= 1 << 20 else { return nil }
        return read(sections[nameSection])
    }

    /// Returns the source lines of the file's code; nil if it has no debug information, or one that is compressed or too
    /// large.
    func lines() -> LineTable? {
        guard let names = sectionNames else { return nil }
        func section(_ name: String) -> [UInt8]? {
            let wanted = Array(name.utf8) + [0]
            let found = sections.first { section in
                let start = Int(section.name)
                return start <= names.count && names[start...].starts(with: wanted)
            }
            guard let found, found.flags & Self.compressed == 0, found.size <= Self.lineLimit else { return nil }
            return read(found)
        }
        guard let bytes = section(".debug_line"), !bytes.isEmpty else { return nil }
        // Names of files are in `.debug_line_str`; a file without that has them in the table itself.
        return LineTable(bytes, lineStrings: section(".debug_line_str") ?? [])
    }

    /// Returns the symbol table, or the dynamic one; nil if the file has none.
    func symbols(isDynamic: Bool) -> SymbolTable? {
        let type = isDynamic ? Self.dynamicSymbolTable : Self.symbolTable
        guard let section = sections.first(where: { $0.type == type }), sections.indices.contains(section.link),
            let bytes = read(section), let names = read(sections[section.link])
        else { return nil }
        return SymbolTable(bytes, names)
    }

    /// Returns the id in a note of the name `GNU` and the type 3.
    private func readBuildID() -> String {
        for section in sections where section.type == Self.noteTable && section.size <= 4096 {
            guard let note = read(section), note.count >= 16, note.word32(0) == 4, note.word32(8) == 3,
                let length = note.word32(4), Array(note[12..<16]) == [0x47, 0x4E, 0x55, 0],
                note.count >= 16 + Int(length)
            else { continue }
            return note[16..<16 + Int(length)].map { byte in
                let digits = String(byte, radix: 16)
                return digits.count == 1 ? "0" + digits : digits
            }.joined()
        }
        return ""
    }

    private func read(_ section: Section) -> [UInt8]? {
        guard section.size <= Self.tableLimit, section.offset <= size, section.size <= size - section.offset else {
            return nil
        }
        return Self.read(descriptor, at: section.offset, Int(section.size))
    }

    private static func read(_ descriptor: Int32, at offset: UInt64, _ count: Int) -> [UInt8]? {
        guard let start = off_t(exactly: offset) else { return nil }
        var done = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while done < count {
                let part = pread(descriptor, buffer.baseAddress! + done, count - done, start + off_t(done))
                if part < 0 && errno == EINTR { continue }
                guard part > 0 else { break }
                done += part
            }
            filled = done
        }
        return done == count ? bytes : nil
    }
}

/// The symbols of a file, in the order of addresses.
struct SymbolTable {
    private let symbols: [ElfFile.Symbol]
    /// Thread-local variables, whose addresses are offsets in those of the file.
    private let threadLocals: [ElfFile.Symbol]
    private let names: [UInt8]

    /// Parses a table and its names; entries that are not functions or variables of the file are left out.
    fileprivate init(_ bytes: [UInt8], _ names: [UInt8]) {
        self.names = names
        var symbols: [ElfFile.Symbol] = []
        var threadLocals: [ElfFile.Symbol] = []
        symbols.reserveCapacity(bytes.count / 24)
        bytes.withUnsafeBytes { raw in
            for base in stride(from: 0, to: raw.count / 24 * 24, by: 24) {
                let kind = raw[base + 4] & 15
                let section = raw.loadUnaligned(fromByteOffset: base + 6, as: UInt16.self)
                let address = raw.loadUnaligned(fromByteOffset: base + 8, as: UInt64.self)
                // No type, variable, function; thread-local variable.
                guard kind <= 2 && address != 0 || kind == 6, section != 0 else { continue }
                let size = raw.loadUnaligned(fromByteOffset: base + 16, as: UInt64.self)
                let name = raw.loadUnaligned(fromByteOffset: base, as: UInt32.self)
                let symbol = ElfFile.Symbol(address: address, size: UInt32(clamping: size), name: name)
                if kind == 6 { threadLocals.append(symbol) } else { symbols.append(symbol) }
            }
        }
        self.threadLocals = threadLocals
        self.symbols = symbols.sorted { $0.address < $1.address }
    }

    /// The memory that the table takes.
    var byteCount: Int { (symbols.count + threadLocals.count) * MemoryLayout<ElfFile.Symbol>.stride + names.count }

    /// Returns the symbol that contains an address, and where it begins and ends.
    func symbol(at address: UInt64) -> (name: String, range: Range<UInt64>)? {
        let upper = symbols.count(before: { $0.address <= address })
        // Several names may begin at the address; the last ones may be empty labels.
        for symbol in symbols[..<upper].reversed().prefix(8) {
            guard address - symbol.address < max(1, UInt64(symbol.size)) else { continue }
            guard let name = name(of: symbol), !name.isEmpty else { continue }
            let end = symbol.address.addingReportingOverflow(UInt64(symbol.size))
            return (name, symbol.address..<(end.overflow ? .max : end.partialValue))
        }
        return nil
    }

    /// Returns the addresses of the symbols with the given prefix, by the rest of their names.
    func addresses(withPrefix prefix: String) -> [String: UInt64] {
        let wanted = Array(prefix.utf8)
        var found: [String: UInt64] = [:]
        for symbol in symbols {
            let start = Int(symbol.name)
            guard start + wanted.count < names.count, names[start] == wanted[0],
                names[start..<start + wanted.count].elementsEqual(wanted), let name = name(of: symbol)
            else { continue }
            found[String(name.dropFirst(prefix.count))] = symbol.address
        }
        return found
    }

    /// Returns the offset of a thread-local variable in those of the file, by its mangled name.
    func threadLocal(_ name: String) -> UInt64? { threadLocals.first { self.name(of: $0) == name }?.address }

    private func name(of symbol: ElfFile.Symbol) -> String? {
        let start = Int(symbol.name)
        guard start < names.count, let end = names[start...].firstIndex(of: 0) else { return nil }
        return String(decoding: names[start..<end], as: UTF8.self)
    }
}

extension [UInt8] {
    func byte(_ offset: Int) -> UInt8? { indices.contains(offset) ? self[offset] : nil }
    func word16(_ offset: Int) -> UInt16? { load(offset) }
    func word32(_ offset: Int) -> UInt32? { load(offset) }
    func word64(_ offset: Int) -> UInt64? { load(offset) }

    private func load<Number: FixedWidthInteger & BitwiseCopyable>(_ offset: Int) -> Number? {
        guard offset >= 0, count >= MemoryLayout<Number>.size, offset <= count - MemoryLayout<Number>.size else {
            return nil
        }
        return withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self)) }
    }
}
