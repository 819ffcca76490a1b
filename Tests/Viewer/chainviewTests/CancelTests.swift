import Foundation
import TerminalHarness
import Testing

/// Cancelling in the running program, from the key to the row that names the canceller.
@Suite(.serialized, .onItsOwnThread) struct CancelTests {
    private let by = "cancelled by \(NSUserName())"

    /// Starts the demo of things that are stuck, and waits for its abandoned call.
    private func stuck(_ arguments: String...) throws -> Viewer {
        let viewer = try Viewer(["demo", "stuck"] + arguments)
        try viewer.wait("the abandoned call") { $0.text(row: 8).contains("▸ call back") }
        return viewer
    }

    @Test func aNodeAndAllUnderItAreCancelled() throws {
        let viewer = try stuck()
        try viewer.select("answer from")
        viewer.type("c")
        try viewer.see("Cancel answer from the other office?")
        for line in ["3 pending nodes:", "pending  answer from", "waiting  read it", "waiting  complain"] {
            #expect(viewer.screen.contains(line), "\(viewer.text)")
        }
        viewer.type("y")
        try viewer.wait("three cancelled rows") { _ in
            ["answer from", "read it", "complain"].map(viewer.row).allSatisfy {
                $0.contains("⊘ cancelled") && $0.contains(self.by)
            }
        }
        // The value handler did not run; the clean-up handler did, since it has a thread.
        #expect(!viewer.row("read it").contains("worker-"), "\(viewer.text)")
        try viewer.wait("the clean-up") { _ in viewer.row("complain").contains("worker-") }
        // Other chains are not affected.
        let desk = viewer.row("wait at the desk")
        // Blocked, once the thread has waited for a second.
        #expect(["running", "blocked"].contains(where: desk.contains) && viewer.row("go home").contains("waiting"))
        viewer.press(.enter)
        try viewer.wait("who did it, in the details") { screen in
            screen.contains("cancel requested") && screen.contains("made at")
                && screen.row(containing: "asked for by").map {
                    screen.text(row: $0).contains("  asked for by \(NSUserName())")
                } ?? false
        }
        viewer.type("c")
        try viewer.see("nothing to cancel: this node and all under it have settled")
        try viewer.quit()
    }

    @Test(arguments: ["n", "\u{1B}", "q"])
    func anAnswerOfNoCancelsNothing(key: String) throws {
        let viewer = try stuck()
        try viewer.select("answer from")
        viewer.type("C")
        try viewer.see("Cancel the whole chain of answer from")
        viewer.type(key)
        try viewer.see("nothing was cancelled")
        #expect(viewer.row("answer from").contains("pending") && !viewer.screen.contains("⊘"))
        try viewer.quit()
    }

    @Test func aClickAnswersToo() throws {
        let viewer = try stuck()
        try viewer.select("answer from")
        viewer.type("c")
        try viewer.see("y  cancel")
        let row = try #require(viewer.screen.row(containing: "y  cancel"))
        let column = try #require((0..<120).first { viewer.screen.cell(row, $0).text == "y" })
        viewer.press(.click(row: row, column: column))
        try viewer.see(by)
        try viewer.quit()
    }

    @Test func readOnlyIsReported() throws {
        let viewer = try stuck("--read-only")
        try viewer.select("answer from")
        #expect(!viewer.screen.text(row: 39).contains("c cancel"))
        viewer.type("c")
        try viewer.see("read-only")
        // No question was asked, so this copies the row.
        viewer.type("y")
        try viewer.see("clipboard")
        viewer.type("C")
        try viewer.see("read-only")
        #expect(!viewer.screen.contains("Confirm") && viewer.row("answer from").contains("pending"))
        try viewer.quit()
    }

    @Test func theQuestionIsAboutNodesNotRows() throws {
        let place = Place()
        let shop = try place.probe()
        for number in 1...2 { try shop.tell("chain order \(number)") }
        let viewer = try place.view("attach", "shop")
        try viewer.see("order 2")
        try viewer.select("order 2")
        viewer.type("C")
        try viewer.see("Cancel the whole chain of order 2?")
        // The tree is updated behind the question.
        try shop.tell("chain order 3")
        try viewer.wait("more chains") { $0.text(row: 0).contains("3 chains") }
        viewer.type("y")
        try viewer.wait("order 2's end") { _ in viewer.row("order 2 ").contains("cancelled") }
        #expect(!viewer.row("order 1 ").contains("cancelled") && !viewer.row("order 3 ").contains("cancelled"))
        try viewer.quit()
    }

    @Test func workOnAThreadStopsAndCleaningUpHappens() throws {
        // So slow that reserving takes minutes unless it is cancelled, and no second order comes.
        let viewer = try Viewer.demo("checkout", "--seed", "3", "--speed", "0.001")
        try viewer.wait("work on a thread") { _ in
            viewer.row("reserve").contains("running") && viewer.screen.contains("release the shelf")
        }
        // Selected, because the chain of the selected row does not fold when it settles.
        viewer.type("j")
        try viewer.wait("the selection") { _ in viewer.selected.contains("reserve") }
        viewer.type("C")
        try viewer.see("Cancel the whole chain of order 1?")
        viewer.type("y")
        try viewer.wait("the end of the chain") { screen in
            screen.text(row: 3).contains("cancelled") && screen.text(row: 0).contains("0 running")
        }
        for label in ["order 1", "reserve", "check ", "charge", "send receipt", "release the shelf", "tell the"] {
            try viewer.wait("\(label) to be cancelled") { _ in
                viewer.row(label).contains("⊘ cancelled") && viewer.row(label).contains(self.by)
            }
        }
        for label in ["release the shelf", "tell the"] {
            try viewer.wait("the clean-up \(label)") { _ in
                viewer.row(label).contains("worker-") || viewer.row(label).contains("stock-")
            }
        }
        for label in ["check ", "charge", "send receipt"] {
            #expect(!viewer.row(label).contains("worker-") && !viewer.row(label).contains("stock-"), "\(viewer.text)")
        }
        try viewer.quit()
    }

    @Test func aHandlerThatIgnoresCancellationIsReportedAsRunning() throws {
        let viewer = try stuck()
        try viewer.select("wait at the")
        viewer.type("c")
        try viewer.see("Cancel wait at the desk?")
        viewer.type("y")
        try viewer.wait("the end") { _ in viewer.row("wait at").contains("cancelled") }
        try viewer.wait("what hangs on it") { _ in viewer.row("go home").contains("cancelled") }
        try viewer.quit()
    }

    /// The files are links to pipes with one byte each, so that an empty pipe shows that its file was read.
    @Test func cancellingAFolderEndsItsReading() throws {
        let pipes = try PipeFolder(["alpha": 480, "beta": 12])
        // Each file takes more than a second, so that all of them, four at a time, take minutes.
        let viewer = try Viewer.demo("files", pipes.path, "--speed", "0.04")
        try viewer.wait("the reading of both") { _ in pipes.readCount("alpha") > 0 && pipes.readCount("beta") > 0 }
        try viewer.select("alpha/")
        viewer.type("c")
        try viewer.see("Cancel alpha/?")
        viewer.type("y")
        try viewer.wait("the folder's end") { _ in
            viewer.row("alpha/").contains("⊘ cancelled") && viewer.row("alpha/").contains("cancelled by")
        }
        // Four reads that have started may end; no others start, while the other folder is read to its end.
        let count = pipes.readCount("alpha")
        try viewer.wait("the end of all") { screen in
            screen.text(row: 0).contains(" 0 running") && pipes.readCount("beta") == 12
        }
        #expect(pipes.readCount("alpha") <= count + 4 && count + 4 < 480, "\(pipes.readCount("alpha")) after \(count)")
        try viewer.quit()
    }
}

/// A temporary folder of folders; their files are links to pipes that hold one byte each.
private final class PipeFolder {
    let path: String
    private var pipes: [String: [Int32]] = [:]

    init(_ folders: [String: Int]) throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "chainview-\(UUID().uuidString)")
        path = root.path
        for (name, count) in folders {
            let folder = root.appending(path: name)
            // Hidden, so that the walk skips it.
            let hidden = root.appending(path: ".pipes-\(name)")
            for each in [folder, hidden] {
                try FileManager.default.createDirectory(at: each, withIntermediateDirectories: true)
            }
            for number in 0..<count {
                let pipe = hidden.appending(path: "\(number)").path
                guard mkfifo(pipe, 0o600) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
                try FileManager.default.createSymbolicLink(
                    atPath: folder.appending(path: "\(name)-\(number)").path, withDestinationPath: pipe)
                let descriptor = open(pipe, O_RDWR | O_NONBLOCK | O_CLOEXEC)
                guard descriptor >= 0, write(descriptor, "x", 1) == 1 else { throw POSIXError(.EIO) }
                pipes[name, default: []].append(descriptor)
            }
        }
    }

    deinit {
        for descriptor in pipes.values.joined() { close(descriptor) }
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Returns how many files of a folder were read.
    func readCount(_ name: String) -> Int {
        pipes[name, default: []].filter { descriptor in
            var count: Int32 = 0
            return ioctl(descriptor, UInt(FIONREAD), &count) == 0 && count == 0
        }
        .count
    }
}

// SPDX-License-Identifier: MIT
