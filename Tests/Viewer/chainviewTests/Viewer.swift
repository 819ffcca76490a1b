import Foundation
import TerminalHarness
import TestWaits
import Testing

/// `chainview` on a pseudo-terminal: keys in, the screen out.
final class Viewer {
    let terminal: PseudoTerminal
    /// The terminal's modes before the start.
    let modes: TerminalModes

    var screen: VirtualScreen { terminal.screen }
    var text: String { terminal.screen.text }

    /// Starts `chainview ARGUMENTS` and waits for its first rows, unless `waits` is false.
    init(
        _ arguments: [String], columns: Int = 120, rows: Int = 40, setting: [String: String] = [:],
        directory: String? = nil, waits: Bool = true
    ) throws {
        let environment = PseudoTerminal.standardEnvironment.merging(setting) { $1 }
        modes = try PseudoTerminal("/bin/cat").modes
        terminal = try PseudoTerminal(
            builtProduct("chainview"), arguments, columns: columns, rows: rows, environment: environment,
            directory: directory)
        if waits {
            try wait("the first rows") { $0.isAlternate && $0.contains("live") && self.selectedRow != nil }
        }
    }

    /// Starts `chainview demo NAME…`.
    static func demo(
        _ arguments: String..., columns: Int = 120, rows: Int = 40, setting: [String: String] = [:]
    ) throws -> Viewer {
        try Viewer(["demo"] + arguments, columns: columns, rows: rows, setting: setting)
    }

    /// Waits until the screen satisfies a condition.
    func wait(
        _ what: String, isBrief: Bool = false, _ condition: (VirtualScreen) -> Bool
    ) throws {
        try terminal.waitUntil(what, isBrief: isBrief, condition)
    }

    /// Waits until the screen holds a text, or has held it since the last wait: a message goes by itself.
    func see(_ text: String) throws { try wait("“\(text)”", isBrief: true) { $0.contains(text) } }

    /// Waits until the screen does not hold a text.
    func seeNoMore(_ text: String) throws { try wait("“\(text)” to go") { !$0.contains(text) } }

    func type(_ text: String) { terminal.send(text) }
    func press(_ key: TerminalKey) { terminal.press(key) }

    /// The number of the selected row.
    var selectedRow: Int? {
        (2..<max(2, screen.rows - 1)).first { ["›", ">"].contains(screen.cell($0, 0).text) }
    }

    /// The text of the selected row.
    var selected: String { selectedRow.map { screen.text(row: $0) } ?? "" }

    /// Selects the first node that holds a text, by a filter.
    func select(_ label: String) throws {
        type("/\(label)")
        try see("/\(label)")
        press(.enter)
        // Waits for the tree's own line, because the first match is selected by then.
        try wait("the filter for \(label)") { $0.text(row: $0.rows - 1).contains("n next") }
        // The text may be in a part of the node that the row does not show.
        for _ in 0..<4 where !selected.contains(label) {
            let row = selectedRow
            type("n")
            try wait("the match after row \(row ?? 0)") { _ in self.selectedRow != row }
        }
        try wait("the selection on \(label)") { _ in self.selected.contains(label) }
        press(.escape)
        try wait("the whole tree with \(label)") { screen in
            !screen.text(row: screen.rows - 1).contains("/\(label)") && self.selected.contains(label)
        }
    }

    /// Returns the first row that holds a text, below the header and the tabs.
    func row(_ label: String) -> String {
        (2..<max(2, screen.rows)).lazy.map { self.screen.text(row: $0) }.first { $0.contains(label) } ?? ""
    }

    /// Presses `q` and checks the exit of chainview.
    func quit(_ location: SourceLocation = #_sourceLocation) throws {
        type("q")
        #expect(try terminal.waitForExit() == .exited(0), sourceLocation: location)
        expectRestored(location)
    }

    /// Checks that the terminal's modes are restored.
    func expectRestored(_ location: SourceLocation = #_sourceLocation) {
        #expect(!screen.isAlternate, sourceLocation: location)
        #expect(screen.isCursorVisible, sourceLocation: location)
        #expect(!screen.wantsMouse, sourceLocation: location)
        #expect(terminal.modes == modes, sourceLocation: location)
        #expect(
            terminal.modes.isCanonical && terminal.modes.echoes && terminal.modes.sendsSignals, sourceLocation: location
        )
        #expect(!screen.contains("chainview"), "the dashboard is still there", sourceLocation: location)
    }
}

// SPDX-License-Identifier: MIT
