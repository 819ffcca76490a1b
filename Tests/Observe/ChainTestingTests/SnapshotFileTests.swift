import Foundation
import PromiseRuntime
import Testing

@testable import ChainTesting

/// Snapshots in files: when they are written, and the messages of tests.
@Suite final class SnapshotFileTests {
    private let folder: URL
    private var test: String { folder.appendingPathComponent("SomeTests.swift").path }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("chains-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Returns the text of a snapshot's file.
    private func text(_ name: String) -> String? {
        try? String(contentsOf: folder.appendingPathComponent("__Chains__/\(name)"), encoding: .utf8)
    }

    /// Compares a run of one delay with its snapshot, and returns the message.
    private func check(_ label: String, _ mode: SnapshotFile.Mode, named name: String = "tea") -> String? {
        let run = RecordedRun()
        run.record { Promise.delay(.seconds(180), label: label) }
        run.runUntilIdle()
        return SnapshotFile(named: name, beside: test).failureMessage(for: run.forest, mode: mode)
    }

    private static let green = "fulfilled delay green tea · total 180s\n"

    @Test func aMissingFileIsWrittenAndFails() throws {
        let first = try #require(check("green tea", .normal))
        #expect(first.hasPrefix("recorded __Chains__/tea.txt"))
        #expect(text("tea.txt") == Self.green)
        #expect(check("green tea", .normal) == nil)
        #expect(check("green tea", .recording) == nil)
        #expect(check("green tea", .readOnly) == nil)
    }

    @Test func aDifferentRunFailsAndIsLeftBesideTheSnapshot() throws {
        _ = check("green tea", .normal)
        let other = try #require(check("black tea", .normal))
        #expect(other.contains("- fulfilled delay green tea · total 180s\n+ fulfilled delay black tea · total 180s"))
        #expect(text("tea.txt") == Self.green)
        #expect(text("tea.actual") == "fulfilled delay black tea · total 180s\n")
        #expect(check("green tea", .normal) == nil)
        #expect(text("tea.actual") == nil, "a match removes the file")
    }

    @Test func recordingReplacesAndFailsOnce() throws {
        _ = check("green tea", .normal)
        #expect(try #require(check("black tea", .recording)).hasPrefix("recorded"))
        #expect(text("tea.txt") == "fulfilled delay black tea · total 180s\n")
        #expect(check("black tea", .recording) == nil)
    }

    @Test func aFileThatIsNoTextIsNotReplaced() throws {
        _ = check("green tea", .normal)
        let file = folder.appendingPathComponent("__Chains__/tea.txt")
        let bytes = Data([0xFF, 0xFE, 0x41])
        try bytes.write(to: file)
        for mode in [SnapshotFile.Mode.normal, .readOnly] {
            #expect(try #require(check("green tea", mode)).contains("cannot be read as text"))
        }
        #expect(try Data(contentsOf: file) == bytes)
        _ = check("green tea", .recording)
        #expect(text("tea.txt") == Self.green)
    }

    @Test func inReadOnlyModeNothingIsWritten() throws {
        #expect(try #require(check("green tea", .readOnly)).contains("is missing"))
        #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("__Chains__").path))
        _ = check("green tea", .normal)
        #expect(try #require(check("black tea", .readOnly)).contains("+ fulfilled delay black tea"))
        #expect(text("tea.actual") == nil)
    }

    @Test func aFolderThatCannotBeWrittenIsReported() throws {
        try Data().write(to: folder.appendingPathComponent("__Chains__"))
        let message = try #require(check("green tea", .normal))
        #expect(message.hasPrefix("tea: cannot write to"))
        #expect(message.contains("fulfilled delay green tea"))
    }

    @Test(arguments: ["", "a/b", "../tea", ".tea"]) func aNameThatIsNoFileNameIsRefused(_ name: String) throws {
        #expect(try #require(check("green tea", .recording, named: name)).contains("is not a file name"))
    }

    @Test func anEmptyRunIsASnapshotToo() {
        let file = SnapshotFile(named: "nothing", beside: test)
        #expect(file.failureMessage(for: RecordedRun().forest, mode: .normal) != nil)
        #expect(file.failureMessage(for: RecordedRun().forest, mode: .normal) == nil)
    }
}

// SPDX-License-Identifier: MIT
