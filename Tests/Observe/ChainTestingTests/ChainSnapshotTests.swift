import Foundation
import PromiseRuntime
import Testing

@testable import ChainTesting

@Suite struct ChainSnapshotTests {
    private func run() -> RecordedRun {
        let run = RecordedRun()
        run.record { Promise.delay(.seconds(1), label: "wait").map(label: "count") { 3 } }
        run.runUntilIdle()
        return run
    }

    private let expected = "fulfilled delay wait · total 1s\nfulfilled map count = 3"

    @Test func aMatchIsNoComplaint() {
        let forest = run().forest
        #expect(forest.chainText() == expected)
        #expect(ChainSnapshot.failureMessage(for: forest, expected: expected) == nil)
        let indented = "\n" + expected.split(separator: "\n").map { "      \($0)  " }.joined(separator: "\n") + "\n\n"
        #expect(ChainSnapshot.failureMessage(for: forest, expected: indented) == nil)
        let ofWindows = expected.replacingOccurrences(of: "\n", with: "\r\n") + "\r\n"
        #expect(ChainSnapshot.failureMessage(for: forest, expected: ofWindows) == nil)
    }

    @Test func aDifferenceIsShownLineByLine() throws {
        let message = try #require(
            ChainSnapshot.failureMessage(for: run().forest, expected: expected.replacingOccurrences(of: "3", with: "4"))
        )
        #expect(message.hasPrefix("the chain ran otherwise"))
        #expect(
            message.hasSuffix(
                """
                  fulfilled delay wait · total 1s
                - fulfilled map count = 4
                + fulfilled map count = 3
                """))
    }

    @Test func aMissingSnapshotShowsWhatToPaste() throws {
        let message = try #require(ChainSnapshot.failureMessage(for: run().forest, expected: "\n  \n"))
        #expect(message == "there is no snapshot yet; if this is right, paste it:\n" + expected)
    }

    @Test(.enabled(if: getenv("CHAINVIEW_RECORD") == nil)) func assertChainNamesTheWayToRecord() {
        withKnownIssue {
            assertChain(run(), matches: "")
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("paste it, or run with CHAINVIEW_RECORD=1:") }
        }
    }

    @Test(.enabled(if: getenv("CHAINVIEW_RECORD") == nil)) func assertChainFailsAtItsCaller() {
        withKnownIssue {
            assertChain(run(), matches: "fulfilled delay wait")
        } matching: { issue in
            issue.sourceLocation?.fileName == "ChainSnapshotTests.swift"
        }
    }

    @Test func equalLinesBeforeADifferenceAreCountedOnly() {
        let old = (0..<500).map { "line \($0)" }
        var new = old
        new[250] = "another"
        let difference = ChainSnapshot.difference(old, new)
        #expect(difference[0] == "  … 247 lines alike")
        #expect(difference.contains("- line 250"))
        #expect(difference.contains("+ another"))
    }

    @Test func textsAreEscapedAndStayOnTheirLines() {
        let run = RecordedRun()
        run.record { Promise.resolve("a\nb\u{1b}[2J", label: "two\nlines") }
        #expect(run.forest.chainText() == #"fulfilled resolve two\nlines = a\nb\u{1B}[2J"#)
    }

    // MARK: Recording

    /// Returns the source with the snapshot in the call at a line, or nil if the call is left alone.
    private func recorded(_ source: String, at line: Int, _ snapshot: [String]) -> String? {
        var lines = source.components(separatedBy: "\n")
        let count = lines.count
        guard let grown = InlineSnapshotWriter.replace(in: &lines, from: line - 1, by: snapshot) else { return nil }
        #expect(lines.count == count + grown)
        return lines.joined(separator: "\n")
    }

    @Test func emptyLiteralsAreFilled() {
        #expect(
            recorded("f {\n    assertChain(run, matches: \"\")\n}", at: 2, ["one", "  two"])
                == "f {\n    assertChain(run, matches: \"\"\"\n        one\n          two\n        \"\"\")\n}")
    }

    @Test func longLiteralsAreReplaced() {
        let source =
            "    assertChain(\n        run,\n        matches: \"\"\"\n            old\n            \"\"\")\nmore"
        #expect(
            recorded(source, at: 1, ["new", "", "lines"])
                == "    assertChain(\n        run,\n        matches: \"\"\"\n            new\n\n            lines\n            \"\"\")\nmore"
        )
    }

    @Test func literalsThatAreIndentedWithTabsAreReplaced() {
        let rest = "\n}\n\nlet fixture = \"\"\"\ntext\n\"\"\""
        let source = "\tassertChain(\n\t\trun,\n\t\tmatches: \"\"\"\n\t\t\told\n\t\t\t\"\"\")" + rest
        #expect(
            recorded(source, at: 1, ["new"])
                == "\tassertChain(\n\t\trun,\n\t\tmatches: \"\"\"\n\t\t\tnew\n\t\t\t\"\"\")" + rest)
    }

    @Test func aTextWithABackslashBecomesARawLiteral() {
        #expect(
            recorded("assertChain(run, matches: \"\")", at: 1, [#"a\nb"#])
                == "assertChain(run, matches: #\"\"\"\n    a\\nb\n    \"\"\"#)")
    }

    @Test(arguments: [
        (#"a\nb"#, "#"), ("\\#(1)", "##"), ("\"\"\"#", "##"), ("\"\"\"\"## # \\", "###"), ("\"\"#", ""), ("# 7", ""),
    ])
    func aRawLiteralHasMoreNumberSignsThanItsText(text: String, signs: String) {
        let first = recorded("assertChain(run, matches: \"\")", at: 1, [text])
        #expect(first == "assertChain(run, matches: \(signs)\"\"\"\n    \(text)\n    \"\"\"\(signs))")
        // And is replaced in turn.
        #expect(
            first.flatMap { recorded($0, at: 1, ["new"]) } == "assertChain(run, matches: \"\"\"\n    new\n    \"\"\")")
    }

    @Test func otherArgumentsAreLeftAlone() {
        #expect(recorded("assertChain(run, matches: text)", at: 1, ["x"]) == nil)
        #expect(recorded("assertChain(run, matches: \"one\")", at: 1, ["x"]) == nil)
        #expect(recorded("assertChain(run, matches: \"\"\"", at: 1, ["x"]) == nil)
        #expect(recorded("", at: 9, ["x"]) == nil)
    }

    @Test func severalSnapshotsInOneFileFindTheirLines() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("recording-\(UUID().uuidString).swift")
        defer { try? FileManager.default.removeItem(at: file) }
        try "a(matches: \"\")\nb(matches: \"\")\nc(matches: \"\")\n".write(to: file, atomically: true, encoding: .utf8)
        let writer = InlineSnapshotWriter()
        #expect(writer.write(["C"], into: file.path, at: 3))
        #expect(writer.write(["A", "A"], into: file.path, at: 1))
        #expect(writer.write(["B"], into: file.path, at: 2))
        #expect(!writer.write(["B"], into: file.path + ".missing", at: 2))
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(
            text == """
                a(matches: \"""
                    A
                    A
                    \""")
                b(matches: \"""
                    B
                    \""")
                c(matches: \"""
                    C
                    \""")

                """)
    }

    @Test func linesThatEndAsOnWindowsAreCountedAndKept() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("recording-\(UUID().uuidString).swift")
        defer { try? FileManager.default.removeItem(at: file) }
        let long = "d(\r\n    matches: \"\"\"\r\n    old\r\n    \"\"\")\r\n"
        try "a\r\nb(matches: \"\")\r\nc(matches: \"\")\n\(long)".write(to: file, atomically: true, encoding: .utf8)
        let recording = InlineSnapshotWriter()
        #expect(recording.write(["C"], into: file.path, at: 3))
        #expect(recording.write(["D", "D"], into: file.path, at: 4))
        #expect(recording.write(["B"], into: file.path, at: 2))
        let parts = [
            "a\r\nb(matches: \"\"\"\r\n    B\r\n    \"\"\")\r\n", "c(matches: \"\"\"\n    C\n    \"\"\")\n",
            "d(\r\n    matches: \"\"\"\r\n        D\r\n        D\r\n        \"\"\")\r\n",
        ]
        #expect(try String(contentsOf: file, encoding: .utf8) == parts.joined())
    }

    @Test func aLinkStaysALinkAndItsFileKeepsItsMode() throws {
        let files = FileManager.default
        let folder = files.temporaryDirectory.appendingPathComponent("recording-\(UUID().uuidString)")
        try files.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? files.removeItem(at: folder) }
        let (file, link) = (folder.path + "/file.swift", folder.path + "/link.swift")
        try "a(matches: \"\")\n".write(toFile: file, atomically: true, encoding: .utf8)
        try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        try files.createSymbolicLink(atPath: link, withDestinationPath: "file.swift")
        #expect(InlineSnapshotWriter().write(["A"], into: link, at: 1))
        #expect(try files.destinationOfSymbolicLink(atPath: link) == "file.swift")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "a(matches: \"\"\"\n    A\n    \"\"\")\n")
        #expect(try files.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        #expect(try files.contentsOfDirectory(atPath: folder.path).sorted() == ["file.swift", "link.swift"])
    }
}

// SPDX-License-Identifier: MIT
