// SPDX-License-Identifier: MIT

import ChainModel
import Foundation

/// A snapshot in the file `__Chains__/NAME.txt` beside the test, for long trees.
struct SnapshotFile {
    /// The files that may be written.
    enum Mode {
        /// No file, because `CI` is set.
        case readOnly
        /// A missing snapshot, and `NAME.actual` for a snapshot that differs.
        case normal
        /// All snapshots.
        case recording

        static var current: Mode {
            if InlineSnapshotWriter.isOn { return .recording }
            return ProcessInfo.processInfo.environment["CI"] == nil ? .normal : .readOnly
        }
    }

    private let name: String
    private let folder: URL
    private var file: URL { folder.appendingPathComponent(name + ".txt") }
    private var actual: URL { folder.appendingPathComponent(name + ".actual") }

    /// - Parameter test: the path of the test's source file.
    init(named name: String, beside test: String) {
        self.name = name
        folder = URL(fileURLWithPath: test).deletingLastPathComponent().appendingPathComponent("__Chains__")
    }

    /// Returns nil if the forest matches the file, else a message: what differs, and which file was written, if any.
    func failureMessage(for forest: ChainForest, mode: Mode = .current) -> String? {
        guard !name.isEmpty, !name.hasPrefix("."), !name.contains("/") else {
            return "\"\(name)\" is not a file name: use words without /, and no . at the start"
        }
        let expected = try? String(contentsOf: file, encoding: .utf8)
        if expected == nil, mode != .recording, FileManager.default.fileExists(atPath: file.path) {
            return "__Chains__/\(name).txt cannot be read as text: CHAINVIEW_RECORD=1 replaces it"
        }
        let message = ChainSnapshot.failureMessage(for: forest, expected: expected ?? "")
        guard expected == nil || message != nil else {
            try? FileManager.default.removeItem(at: actual)
            return nil
        }
        do {
            return try record(forest.chainText() + "\n", isMissing: expected == nil, message ?? "", mode)
        } catch { return "\(name): cannot write to \(folder.path): \(error.localizedDescription)\n\(message ?? "")" }
    }

    private func record(_ text: String, isMissing: Bool, _ message: String, _ mode: Mode) throws -> String {
        if mode == .readOnly {
            return isMissing ? "__Chains__/\(name).txt is missing: run the test where CI is not set" : message
        }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        if mode == .recording || isMissing {
            try text.write(to: file, atomically: true, encoding: .utf8)
            try? FileManager.default.removeItem(at: actual)
            return "recorded __Chains__/\(name).txt: look at it, and run the test again\n\(text)"
        }
        try text.write(to: actual, atomically: true, encoding: .utf8)
        return "\(message)\n(all of it is in __Chains__/\(name).actual; CHAINVIEW_RECORD=1 makes it the snapshot)"
    }
}

extension ChainSnapshot {
    /// Returns nil if the run matches `__Chains__/NAME.txt` beside the source file `test`, else the difference. See
    /// ``assertChain(_:named:fileID:filePath:line:column:)``.
    public static func failureMessage(for run: RecordedRun, named name: String, beside test: String) -> String? {
        SnapshotFile(named: name, beside: test).failureMessage(for: run.forest)
    }
}
