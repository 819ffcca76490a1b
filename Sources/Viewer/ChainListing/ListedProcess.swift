// SPDX-License-Identifier: MIT

import ChainEvents
import ChainText
import Frames

/// A found program, as an entry of a list.
package struct ListedProcess: Hashable, Sendable {
    /// The argument of `chainview attach` for the program.
    package var target: String
    /// Its process id.
    package var pid: Int32
    /// The program's description; nil where the program did not answer.
    package var info: ProcessDescription?
    /// Its numbers of chains, nodes and viewers.
    package var totals: ProcessTotals
    /// Why the program cannot be attached to, in one sentence; nil where it can be attached to.
    package var problem: String?

    /// Describes a program.
    package init(
        target: String, pid: Int32, info: ProcessDescription?, totals: ProcessTotals = ProcessTotals(),
        problem: String? = nil
    ) {
        self.target = target
        self.pid = pid
        self.info = info
        self.totals = totals
        self.problem = problem
    }

    /// Whether ``totals`` are known.
    package var hasTotals: Bool { info.map { !$0.isReadFromOutside } ?? false }

    /// Its name, unescaped.
    package var name: String { info?.name ?? "?" }

    /// Returns how long the program has been recording, in nanoseconds; nil where the beginning is unknown.
    package func age(at wall: UInt64) -> UInt64? {
        guard let info, info.startTime > 0, wall >= info.startTime else { return nil }
        return wall - info.startTime
    }

    /// The text after the counts in the program's row: the problem, or remarks. Empty if there are neither.
    package var note: String {
        if let problem { return problem }
        if info?.isReadFromOutside == true { return "not prepared: its tasks are read from outside" }
        let missing = info?.missingTaskFacts.words ?? []
        let notes =
            (info?.isReadOnly ?? false ? ["read-only"] : [])
            + (missing.isEmpty ? [] : ["does not show " + missing.joined(separator: ", ")])
            + (info?.flightRecorder == .ended ? ["its flight recorder has ended"] : [])
        return notes.joined(separator: "; ")
    }
}

/// A table of programs, for `chainview ps` and the picker.
package enum ProcessTable {
    /// A column of numbers.
    package struct Column: Sendable {
        package var title: String
        /// In cells, with the blanks before the number.
        package var width: Int
        /// The text for a program; `wall` is nanoseconds since 1970.
        package var text: @Sendable (ListedProcess, _ wall: UInt64) -> String
    }

    /// The columns of numbers, aligned right.
    package static let columns = [
        Column(title: "pid", width: 9) { process, _ in "\(process.pid)" },
        Column(title: "age", width: 8) { process, wall in process.age(at: wall).map { DurationText.running($0) } ?? ""
        },
        Column(title: "chains", width: 8) { process, _ in count(process, process.totals.chainCount) },
        Column(title: "nodes", width: 8) { process, _ in count(process, process.totals.nodeCount) },
        Column(title: "live", width: 8) { process, _ in count(process, process.totals.liveCount) },
        Column(title: "running", width: 8) { process, _ in count(process, process.totals.runningCount) },
        Column(title: "failed", width: 9) { process, _ in count(process, process.totals.rejectedCount) },
        Column(title: "viewers", width: 8) { process, _ in count(process, process.totals.viewerCount) },
    ]

    private static func count(_ process: ListedProcess, _ count: UInt64) -> String {
        !process.hasTotals ? "" : CountText.short(Int(clamping: count))
    }

    /// Returns the programs as lines of text, with a heading; `wall` is nanoseconds since 1970.
    package static func text(_ processes: [ListedProcess], wall: UInt64, charset: Charset = .unicode) -> String {
        let glyphs = Glyphs.of(charset)
        let names = processes.map { SafeText.cut($0.name, to: 40, ellipsis: glyphs.ellipsis, charset: charset) }
        let width = max(4, names.map { TextWidth.of($0, charset: charset) }.max() ?? 0)
        var text = "NAME" + blanks(width - 4)
        for column in columns { text += right(column.title.uppercased(), column.width) }
        for (process, name) in zip(processes, names) {
            text += "\n" + name + blanks(width - TextWidth.of(name, charset: charset))
            for column in columns { text += right(column.text(process, wall), column.width) }
            if !process.note.isEmpty { text += "  " + SafeText.line(process.note, charset: charset) }
        }
        // Trailing blanks are removed.
        return text.split(separator: "\n").map { $0.reversed().drop { $0 == " " }.reversed() }
            .map { String($0) + "\n" }.joined()
    }

    /// Returns the programs as a JSON array, closed by a newline.
    package static func json(_ processes: [ListedProcess], wall: UInt64) -> String {
        let objects = processes.map { process in
            let (info, totals) = (process.info, process.totals)
            func count(_ count: UInt64) -> String { JSONText.number(process.hasTotals ? count : nil) }
            let key = info.map { String($0.key.rawValue, radix: 16) }
            return JSONText.object([
                ("target", JSONText.string(process.target)), ("pid", "\(process.pid)"),
                ("name", JSONText.string(info?.name)),
                ("run", JSONText.string(key.map { String(repeating: "0", count: 16 - $0.count) + $0 })),
                ("recordingSince", JSONText.seconds(info.flatMap { $0.startTime == 0 ? nil : $0.startTime })),
                ("age", JSONText.seconds(process.age(at: wall))),
                ("isReadFromOutside", info.map { "\($0.isReadFromOutside)" } ?? "null"),
                ("isReadOnly", info.map { "\($0.isReadOnly)" } ?? "null"), ("chains", count(totals.chainCount)),
                ("nodes", count(totals.nodeCount)), ("live", count(totals.liveCount)),
                ("running", count(totals.runningCount)), ("rejected", count(totals.rejectedCount)),
                ("viewers", count(totals.viewerCount)),
                ("missing", JSONText.array((info?.missingTaskFacts.words ?? []).map { JSONText.string($0) })),
                ("flightRecorder", info.map { JSONText.string("\($0.flightRecorder)") } ?? "null"),
                ("problem", JSONText.string(process.problem)),
            ])
        }
        return objects.isEmpty ? "[]\n" : "[" + objects.joined(separator: ",\n ") + "]\n"
    }

    private static func right(_ text: String, _ width: Int) -> String { blanks(max(1, width - text.count)) + text }
    private static func blanks(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }
}
