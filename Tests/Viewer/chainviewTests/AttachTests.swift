import Foundation
import TerminalHarness
import TestWaits
import Testing

/// The dashboard on another process, on a real terminal.
@Suite(.serialized, .onItsOwnThread) struct AttachTests {
    @Test func aProgramIsShownAndCancelled() throws {
        let place = Place()
        let probe = try place.probe()
        try probe.tell("chain order 17")
        let viewer = try place.view("attach", "shop")
        try viewer.wait("the chain") { $0.contains("order 17") && $0.contains("complain of order 17") }
        #expect(viewer.screen.text(row: 0).contains("shop \(probe.pid)"), "\(viewer.text)")
        // Later events are shown, too.
        try probe.tell("chain order 18")
        try viewer.see("complain of order 18")
        try probe.tell("settle order 18")
        try viewer.wait("its outcome") { _ in viewer.row("order 18").contains("✔ fulfilled") }
        try viewer.select("order 17")
        viewer.type("c")
        try viewer.see("Cancel order 17?")
        viewer.type("y")
        try viewer.wait("the cancelled row") { _ in
            viewer.row("order 17").contains("⊘ cancelled") && viewer.screen.contains("cancelled by \(NSUserName())")
        }
        // Cancelled in the program, not only on the screen.
        #expect(try place.run("ps shop").output.contains("cancelled"))
        try viewer.quit()
    }

    @Test func severalProgramsAreInOneDashboard() throws {
        let place = Place()
        let (shop, stock) = (try place.probe("shop"), try place.probe("stock"))
        try shop.tell("chain order 17")
        try stock.tell("chain refill 3")
        let viewer = try place.view("attach", "shop", "\(stock.pid)")
        try viewer.wait("a row for each") { $0.contains("failed/min") && $0.contains("shop ") && $0.contains("stock ") }
        viewer.type("1")
        try viewer.wait("both") {
            $0.contains("2 programs") && $0.contains("order 17") && $0.contains("refill 3") && $0.contains("● 2 live")
        }
        // The command goes to the node's own program.
        try viewer.select("refill 3")
        viewer.type("cy")
        try viewer.wait("the cancelled row") { _ in viewer.row(" refill 3").contains("⊘ cancelled") }
        try place.run("ps stock", untilItPrints: "0 live")
        #expect(try place.run("ps shop").output.contains("3 live"))
        try viewer.quit()
    }

    @Test func severalTargetsOfOneProgramAreShownOnce() throws {
        let place = Place()
        let shop = try place.probe("shop")
        try shop.tell("chain order 17")
        let socket = "unix:\(place.path)/chainview/\(shop.pid).sock"
        let words = ["attach shop --for 1s", "attach shop \(shop.pid) \(socket) --for 1s"]
        let (one, three) = (
            try place.run(words[0], untilItPrints: "order 17"), try place.run(words[1], untilItPrints: "order 17")
        )
        #expect(three.status == 0 && three.errors.isEmpty && !three.output.contains("3 programs"), "\(three)")
        let counts = [one, three].map { $0.output.ranges(of: "order 17").count }
        #expect(counts[0] > 0 && counts[0] == counts[1], "\(one) \(three)")
    }

    @Test func aKilledProgramIsReportedAndFoundAgain() throws {
        let place = Place()
        let probe = try place.probe()
        try probe.tell("chain order 17")
        let viewer = try place.view("attach", "shop")
        try viewer.see("order 17")
        probe.end(by: SIGKILL)
        try viewer.wait("that it is lost") { $0.text(row: 0).contains("○ lost") && $0.contains("order 17") }
        viewer.type("c")
        try viewer.see("cannot be reached")
        let again = try place.probe()
        try again.tell("chain order 18")
        try viewer.wait("the new run", isBrief: true) {
            $0.contains("restarted") && $0.contains("order 18") && !$0.contains("order 17")
        }
        #expect(viewer.screen.text(row: 0).contains("shop \(again.pid)"))
        try viewer.quit()
    }

    @Test func aProgramThatIsNotThereYetIsWaitedFor() throws {
        let place = Place()
        let viewer = try place.view("attach", "shop", "--wait", waits: false)
        try viewer.see("connecting")
        let probe = try place.probe()
        try probe.tell("chain order 17")
        try viewer.wait("the program") { $0.contains("● live") && $0.contains("order 17") }
        try viewer.quit()
    }

    @Test func aKilledViewerIsNoLongerCounted() throws {
        let place = Place()
        let probe = try place.probe()
        try probe.tell("chain order 17")
        let viewer = try place.view("attach", "shop")
        func viewers() throws -> Int? {
            let list = try JSONSerialization.jsonObject(with: Data(try place.run("ps --json").output.utf8))
            return (list as? [[String: Any]])?.first?["viewers"] as? Int
        }
        #expect(try viewers() == 1)
        viewer.terminal.signal(SIGKILL)
        #expect(try viewer.terminal.waitForExit() == .signalled(SIGKILL))
        #expect(try wait { try viewers() == 0 })
        try probe.tell("settle order 17")
    }

    @Test func readOnlyCancelsNothing() throws {
        let place = Place()
        let (shop, stock) = (try place.probe("shop"), try place.probe("stock", "read-only"))
        for (probe, arguments, reason) in [
            (shop, ["attach", "shop", "--read-only"], "cancelling is off"),
            (stock, ["attach", "stock"], "takes no commands"),
        ] {
            try probe.tell("chain order 17")
            let viewer = try Viewer(arguments, setting: place.environment)
            try viewer.see("order 17")
            viewer.type("c")
            try viewer.see(reason)
            try viewer.quit()
            #expect(try place.run("ps \(probe.pid)").output.contains("3 live"))
        }
    }

    @Test func hostileTextsAreShownAndNeverObeyed() throws {
        let place = Place()
        let probe = try place.probe("shop\u{1B}[7mX\u{7}")
        try probe.tell("hostile")
        let viewer = try place.view("attach", "\(probe.pid)", columns: 200, rows: 30)
        try viewer.wait("the row") { $0.contains("begin ␀␁␂") }
        // On a wide screen the details stand beside the tree.
        try viewer.wait("the details, too") { $0.contains("made at") }
        try viewer.wait("what the program says when asked") { $0.contains("fetched from the program") }
        // A full redraw looks the same, so no text moved the cursor, changed colours or cleared anything.
        func picture() -> [String] { (1..<29).map { viewer.screen.text(row: $0) } }
        viewer.type("p")
        try viewer.see("frozen")
        try viewer.terminal.waitUntilQuiet()
        let before = picture()
        viewer.press(.control("l"))
        try viewer.terminal.waitUntilQuiet()
        #expect(picture() == before)
        #expect(viewer.screen.contains("␛]0;owned␇␛[2J␛[31mred"), "\(viewer.text)")
        // No control byte except those of the screen itself, and no sequence from the label.
        let raw = String(decoding: viewer.terminal.received, as: UTF8.self)
        for part in [
            "\u{1B}]0;", "\u{1B}]52", "\u{1B}P+q", "\u{1B}[31mred", "\u{9B}", "\u{202E}", "\u{2066}", "\u{FEFF}",
        ] {
            #expect(!raw.contains(part), "\(part.debugDescription)")
        }
        let controls = Set(viewer.terminal.received.filter { $0 < 0x20 || $0 == 0x7F })
        #expect(controls.isSubset(of: [0x08, 0x0A, 0x0D, 0x0E, 0x0F, 0x1B]), "\(controls)")
        try viewer.quit()
    }

    @Test func anySizeIsTakenAndASignalRestoresTheTerminal() throws {
        let place = Place()
        let probe = try place.probe()
        try probe.tell("chain order 17")
        let viewer = try place.view("attach", "shop")
        for (columns, rows, part) in [(40, 12, "order 17"), (20, 5, "too small"), (160, 50, "order 17")] {
            viewer.terminal.resize(columns: columns, rows: rows)
            try viewer.wait("\(columns)x\(rows)") { $0.contains(part) }
        }
        viewer.terminal.signal(SIGTERM)
        #expect(try viewer.terminal.waitForExit() == .signalled(SIGTERM))
        viewer.expectRestored()
        // The program is not affected.
        try probe.tell("chain order 18")
    }

    @Test(arguments: [["attach", "shop"], []])
    func anUnsuitableTerminalIsOneSentence(arguments: [String]) throws {
        let place = Place()
        let probe = try place.probe()
        let viewer = try Viewer(
            arguments, columns: 220, setting: place.environment.merging(["TERM": ""]) { $1 }, waits: false)
        #expect(try viewer.terminal.waitForExit() == .exited(64))
        #expect(viewer.text.hasPrefix("chainview: TERM is not set"), "\(viewer.text)")
        #expect(viewer.terminal.modes == viewer.modes)
        try probe.tell("chain order 17")
    }
}

// SPDX-License-Identifier: MIT
