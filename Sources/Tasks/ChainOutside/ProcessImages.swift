// SPDX-License-Identifier: MIT

import CChainOutside
import ChainSystem

/// A program or library that a process has mapped.
final class ProcessImage {
    /// The path as the process sees it.
    let path: String
    /// The mapped addresses, from the first to the last part.
    let range: Range<UInt64>
    /// The difference of addresses in memory and in the file.
    let bias: UInt64
    /// Nil if the file could not be opened, or is another one by now.
    let file: ElfFile?
    /// The file that has the symbols: the same, or an unstripped copy.
    private let symbolFile: ElfFile?
    private lazy var table = symbolFile.flatMap { SymbolCache.shared.table(of: $0, isDynamic: false) }
    private lazy var dynamicTable = file.flatMap { SymbolCache.shared.table(of: $0, isDynamic: true) }
    private lazy var lines = symbolFile?.lines()

    fileprivate init(_ path: String, _ regions: [MemoryMap.Region], _ file: ElfFile?, _ copies: SymbolFiles) {
        self.path = path
        self.file = file
        symbolFile = file.map { $0.hasSymbols ? $0 : copies.copy(of: $0) ?? $0 }
        range = regions[0].start..<regions[regions.count - 1].end
        // The region that maps the beginning of the first loaded part.
        let first = file?.segments.first
        let start = regions.first { region in first.map { region.offset == $0.offset & ~4095 } ?? false }
        bias = start.map { $0.start &- ((first?.address ?? 0) & ~4095) } ?? regions[0].start
    }

    /// The last part of the path, without the mark of a deleted file.
    var name: String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return name.hasSuffix(" (deleted)") ? String(name.dropLast(10)) : name
    }

    /// Whether the names of the image's own functions are known.
    var hasSymbols: Bool { symbolFile?.hasSymbols ?? false }

    /// Returns the mangled name of the function at an address; nil if it is not known.
    func symbol(at address: UInt64) -> String? {
        let offset = address &- bias
        return (table?.symbol(at: offset) ?? dynamicTable?.symbol(at: offset))?.name
    }

    /// Returns the line of the code at an address; nil if the file has no debug information about it. The first call takes
    /// some 10 ms a megabyte of that.
    func line(at address: UInt64) -> LineTable.Place? { lines?.place(of: address &- bias) }

    /// Returns the line of the code at an address where a function begins: of the first code from there on that comes from
    /// a line.
    func startLine(at address: UInt64) -> LineTable.Place? {
        let offset = address &- bias
        return lines?.place(of: offset, before: table?.symbol(at: offset)?.range.upperBound)
    }

    /// Whether the file exports the variables for debuggers of Swift's concurrency runtime.
    var hasTaskRuntime: Bool { !addresses(withPrefix: TaskRuntime.prefix, isDynamic: true).isEmpty }

    /// Returns the offset of a thread-local variable in those of the file, by its mangled name.
    func threadLocal(_ name: String) -> UInt64? { table?.threadLocal(name) }

    /// Returns the place of an address in the file, such as `shop+0x2f40`.
    func place(of address: UInt64) -> String { "\(name)+0x\(String(address &- bias, radix: 16))" }

    /// Returns the addresses in memory of the symbols with a prefix, by the rest of their names.
    func addresses(withPrefix prefix: String, isDynamic: Bool) -> [String: UInt64] {
        ((isDynamic ? dynamicTable : table)?.addresses(withPrefix: prefix) ?? [:]).mapValues { $0 &+ bias }
    }
}

/// The programs and libraries of a process.
struct ProcessImages {
    /// In the order of addresses; the program itself is not always the first.
    let images: [ProcessImage]
    /// The path of the program.
    let program: String

    /// Opens the files that `map` names, keeping those of `earlier` that are still mapped at the same place.
    init(_ pid: Int32, _ map: MemoryMap, _ copies: SymbolFiles = SymbolFiles(), keeping earlier: ProcessImages? = nil) {
        let root = open("/proc/\(pid)/root", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { if root >= 0 { close(root) } }
        var regions: [String: [MemoryMap.Region]] = [:]
        for region in map.regions where region.isFile { regions[region.path, default: []].append(region) }
        let program = earlier?.program ?? Self.program(of: pid)
        images = regions.compactMap { path, regions in
            guard regions.contains(where: \.isExecutable) else { return nil }
            let range = regions[0].start..<regions[regions.count - 1].end
            if let known = earlier?.images.first(where: { $0.path == path && $0.range == range }) { return known }
            return ProcessImage(path, regions, Self.file(pid, root, regions[0], isProgram: path == program), copies)
        }.sorted { $0.range.lowerBound < $1.range.lowerBound }
        self.program = program
    }

    /// Returns the image that contains an address.
    func image(at address: UInt64) -> ProcessImage? { images.first { $0.range.contains(address) } }

    /// Returns the path of the program of a process; empty if it cannot be read.
    static func program(of pid: Int32) -> String {
        var path = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/\(pid)/exe", &path, path.count - 1)
        guard count > 0 else { return "" }
        return String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Opens the file of a region. The kernel's own links lead to it even where it was deleted: one to each mapped
    /// file, for root alone, and one to the program. Otherwise the path is opened below the root of the process. It must
    /// be the file that is mapped.
    private static func file(_ pid: Int32, _ root: Int32, _ region: MemoryMap.Region, isProgram: Bool) -> ElfFile? {
        let link = "/proc/\(pid)/map_files/\(String(region.start, radix: 16))-\(String(region.end, radix: 16))"
        var descriptor = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        if descriptor < 0, isProgram { descriptor = open("/proc/\(pid)/exe", O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        if descriptor < 0, root >= 0 { descriptor = outside_open_below(root, region.path) }
        guard descriptor >= 0 else { return nil }
        guard FileFacts(of: descriptor)?.inode == region.inode else {
            close(descriptor)
            return nil
        }
        return ElfFile(owning: descriptor)
    }
}

/// Unstripped copies of stripped files: those that the user names, and those that the system keeps for debuggers.
struct SymbolFiles: Sendable {
    /// Paths of this system, not of the process's.
    let paths: [String]

    init(_ paths: [String] = []) { self.paths = paths }

    /// Returns the copy of a file: of the same build, by its id. A file without an id is a copy if its parts have the same
    /// addresses and sizes.
    func copy(of file: ElfFile) -> ElfFile? {
        for path in paths {
            if let copy = Self.open(path), copy.hasSymbols, copy.isBuild(of: file) { return copy }
        }
        guard file.buildID.count > 2 else { return nil }
        let path = "/usr/lib/debug/.build-id/\(file.buildID.prefix(2))/\(file.buildID.dropFirst(2)).debug"
        guard let copy = Self.open(path), copy.buildID == file.buildID, copy.hasSymbols else { return nil }
        return copy
    }

    /// Returns what is wrong with a path that the user names, in one sentence; nil if it can be the copy of one of some
    /// images.
    func problem(with images: ProcessImages) -> String? {
        for path in paths {
            guard let copy = Self.open(path) else { return "\(path) is not a program or library that can be read" }
            guard copy.hasSymbols else { return "\(path) has no symbols: it is stripped, too" }
            guard images.images.contains(where: { $0.file.map(copy.isBuild) ?? false }) else {
                return "\(path) is another build than what runs: keep the file as it was before it was stripped"
            }
        }
        return nil
    }

    private static func open(_ path: String) -> ElfFile? {
        let descriptor = openFile(path)
        return descriptor < 0 ? nil : ElfFile(owning: descriptor)
    }
}

/// The system's `open` for reading, under a name that a method does not hide.
private func openFile(_ path: String) -> Int32 { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
