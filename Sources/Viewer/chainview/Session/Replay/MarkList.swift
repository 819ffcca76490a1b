// SPDX-License-Identifier: MIT

import ChainRecording
import Dashboard
import Foundation

/// The marks of a recording, and the file beside it that holds them: `FILE.marks`, with a line `NANOSECONDS NAME` for
/// each mark, by the program's clock.
///
/// The marks have a file of their own, because the recording may be read-only, or another process may still be
/// appending to it.
struct MarkList {
    private(set) var marks: [ReplayMark] = []
    /// What the file held when it was last read or saved.
    private var saved: [ReplayMark] = []
    /// The path of the file that the marks are saved in; nil for marks that only this session has.
    private let path: String?
    /// Why the file cannot be read, in a phrase. Saving then does not replace the file.
    private(set) var problem: String?

    private static let head = "# marks of a chainview recording: nanoseconds of the program's clock, and a name"

    /// Makes an empty list of marks that are not saved.
    init() { path = nil }

    /// Returns the path of the file with the marks of a recording.
    private static func file(ofRecording recording: String) -> String {
        URL(fileURLWithPath: recording).path + ".marks"
    }

    /// Removes the marks of a former recording of that name.
    static func remove(ofRecording recording: String) { unlink(file(ofRecording: recording)) }

    /// Reads the marks of a recording; there are no marks if there is no file.
    init(ofRecording recording: String) { self.init(at: Self.file(ofRecording: recording)) }

    private init(at path: String) {
        self.path = path
        do throws(SmallFile.Problem) {
            try read(try SmallFile.read(path))
            saved = marks
        } catch {
            guard case .unreadable(let words) = error else { return }
            (marks, problem) = ([], "\(DisplayText.shown(path)) \(words)")
        }
    }

    /// Adopts the changes that other sessions have made in the file since this session last read or saved it. Changes
    /// that this session has made and not saved are kept.
    mutating func refresh() {
        guard let path else { return }
        let file = MarkList(at: path)
        problem = file.problem
        guard problem == nil else { return }
        let former = Set(saved)
        let changed = marks.filter { !former.contains($0) }
        let removedNames = Set(saved.map(\.name)).subtracting(marks.map(\.name))
        let names = removedNames.union(changed.map(\.name))
        marks = (file.marks.filter { !names.contains($0.name) } + changed).sorted { $0.time < $1.time }
        saved = file.marks
    }

    private mutating func read(_ text: String) throws(SmallFile.Problem) {
        // Split by bytes, because a grapheme cluster may join a newline or a blank to its neighbour.
        for (index, line) in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            let line = line.last == 0x0D ? line.dropLast() : line
            guard let first = line.first, first != UInt8(ascii: "#") else { continue }
            let parts = line.split(separator: 0x20, maxSplits: 1).map { String(decoding: $0, as: UTF8.self) }
            guard parts.count == 2, let time = UInt64(parts[0]) else {
                throw .unreadable("has no mark in line \(index + 1): a mark is a number of nanoseconds and a name")
            }
            marks.append(ReplayMark(time: time, name: parts[1]))
        }
    }

    /// Returns the moment that a text names, as a time or otherwise as the name of a mark; nil if the text is neither.
    func moment(_ text: String, in file: RecordingFile, clockOffset: Int) -> UInt64? {
        let end = ReplayPosition(time: file.range.upperBound, range: file.range)
        return ReplayMoment.time(text, at: end, of: file.process, clockOffset: clockOffset)
            ?? marks.first { $0.name == text }?.time
    }

    /// Returns the marks by a clock that is `offset` nanoseconds ahead, with wrapping arithmetic. The returned list has
    /// no file.
    func shifted(by offset: UInt64) -> MarkList {
        var list = MarkList()
        list.marks = marks.map { ReplayMark(time: $0.time &+ offset, name: $0.name) }
        return list
    }

    /// Marks a moment, and returns the mark's name: by default `mark` with the next free number. An existing mark of
    /// that name moves.
    mutating func set(_ name: String?, at time: UInt64) -> String {
        let name = name ?? nextNumber
        marks.removeAll { $0.name == name }
        marks.append(ReplayMark(time: time, name: name))
        marks.sort { $0.time < $1.time }
        return name
    }

    /// Removes the mark of a name; returns false if there is no such mark.
    mutating func remove(_ name: String) -> Bool {
        let count = marks.count
        marks.removeAll { $0.name == name }
        return marks.count < count
    }

    private var nextNumber: String {
        let names = Set(marks.map(\.name))
        return (1...).lazy.map { "mark \($0)" }.first { !names.contains($0) }!
    }

    /// Replaces the file; the new file is readable by its user only. A call of ``refresh()`` before the change keeps
    /// the marks of other sessions. Returns nil, or why saving failed, in a phrase.
    mutating func save() -> String? {
        guard let path else { return nil }
        if let problem { return "the marks are not saved: \(problem)" }
        let lines = [Self.head] + marks.map { "\($0.time) \($0.name)" }
        do throws(SmallFile.Problem) {
            try SmallFile.replace(path, with: lines.joined(separator: "\n") + "\n")
            saved = marks
            return nil
        } catch {
            guard case .unreadable(let words) = error else { return nil }
            return "the marks are not saved: \(DisplayText.shown(path)) \(words)"
        }
    }
}
