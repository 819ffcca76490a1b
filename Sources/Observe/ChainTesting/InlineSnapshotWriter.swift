// SPDX-License-Identifier: MIT

import ChainSystem

/// A writer of snapshots into the source files that hold them.
///
/// The line of a test is its line at compile time. Snapshots that are written above it in the same run move it, so the
/// moves in each file are stored. A literal is replaced only after `matches:`, and only if it is empty or a multi-line
/// literal.
final class InlineSnapshotWriter: Sendable {
    static let shared = InlineSnapshotWriter()

    static var isOn: Bool { getenv("CHAINVIEW_RECORD").map { String(cString: $0) } == "1" && getenv("CI") == nil }

    /// A snapshot that was written: its line at compile time, and the number of lines by which the file grew.
    private struct Move {
        var line: Int
        var count: Int
    }
    /// The moves in each file, by its path.
    private let moves = Lock<[String: [Move]]>([:])

    /// Writes a snapshot into the literal at a line; returns false if there is no literal, or if the file cannot be
    /// written.
    func write(_ snapshot: [String], into path: String, at line: Int) -> Bool {
        moves.withLock { moves in
            guard let source = Self.read(path) else { return false }
            // Split by scalars, because a carriage return and the line feed after it are one character.
            var lines = source.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
                .map { String(Substring($0)) }
            let moved = moves[path, default: []].filter { $0.line < line }.reduce(0) { $0 + $1.count }
            guard let count = Self.replace(in: &lines, from: line - 1 + moved, by: snapshot) else { return false }
            guard Self.write(lines.joined(separator: "\n"), path) else { return false }
            moves[path, default: []].append(Move(line: line, count: count))
            return true
        }
    }

    /// Replaces the literal. Returns by how many lines the source grew; nil if no literal begins in the first eight
    /// lines. If the line of the literal ends with a carriage return, so do the new lines.
    static func replace(in lines: inout [String], from start: Int, by snapshot: [String]) -> Int? {
        guard lines.indices.contains(start) else { return nil }
        let search = lines[start..<min(lines.count, start + 8)]
        // Only the first `matches:` counts, because a later one with a literal may belong to another call.
        guard let first = search.firstIndex(where: { $0.contains("matches:") }),
            let range = lines[first].firstRange(of: "matches: ")
        else { return nil }
        let opening = lines[first]
        let lineEnd = opening.last == "\r" ? "\r" : ""
        let head = opening[..<range.lowerBound]
        var rest = opening[range.upperBound...]
        let last: Int
        let delimiter = rest.prefix { $0 == "#" } + "\"\"\""
        if rest == delimiter + lineEnd {
            let closing = String(delimiter.reversed())
            let after = lines[(first + 1)...]
            guard let end = after.firstIndex(where: { $0.drop(while: isBlank).hasPrefix(closing) }) else { return nil }
            last = end
            rest = lines[end].drop(while: isBlank).dropFirst(delimiter.count)
        } else if rest.hasPrefix("\"\""), !rest.hasPrefix("\"\"\"") {
            last = first
            rest = rest.dropFirst(2)
        } else {
            return nil
        }
        let indent = opening.prefix(while: isBlank) + (opening.first == "\t" ? "\t" : "    ")
        let hash = String(repeating: "#", count: snapshot.map(hashCount).max() ?? 0)
        let body = snapshot.map { $0.isEmpty ? lineEnd : "\(indent)\($0)\(lineEnd)" }
        let literal = ["\(head)matches: \(hash)\"\"\"\(lineEnd)"] + body + ["\(indent)\"\"\"\(hash)\(rest)"]
        lines.replaceSubrange(first...last, with: literal)
        return literal.count - (last - first + 1)
    }

    /// Returns the number of `#` that a literal with this line needs: one more than follow any backslash or `"""` in
    /// the line; 0 if the line has neither.
    private static func hashCount(_ line: String) -> Int {
        var (needed, quotes) = (0, 0)
        // The number of `#` since a backslash or `"""`; nil after anything else.
        var hashes: Int?
        for byte in line.utf8 {
            switch byte {
            case UInt8(ascii: "#"): hashes = hashes.map { $0 + 1 }
            case UInt8(ascii: "\\"): hashes = 0
            case UInt8(ascii: "\""): hashes = quotes >= 2 ? 0 : nil
            default: hashes = nil
            }
            quotes = byte == UInt8(ascii: "\"") ? quotes + 1 : 0
            if let hashes { needed = max(needed, hashes + 1) }
        }
        return needed
    }

    private static func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }

    private static func read(_ path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&block, 1, block.count, file), count > 0 { bytes += block[..<count] }
        return ferror(file) == 0 ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// Writes a temporary file and renames it, so that a full disk does not cost a test file. The test file keeps its
    /// mode. If the path is a symbolic link, the file that the link leads to is written.
    private static func write(_ text: String, _ path: String) -> Bool {
        guard let resolved = realpath(path, nil) else { return false }
        defer { free(resolved) }
        let target = String(cString: resolved)
        let beside = target + ".recording"
        var status = stat()
        guard stat(target, &status) == 0, let file = fopen(beside, "w") else { return false }
        // On a file system without modes this fails, which does no harm.
        _ = fchmod(fileno(file), status.st_mode & 0o7777)
        let bytes = Array(text.utf8)
        let isComplete = fwrite(bytes, 1, bytes.count, file) == bytes.count
        if fclose(file) == 0, isComplete, rename(beside, target) == 0 { return true }
        unlink(beside)
        return false
    }
}

extension StringProtocol {
    fileprivate func firstRange(of other: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(other) { return start..<index(start, offsetBy: other.count) }
            start = index(after: start)
        }
        return nil
    }
}
