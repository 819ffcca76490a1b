import ChainEvents
import Frames
import Testing

@testable import Dashboard

@Suite struct CancelTests {
    /// What else is cancelled counts more than the names of the nodes.
    @Test(arguments: 10...14) func onFewRowsTheQuestionKeepsItsNotes(_ rows: Int) {
        var question = Confirmation(parts: [], what: "this", count: 9, labels: (1...4).map { "node \($0)" })
        (question.aroundCount, question.frozenAge) = (3, 5_000_000_000)
        let box = ConfirmBox(question, size: Size(columns: 70, rows: rows), glyphs: .unicode)
        #expect(box.lines.count <= box.area.rows - 4)
        #expect(box.lines.contains { $0.contains("Cancels the whole task: 3 more nodes") })
        #expect(box.lines.contains { $0.contains("frozen 5s ago") } && box.lines.contains("9 pending nodes:"))
    }

    @Test func aLongNameIsCutWithAnEllipsis() {
        var screen = Screen(120, 30)
        var script = Script()
        script.make(1, .promise, String(repeating: "a", count: 90))
        screen.feed(script)
        screen.type("gc")
        guard case .confirm(let question) = screen.state.mode else {
            Issue.record("no question")
            return
        }
        let box = ConfirmBox(question, size: screen.state.size, glyphs: .unicode)
        #expect(box.lines[0].hasSuffix("a…"))
        #expect(screen.frame.rowText(box.area.row + 1).contains("a…"), "\(screen.text)")
    }

    @Test func asksThenSendsAndOnlyEventsSayCancelled() throws {
        var screen = GoldenTests.checkout(120, 60)
        screen.type("/reserve<Enter>nnn<Esc>")
        screen.go(to: 401)
        #expect(screen.selectedID == 401)
        screen.type("c")
        #expect(screen.text.contains("Cancel reserve stock?"))
        #expect(screen.text.contains("6 pending nodes:"))
        #expect(screen.effects.isEmpty)
        screen.type("y")
        let command = try #require(screen.effects.first)
        #expect(
            command
                == .send(
                    SourceID(0),
                    ViewerCommand(
                        id: 1, process: Script.process.key, request: .cancel(.node(NodeID(401)), by: "the dashboard"))))
        let row = screen.frame.rowText(3 + screen.state.tree.selectedLine!)
        #expect(row.contains("running ") && row.contains("cancel requested"))
        var late = Script(sequence: 9, time: 4_300)
        late.cancel(401, "cancelled by the dashboard")
        screen.feed(late)
        let after = screen.frame.rowText(3 + screen.state.tree.selectedLine!)
        #expect(after.contains("⊘ cancelled") && after.contains("cancelled by the dashboard"))
    }

    /// Cancelling a scope cancels its task, and so what the task does around the scope.
    @Test func theQuestionCountsTheNodesOfTheTask() {
        var screen = Screen(120, 30)
        var script = Script()
        script.make(1, .task, "order 17")
        script.make(2, .scope, "charge", by: 1)
        script.make(3, .scope, "bank", by: 2)
        script.make(4, .task, "stock", by: 1)
        for node in 1...4 { script.start(UInt64(node)) }
        screen.feed(script)
        screen.type("/bank<Enter><Esc>c")
        #expect(screen.text.contains("Cancel bank?"))
        #expect(screen.text.contains("1 pending node:"))
        #expect(screen.text.contains("Cancels the whole task: 2 more nodes run in it"))
        screen.type("n/charge<Enter><Esc>c")
        #expect(screen.text.contains("2 pending nodes:"))
        #expect(screen.text.contains("Cancels the whole task: 1 more node runs in it"))
        screen.type("n/stock<Enter><Esc>c")
        #expect(screen.text.contains("Cancel stock?") && !screen.text.contains("the whole task"))
        screen.type("nC")
        #expect(screen.text.contains("4 pending nodes:") && !screen.text.contains("the whole task"))
    }

    /// Only the program can end a span.
    @Test func spansAreNotCounted() {
        var screen = Screen(120, 30)
        var script = Script()
        script.make(1, .span, "GET /orders")
        script.make(2, .task, "order 17", by: 1)
        script.make(3, .span, "bank", by: 2)
        script.make(4, .scope, "charge", by: 3)
        script.make(5, .span, "ledger", by: 4)
        for node in 1...5 { script.start(UInt64(node)) }
        screen.feed(script)
        screen.type("/charge<Enter><Esc>c")
        #expect(screen.text.contains("1 pending node:"))
        #expect(screen.text.contains("Cancels the whole task: 1 more node runs in it"))
        screen.type("nC")
        #expect(screen.text.contains("2 pending nodes:"))
        screen.type("n/ledger<Enter><Esc>c")
        #expect(screen.text.contains("only the program can end a span"))
        screen.type("gc")
        #expect(screen.text.contains("2 pending nodes:"))
    }

    /// A node that follows another is cancelled with it: the question, the rows and the message have one count.
    @Test func nodesThatFollowAreCounted() {
        var screen = Screen(120, 30)
        var script = Script()
        script.make(1, .promise, "wait")
        script.make(2, .then, "answer", by: 1)
        script.make(3, .delay, "600000 ms", by: 2)
        script.adopt(1, 2)
        script.adopt(2, 3)
        screen.feed(script)
        screen.type("/600000<Enter><Esc>c")
        #expect(screen.text.contains("Cancel 600000 ms?") && screen.text.contains("3 pending nodes:"))
        screen.type("y")
        var late = Script(sequence: 9, time: 4_300)
        for node in UInt64(1)...3 { late.cancel(node, "cancelled by the dashboard") }
        screen.feed(late)
        #expect(screen.message == "3 cancelled")
    }

    @Test func answeringNoCancelsNothing() {
        var screen = GoldenTests.checkout(120, 60)
        for key in ["n", "<Esc>", "q"] {
            screen.type("gc" + key)
            #expect(screen.state.context == .view(.chains))
            #expect(screen.message == "nothing was cancelled")
        }
        #expect(screen.effects.isEmpty)
    }

    @Test func theQuestionIsBoundToNodesNotRows() {
        var screen = GoldenTests.checkout(120, 60)
        screen.type("gC")
        // The rows move while the question is open: a newer chain comes above.
        var script = Script(sequence: 9, time: 5_000)
        script.make(900, .promise, "order 19", external: true)
        screen.feed(script)
        #expect(screen.visibleIDs.first == 900)
        screen.type("<Enter>")
        #expect(
            screen.effects == [
                .send(
                    SourceID(0),
                    ViewerCommand(
                        id: 1, process: Script.process.key, request: .cancel(.chain(NodeID(400)), by: "the dashboard")))
            ])
    }

    @Test func aRefusalIsShownAndClearsTheMark() {
        var screen = GoldenTests.checkout(120, 60)
        screen.type("gCy")
        #expect(screen.text.contains("cancel requested"))
        screen.act(.replied(SourceID(0), CommandReply(command: 1, outcome: .refused("nothing pending lies in it"))))
        #expect(screen.message == "refused: nothing pending lies in it")
        #expect(!screen.text.contains("cancel requested"))
    }

    @Test func aMessageSaysWhyNothingCanBeCancelled() {
        var screen = GoldenTests.checkout(120, 60)
        screen.type("Gc")
        #expect(screen.message == "nothing to cancel: this node and all under it have settled")
        var readOnly = GoldenTests.checkout(120, 60, options: State.Options(isReadOnly: true))
        readOnly.type("gc")
        #expect(readOnly.message == "read-only: cancelling is off in this dashboard")
        var info = Script.process
        info.isReadOnly = true
        screen.act(.connected(SourceID(0), info))
        screen.type("gc")
        #expect(screen.message == "read-only: the program takes no commands")
        screen.act(.connected(SourceID(0), Script.process))
        screen.act(.ended(SourceID(0), "exit 0"))
        screen.type("c")
        #expect(screen.message == "the program has ended: nothing can be cancelled")
        #expect(screen.effects.isEmpty)
    }

    @Test func taggedNodesAreCancelledTogether() {
        var screen = GoldenTests.checkout(120, 60)
        screen.type("_g  ")
        #expect(screen.taggedIDs == [400, 300])
        #expect(screen.text.contains("◆"))
        screen.type("c")
        #expect(screen.text.contains("Cancel 2 tagged nodes?"))
        screen.type("y")
        #expect(
            screen.effects == [
                .send(
                    SourceID(0),
                    ViewerCommand(
                        id: 1, process: Script.process.key,
                        request: .cancel(.nodes([NodeID(400), NodeID(300)]), by: "the dashboard")))
            ])
        #expect(screen.state.tags.isEmpty)
    }

    @Test func aKeyRemovesAllTags() {
        var screen = GoldenTests.checkout(120, 60)
        screen.type("g  U")
        #expect(screen.state.tags.isEmpty)
        #expect(!screen.text.contains("◆"))
    }

    @Test func copyAndEdit() {
        var screen = GoldenTests.checkout(120, 60)
        screen.go(to: 101)
        screen.type("y")
        #expect(
            screen.effects == [
                .copy("#101 fulfilled then reserve stock (Checkout.swift:33) 210ms: 2 × sku-9")
            ])
        screen.type("e")
        #expect(screen.effects.last == .openEditor(CodeLocation(fileID: "Checkout/Checkout.swift", line: 33)))
    }

    @Test func clicksInTheDialog() {
        var screen = GoldenTests.checkout(120, 60)
        screen.type("gC")
        guard case .confirm(let question) = screen.state.mode else {
            Issue.record("no question")
            return
        }
        let box = ConfirmBox(question, size: screen.state.size, glyphs: .unicode)
        screen.act(.mouse(Mouse(.press, .left, row: 0, column: 0)))
        #expect(screen.state.context == .confirm)
        screen.act(.mouse(Mouse(.press, .left, row: box.no.row, column: box.no.column + 1)))
        #expect(screen.message == "nothing was cancelled")
        screen.type("C")
        screen.act(.mouse(Mouse(.press, .left, row: box.yes.row, column: box.yes.column + 1)))
        #expect(screen.effects.count == 1)
    }

    /// A question that the screen is too small to show is neither asked nor answered.
    @Test func onTooSmallAScreenNothingIsCancelled() {
        let small = Size(columns: 24, rows: 6)
        var screen = GoldenTests.checkout(120, 60)
        func clickEverywhere() {
            for row in 0..<small.rows {
                for column in 0..<small.columns {
                    screen.act(.mouse(Mouse(.press, .left, row: row, column: column)))
                }
            }
        }
        screen.type("g")
        screen.act(.resized(small))
        screen.type("cy/")
        clickEverywhere()
        #expect(screen.effects.isEmpty && screen.state.context == .view(.chains))
        screen.act(.resized(Size(columns: 120, rows: 60)))
        screen.type("c")
        #expect(screen.state.context == .confirm)
        screen.act(.resized(small))
        screen.type("y<Enter>")
        clickEverywhere()
        #expect(screen.effects.isEmpty && screen.state.context == .confirm)
        screen.act(.resized(Size(columns: 120, rows: 60)))
        screen.type("n")
        screen.act(.resized(small))
        screen.type("<^L><^Z>q<^C>")
        #expect(screen.effects == [.redraw, .suspend, .quit, .quit])
    }

    /// The limit of the count is one of nodes that are cancelled.
    @Test func spansDoNotCountForTheLimit() {
        var screen = Screen(120, 30)
        var script = Script()
        script.make(1, .promise, "many")
        script.make(2, .span, "bank", by: 1)
        for node in 3...UInt64(Confirmation.countLimit + 1) { script.make(node, .promise, by: 1) }
        screen.feed(script)
        screen.type("gc")
        #expect(screen.text.contains("10,000 or more pending nodes:"), "\(screen.text)")
        var spans = Script(sequence: 2, time: 100)
        spans.make(20_000, .span, "batch")
        for node in 0..<UInt64(Confirmation.countLimit) { spans.make(20_001 + node, .span, by: 20_000) }
        spans.make(40_000, .task, "order 17", by: 20_000)
        screen.type("n")
        screen.feed(spans)
        screen.type("gc")
        #expect(screen.text.contains("Cancel batch?") && screen.text.contains("1 pending node:"), "\(screen.text)")
    }
}

// SPDX-License-Identifier: MIT
