import Foundation
import TerminalHarness
import Testing

/// The list of programs, on a real terminal.
@Suite(.serialized, .onItsOwnThread) struct PickerScreenTests {
    /// Starts two programs, in the order of their pids, and the list.
    private func list(_ place: Place) throws -> (Viewer, [Probe]) {
        let probes = [try place.probe("shop"), try place.probe("stock")].sorted { $0.pid < $1.pid }
        for probe in probes { try probe.tell("chain order \(probe.pid)") }
        let viewer = try place.view(waits: false)
        try viewer.wait("the list") { $0.contains("2 programs to attach to") && $0.isAlternate }
        return (viewer, probes)
    }

    @Test(arguments: [("\r", 0), ("j\r", 1), ("\u{1B}OB\u{1B}OA\r", 0), ("2\r", 1), ("Gk\r", 0)])
    func keysChoose(keys: String, index: Int) throws {
        let place = Place()
        let (viewer, probes) = try list(place)
        viewer.type(keys)
        try viewer.wait("the dashboard") {
            $0.contains("● live") && $0.contains("complain of order \(probes[index].pid)")
        }
        try viewer.quit()
    }

    @Test func theMouseChooses() throws {
        let place = Place()
        let (viewer, probes) = try list(place)
        viewer.press(.click(row: 3, column: 8))
        try viewer.wait("the selection") { _ in viewer.selectedRow == 3 }
        viewer.press(.click(row: 3, column: 8))
        try viewer.see("complain of order \(probes[1].pid)")
        try viewer.quit()
    }

    @Test func theListChangesByItself() throws {
        let place = Place()
        let viewer = try place.view(waits: false)
        try viewer.wait("the advice") { $0.contains("nothing to attach to yet") && $0.contains("chainview demo") }
        let probe = try place.probe()
        try viewer.wait("the program") { $0.contains("1 program to attach to") && $0.contains("shop") }
        try probe.tell("chain order 17")
        try viewer.wait("its nodes") { _ in viewer.row("shop").contains(/shop +\d+ +3\b/) }
        probe.end(by: SIGKILL)
        try viewer.see("nothing to attach to yet")
        try viewer.quit()
    }

    @Test(arguments: ["q", "\u{1B}", "\u{3}"])
    func leavingRestoresTheTerminal(key: String) throws {
        let place = Place()
        let (viewer, probes) = try list(place)
        defer { withExtendedLifetime(probes) {} }
        viewer.terminal.resize(columns: 50, rows: 10)
        try viewer.wait("the list, smaller") { $0.contains("2 programs") && $0.row(containing: "/ filter") == 9 }
        viewer.type(key)
        #expect(try viewer.terminal.waitForExit() == .exited(0))
        viewer.expectRestored()
    }

    @Test func aSignalEndsItAndStoppingStopsIt() throws {
        let place = Place()
        let (viewer, probes) = try list(place)
        defer { withExtendedLifetime(probes) {} }
        viewer.press(.control("z"))
        try viewer.terminal.waitForStop()
        #expect(!viewer.screen.isAlternate && viewer.terminal.modes == viewer.modes)
        try viewer.terminal.goOn()
        try viewer.wait("the list again") { $0.isAlternate && $0.contains("2 programs") }
        viewer.terminal.signal(SIGTERM)
        #expect(try viewer.terminal.waitForExit() == .signalled(SIGTERM))
        viewer.expectRestored()
    }
}

// SPDX-License-Identifier: MIT
