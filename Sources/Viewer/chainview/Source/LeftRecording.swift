// SPDX-License-Identifier: MIT

import ChainAttach
import ChainInspector
import ChainRecording
import ChainText
import ChainWire
import ChainZstd
import Foundation
import Frames

/// The recording that the flight recorder of a killed program has left.
struct LeftRecording {
    var path: String
    var pid: Int32
    /// When the recorder wrote last.
    var date: Date

    /// Returns the recordings that killed programs have left, the newest first.
    static func all() throws -> [LeftRecording] { try files().filter { isUnlockedFile($0.path) } }

    /// Returns the files of all flight recorders, also of programs that run, the newest first.
    static func files() throws -> [LeftRecording] {
        let folders: [SocketFolder]
        do { folders = try Discovery().folders() } catch { throw Failure(error) }
        let found = folders.flatMap { folder in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            return names.compactMap { LeftRecording($0, in: folder) }
        }
        return found.sorted { ($1.date, $0.path) < ($0.date, $1.path) }
    }

    private init?(_ name: String, in folder: SocketFolder) {
        guard let pid = SocketFolder.pid(ofFlight: name) else { return nil }
        path = "\(folder.path)/\(name)"
        self.pid = pid
        let facts = try? FileManager.default.attributesOfItem(atPath: path)
        guard let date = facts?[.modificationDate] as? Date else { return nil }
        self.date = date
    }

    /// The program's name; nil if the recording cannot be read. Reads the headers of the file.
    var name: String? { (try? RecordingFile(path: path, codec: Zstandard()))?.process.name }

    /// How long ago the recorder wrote last, as a word.
    func age(at now: Date) -> String {
        // A clock may have been set to any time.
        DurationText.coarse(UInt64(max(0, min(1e9, now.timeIntervalSince(date)))) * 1_000_000_000)
    }

    /// Returns recordings as lines of text, with a heading.
    static func text(_ recordings: [LeftRecording], now: Date) -> String {
        let names = recordings.map { DisplayText.shown($0.name ?? "?") }
        let width = max(4, names.map { TextWidth.of($0, charset: .unicode) }.max() ?? 0)
        func line(_ name: String, _ pid: String, _ age: String) -> String {
            let blanks = String(repeating: " ", count: width - TextWidth.of(name, charset: .unicode))
            let numbers = [(pid, 9), (age, 12)].map { String(repeating: " ", count: max(1, $1 - $0.count)) + $0 }
            return name + blanks + numbers.joined() + "\n"
        }
        return line("NAME", "PID", "ENDED")
            + zip(names, recordings).map { line($0, "\($1.pid)", $1.age(at: now) + " ago") }.joined()
    }

    /// Returns one line on recordings of killed programs; nil if there are none.
    static func hint(_ recordings: [LeftRecording], now: Date) -> String? {
        guard let newest = recordings.first else { return nil }
        let count = recordings.count
        return count == 1
            ? "A killed program left a recording \(newest.age(at: now)) ago: chainview post-mortem \(newest.pid)"
            : "\(count) killed programs left recordings, the newest \(newest.age(at: now)) ago: chainview post-mortem"
    }
}
