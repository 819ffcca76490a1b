import ChainEvents
import ChainModel
import ChainRecording
import Foundation
import PromiseRuntime
import Synchronization
import Testing

@testable import ChainTesting

/// Recordings in tests, and the expectations of runs and recordings.
@Suite struct ChainRecordingTests {
    private struct Declined: Error, CustomStringConvertible { var description: String { "declined" } }

    /// Returns a run that reserves for a second, charges for two, and prints a receipt.
    private func order(declined: Bool = false) -> RecordedRun {
        let run = RecordedRun()
        run.record {
            Promise.delay(.seconds(1), label: "reserve")
                .then(label: "charge") { Promise.delay(.seconds(2), label: "bank") }
                .map(label: "receipt") { () -> Int in if declined { throw Declined() } else { 17 } }
        }
        run.runUntilIdle()
        return run
    }

    /// A folder that is removed after the test.
    private final class Folder {
        let path = FileManager.default.temporaryDirectory.path + "/chain-testing-\(UUID().uuidString)"
        init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    /// Writes a recording of the run, and reads it.
    private func recording(_ run: RecordedRun) throws -> ChainTesting.ChainRecording {
        let folder = try Folder()
        try run.writeRecording(to: folder.path + "/run.chain")
        // The recording keeps its file open, so the folder may be removed.
        return try ChainTesting.ChainRecording(contentsOf: folder.path + "/run.chain")
    }

    @Test func aRunIsWrittenAndReadAtAnyMoment() throws {
        let recording = try recording(order())
        #expect(recording.duration == .seconds(3) && !recording.program.isEmpty)
        assertChain(
            recording.tree(at: .seconds(2)),
            matches: """
                fulfilled delay reserve
                pending then charge
                  waiting map receipt
                  pending delay bank
                """)
        assertChain(
            recording.end,
            matches: """
                fulfilled delay reserve
                fulfilled then charge
                  fulfilled map receipt = 17
                  fulfilled delay bank
                """)
        // The nodes have durations, although the text has none.
        #expect(recording.end.nodes.map(\.total) == [.seconds(1), .seconds(2), .zero, .seconds(2)])
        #expect(recording.tree(at: .seconds(100)).text == recording.end.text)
        #expect(ChainSnapshot.failureMessage(for: recording.end, expected: "rejected map") != nil)
    }

    @Test func aRunAndItsRecordingHaveTheSameTreeAtEachMoment() throws {
        let run = order(declined: true)
        let recording = try recording(run)
        for tenths in 0...35 {
            let moment = Duration.milliseconds(100 * tenths)
            #expect(run.tree(at: moment).nodes == recording.tree(at: moment).nodes, "\(moment)")
        }
        #expect(run.tree(at: .seconds(99)).text == run.text)
    }

    @Test func aFileThatIsNoRecordingIsAnError() throws {
        let folder = try Folder()
        let path = folder.path + "/text"
        try Data("no recording".utf8).write(to: URL(fileURLWithPath: path))
        let error = #expect(throws: ChainRecordingError.self) { try ChainTesting.ChainRecording(contentsOf: path) }
        #expect(error?.description == "\(path) is not a chainview recording")
        #expect(throws: ChainRecordingError.self) { try ChainTesting.ChainRecording(contentsOf: path + ".none") }
        #expect(throws: ChainRecordingError.self) { try order().writeRecording(to: path) }
    }

    @Test func pendingPromisesAreNamed() throws {
        let run = order()
        run.expectNoPending(after: .seconds(3))
        let recording = try recording(run)
        recording.expectNoPending(after: .seconds(3))
        #expect(
            run.tree(at: .seconds(2)).failureMessage(forPendingAfter: .seconds(2)) == """
                3 promises are pending after 2s:
                    fulfilled delay reserve · total 1s
                  > pending then charge · total 1s
                  >   waiting map receipt
                  >   pending delay bank · total 1s @1s
                """)
        #expect(
            recording.tree(at: .seconds(0.5)).failureMessage(forPendingAfter: .seconds(0.5)) == """
                3 promises are pending after 0.5s:
                  > pending delay reserve
                  > waiting then charge
                  > waiting map receipt
                """)
    }

    @Test func labelsInTheOrderOfTheirStepsAreAccepted() throws {
        let run = order()
        run.expectOrder("reserve", "charge", "receipt")
        run.expectOrder("reserve", "bank", "receipt")
        try recording(run).expectOrder("reserve", "charge", "receipt")
    }

    /// It has no handler, so it begins with the later of its creation and its parent's settlement.
    @Test func aTimeoutOfASettledPromiseBeginsWhenItIsMade() {
        let run = RecordedRun()
        let stock = run.record { Promise.resolve(3, label: "stock") }
        run.record { Promise.delay(.seconds(1), label: "reserve") }
        run.runUntilIdle()
        run.record { stock.timeout(.seconds(5), label: "limit") }
        run.runUntilIdle()
        run.expectOrder("reserve", "limit")
    }

    /// It was cancelled before its parent settled, or while it was queued.
    @Test func aCancelledHandlerDidNotRun() {
        let run = RecordedRun()
        let reserve = run.record { Promise.delay(.seconds(5), label: "reserve") }
        let charge = run.record { reserve.map(label: "charge") { 1 } }
        run.record { reserve.map(label: "receipt") { 2 } }
        charge.cancel()
        run.runUntilIdle()
        run.expectOrder("reserve", "receipt")
        let found = issue { run.expectOrder("reserve", "charge") }
        #expect(found.text.hasPrefix("no promise labelled \"charge\" ran:"), "\(found)")
    }

    /// Returns the message of the issue that `body` records, and its line.
    private func issue(_ body: @Sendable () -> Void) -> (text: String, line: Int) {
        let found = Mutex((text: "", line: 0))
        withKnownIssue {
            body()
        } matching: { issue in
            found.withLock { $0 = (issue.comments.first?.rawValue ?? "", issue.sourceLocation?.line ?? 0) }
            return true
        }
        return found.withLock { $0 }
    }

    @Test func aContradictionIsShownAtTheCallersLine() throws {
        let run = order()
        let line = #line + 1
        let found = issue { run.expectOrder("charge", "reserve") }
        #expect(found.line == line)
        #expect(
            found.text == """
                "reserve" began at 0s, and "charge" settled at 3s:
                  > fulfilled delay reserve · total 1s
                  > fulfilled then charge · total 2s
                      fulfilled map receipt = 17
                      fulfilled delay bank · total 2s @1s
                """)
        let missing = issue { run.expectOrder("reserve", "refund") }
        #expect(missing.text.hasPrefix("there is no promise labelled \"refund\":\n    fulfilled delay reserve"))
        let pending = issue { run.expectNoPending(after: .seconds(1)) }
        #expect(pending.text.hasPrefix("3 promises are pending after 1s:"), "\(pending)")
    }

    @Test func aSkippedPromiseDidNotRun() {
        let run = RecordedRun()
        run.record {
            Promise<Int>(label: "reserve") { throw Declined() }.map(label: "charge") { $0 }.anyway(label: "release") {
                _ in
            }
        }
        run.runUntilIdle()
        run.expectOrder("reserve", "release")
        let found = issue { run.expectOrder("reserve", "charge") }
        #expect(found.text.hasPrefix("no promise labelled \"charge\" ran:"), "\(found)")
        #expect(found.text.contains("> skipped map charge"))
    }

    /// Steps at one virtual time are ordered by their events. Each chain that has two of the labels is checked by itself.
    @Test func eachChainIsCheckedByItself() {
        let run = RecordedRun()
        for number in 1...3 {
            run.record {
                Promise(label: "first") { number }.map(label: "second") { $0 }.map(label: "third") { $0 }
            }
        }
        run.runUntilIdle()
        run.expectOrder("first", "second", "third")
        let found = issue { run.expectOrder("third", "first") }
        #expect(found.text.contains("\"first\" began at 0s, and \"third\" settled at 0s:"), "\(found)")
    }

    @Test func labelsOfDifferentChainsAreCompared() {
        let run = RecordedRun()
        run.record { Promise.delay(.seconds(1), label: "warm up") }
        run.run(until: .seconds(2))
        run.record { Promise.delay(.seconds(1), label: "serve") }
        run.runUntilIdle()
        run.expectOrder("warm up", "serve")
        #expect(issue { run.expectOrder("serve", "warm up") }.text.contains("\"warm up\" began at 0s"))
    }

    @Test func aFailedExpectationLeavesItsRecording() throws {
        let folder = try Folder()
        let below = folder.path + "/failures"
        let run = order()
        let location = TestLocation(
            fileID: "Shop/OrderTests.swift", filePath: "/shop/OrderTests.swift", line: 42, column: 1)
        let first = FailureRecording.sentence(for: run, at: location, folder: below)
        #expect(first == "recorded: chainview replay \(below)/OrderTests-42.chain")
        let second = FailureRecording.sentence(for: run, at: location, folder: below)
        #expect(second == "recorded: chainview replay \(below)/OrderTests-42-2.chain")
        let left = try ChainTesting.ChainRecording(contentsOf: below + "/OrderTests-42.chain")
        #expect(left.end.nodes == run.tree.nodes)
        #expect(FailureRecording.sentence(for: run, at: location, folder: nil) == nil)
        try Data().write(to: URL(fileURLWithPath: folder.path + "/file"))
        let none = FailureRecording.sentence(for: run, at: location, folder: folder.path + "/file/below")
        #expect(none?.hasPrefix("the run cannot be recorded in") == true)
    }
}

// SPDX-License-Identifier: MIT
