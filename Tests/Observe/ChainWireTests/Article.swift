import Foundation

/// An article on the wire format or on recordings, as data.
struct Article {
    let text: String

    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Sources/Observe")

    init(_ name: String = "TheWire") throws {
        let file = Article.folder.appending(path: "ChainWire/ChainWire.docc/\(name).md")
        text = try String(contentsOf: file, encoding: .utf8)
    }

    /// Returns the text of all Swift sources of some targets.
    static func sources(of targets: [String]) throws -> String {
        try targets.flatMap { target in
            let folder = folder.appending(path: target)
            return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
                .filter { $0.pathExtension == "swift" }.map { try String(contentsOf: $0, encoding: .utf8) }
        }.joined(separator: "\n")
    }

    private var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

    private func cells(_ line: Substring) -> [String] {
        line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false).map {
            $0.trimmingCharacters(in: .whitespaces)
        }
    }

    /// Returns the rows of the table with these first column headings: the number in the first cell, and the cells
    /// beside it. Returns nil if there is no such table, or more than one.
    func table(_ headings: String...) -> [(number: UInt64, cells: [String])]? {
        let lines = lines
        let starts = lines.indices.filter { lines[$0].hasPrefix("|") && cells(lines[$0]).starts(with: headings) }
        guard let start = starts.first, starts.count == 1 else { return nil }
        return lines[(start + 2)...].prefix { $0.hasPrefix("|") }.compactMap { line in
            let cells = cells(line)
            return UInt64(cells[0]).map { ($0, Array(cells.dropFirst())) }
        }
    }

    /// Returns the rows of the first table of fields below a heading.
    func fields(below heading: String) -> [(offset: String, type: String, field: String)] {
        let lines = lines
        guard let start = lines.firstIndex(where: { $0.hasPrefix("#") && $0.hasSuffix(heading) }) else { return [] }
        return lines[start...].drop { !$0.hasPrefix("| offset") }.dropFirst(2).prefix { $0.hasPrefix("|") }.map {
            line in
            let cells = cells(line)
            return (cells[0], cells[1], cells[2])
        }
    }

    /// Returns the bytes of each dump, in order. A block with gaps in its offsets is no dump.
    func dumps() -> [[UInt8]] {
        let blocks = text.split(separator: "```", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map(\.element)
        return blocks.compactMap { block in
            var bytes: [UInt8] = []
            for line in block.split(separator: "\n") {
                guard let match = line.prefixMatch(of: #/([0-9a-f]{4})  ((?:[0-9a-f]{2} ?){1,8})(?: |$)/#),
                    Int(match.1, radix: 16) == bytes.count
                else { return nil }
                bytes += match.2.split(separator: " ").compactMap { UInt8($0, radix: 16) }
            }
            return bytes.isEmpty ? nil : bytes
        }
    }

    /// The content of the last code block.
    var lastBlock: String {
        let parts = text.components(separatedBy: "```")
        return parts[parts.count - 2].trimmingCharacters(in: .newlines)
    }
}

// SPDX-License-Identifier: MIT
