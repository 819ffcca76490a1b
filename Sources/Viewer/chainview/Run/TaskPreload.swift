// SPDX-License-Identifier: MIT

import ChainSystem
import Foundation

/// The library that `run --tasks` preloads into a program, and the reasons why preloading would not work in a program.
enum TaskPreload {
    private static let name = "libChainPreload.so"

    /// Returns the variables that preload the library into the program at `path`, or no variables if the program embeds
    /// the inspector and ChainTasks itself.
    ///
    /// - Throws: ``Failure`` if the program's tasks cannot be shown, with the reason in one sentence.
    static func environment(for path: String) throws -> [String: String] {
        #if os(Linux)
            if try ProgramFile(path).check() == .embedsInspector { return [:] }
            let before = ProcessInfo.processInfo.environment["LD_PRELOAD"].map { ":" + $0 } ?? ""
            return ["LD_PRELOAD": try library() + before]
        #else
            throw Failure(status: .usage, message: "Tasks are shown on Linux only.")
        #endif
    }

    /// Returns the path of the library: beside chainview, or in the folder `lib` beside chainview's folder.
    private static func library() throws -> String {
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let folder = program.deletingLastPathComponent()
        let libraries = folder.deletingLastPathComponent().appending(path: "lib")
        let files = [folder.appending(path: name), libraries.appending(path: name)]
        if let found = files.first(where: { FileManager.default.fileExists(atPath: $0.path) }) {
            guard !found.path.contains(where: { $0 == " " || $0 == ":" }) else {
                throw Failure(
                    status: .usage,
                    message: "\(DisplayText.shown(found.path)) cannot be preloaded: its path has a space or a colon.")
            }
            return found.path
        }
        throw Failure(
            status: .noInput,
            message: """
                \(name) is not beside chainview, nor in \(DisplayText.shown(libraries.path)): `make release` builds both \
                in .build/release, and `sudo make install` installs both.
                """)
    }
}

/// The file of a program, in the format ELF.
struct ProgramFile {
    enum Kind { case canPreload, embedsInspector }

    /// The text of a message of ChainInspector. Each program that embeds ChainInspector contains this text, stripped or
    /// not.
    private static let inspectorMark = "The command is for another run of the program"
    /// The text of a message of ChainTasks. Each program that embeds ChainTasks contains this text, likewise.
    private static let tasksMark = "as in programs with -static-stdlib"

    private let path: String
    private let bytes: Data

    init(_ path: String) throws {
        self.path = path
        do { bytes = try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped) } catch {
            throw Failure(status: .noInput, message: "\(DisplayText.shown(path)) cannot be read.")
        }
    }

    /// Returns how tasks of the program can be shown, or throws the reason why they cannot be shown. `isRoot` is
    /// whether root starts the program.
    func check(isRoot: Bool = getuid() == 0) throws -> Kind {
        guard bytes.prefix(5) == Data([0x7F, 0x45, 0x4C, 0x46, 2]) else {
            throw refusal("it is a script or no program: name the program that it starts")
        }
        if bytes.range(of: Data(Self.inspectorMark.utf8)) != nil {
            if bytes.range(of: Data(Self.tasksMark.utf8)) != nil { return .embedsInspector }
            throw refusal(
                "it embeds the inspector alone: link ChainTasks, too, and start the inspector with tasks: true")
        }
        var facts = stat()
        if stat(path, &facts) == 0, facts.st_mode & (S_ISUID | S_ISGID) != 0 {
            throw refusal("it is setuid or setgid, so the system ignores preloaded libraries")
        }
        // Root has all capabilities already, so the system does not ignore preloaded libraries if root starts the
        // program.
        if !isRoot, hasCapabilities(at: path) {
            throw refusal("it has file capabilities, so the system ignores preloaded libraries")
        }
        let isSwift = bytes.range(of: Data("swift5_".utf8)) != nil
        guard let interpreter else { throw refusal("it is linked statically") }
        if interpreter.contains("musl") { throw refusal("it uses musl; chainview's library is for glibc") }
        guard isSwift else { throw refusal("it is not a program of Swift") }
        guard needed.contains("libswift_Concurrency.so") else {
            throw refusal(
                needed.contains("libswiftCore.so")
                    ? "it has no tasks: it does not link Swift's concurrency runtime"
                    : "it is built with -static-stdlib; build it without, or link ChainTasks, too")
        }
        return .canPreload
    }

    private func refusal(_ reason: String) -> Failure {
        Failure(status: .usage, message: "the tasks of \(DisplayText.shown(path)) cannot be shown: \(reason).")
    }

    // MARK: ELF

    /// An entry of the program header table.
    private struct Segment {
        var type: UInt32
        var offset: Int, address: Int, size: Int
    }

    /// Returns a number of the file, or 0 outside of it.
    private func number<Number: FixedWidthInteger>(_ type: Number.Type, at offset: Int) -> Int {
        guard offset >= 0, offset <= bytes.count - MemoryLayout<Number>.size else { return 0 }
        return bytes.withUnsafeBytes { Int(truncatingIfNeeded: $0.loadUnaligned(fromByteOffset: offset, as: type)) }
    }

    private var segments: [Segment] {
        let (table, size, count) = (
            number(UInt64.self, at: 32), number(UInt16.self, at: 54), number(UInt16.self, at: 56)
        )
        return (0..<count).map { index in
            // Wrapping, because a damaged file may have any numbers.
            let start = table &+ index * size
            return Segment(
                type: UInt32(number(UInt32.self, at: start)), offset: number(UInt64.self, at: start &+ 8),
                address: number(UInt64.self, at: start &+ 16), size: number(UInt64.self, at: start &+ 32))
        }
    }

    private func text(at offset: Int) -> String {
        guard offset >= 0, offset < bytes.count else { return "" }
        return String(decoding: bytes[(bytes.startIndex + offset)...].prefix { $0 != 0 }, as: UTF8.self)
    }

    /// The path of the loader (`PT_INTERP`); nil for a static program, which has no loader.
    private var interpreter: String? { segments.first { $0.type == 3 }.map { text(at: $0.offset) } }

    /// The names of the libraries that the program links: `DT_NEEDED` of `PT_DYNAMIC`, with the texts of `DT_STRTAB`.
    private var needed: Set<String> {
        let segments = segments
        guard let dynamic = segments.first(where: { $0.type == 2 }) else { return [] }
        let end = min(dynamic.offset &+ dynamic.size, bytes.count)
        let entries = stride(from: max(dynamic.offset, 0), to: end, by: 16).map {
            (tag: number(UInt64.self, at: $0), value: number(UInt64.self, at: $0 + 8))
        }
        // 5 is `DT_STRTAB`, an address; the segment of type `PT_LOAD` around it leads to its offset in the file.
        guard let address = entries.first(where: { $0.tag == 5 })?.value,
            let segment = segments.first(where: {
                $0.type == 1 && $0.address <= address && address &- $0.address < $0.size
            })
        else { return [] }
        let strings = address &- segment.address &+ segment.offset
        return Set(entries.filter { $0.tag == 1 }.map { text(at: strings &+ $0.value) })
    }
}
