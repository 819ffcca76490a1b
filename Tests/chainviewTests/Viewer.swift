import Foundation
import TerminalHarness
import Testing

/// `chainview` on a real pseudo-terminal, driven as a user drives it: keys in, the screen out.
final class Viewer {
    let terminal: PseudoTerminal
    /// What the terminal's modes were before chainview came.
    let modes: TerminalModes

    var screen: VirtualScreen { terminal.screen }
    var text: String { terminal.screen.text }

    /// Starts `chainview ARGUMENTS` and waits for its first rows, unless told not to.
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

    /// `chainview demo STORY…`.
    static func demo(
        _ arguments: String..., columns: Int = 120, rows: Int = 40, setting: [String: String] = [:]
    ) throws -> Viewer {
        try Viewer(["demo"] + arguments, columns: columns, rows: rows, setting: setting)
    }

    func wait(
        _ what: String, timeout: Duration = PseudoTerminal.patience, _ condition: (VirtualScreen) -> Bool
    ) throws {
        try terminal.waitUntil(what, timeout: timeout, condition)
    }

    /// Waits until the screen holds a text.
    func see(_ text: String, timeout: Duration = PseudoTerminal.patience) throws {
        try wait("“\(text)”", timeout: timeout) { $0.contains(text) }
    }

    /// Waits until the screen does not hold a text.
    func seeNoMore(_ text: String) throws { try wait("“\(text)” to go") { !$0.contains(text) } }

    func type(_ text: String) { terminal.send(text) }
    func press(_ key: TerminalKey) { terminal.press(key) }

    /// The number of the row that keys act on.
    var selectedRow: Int? {
        (2..<max(2, screen.rows - 1)).first { ["›", ">"].contains(screen.cell($0, 0).text) }
    }

    /// The text of the row that keys act on.
    var selected: String { selectedRow.map { screen.text(row: $0) } ?? "" }

    /// Selects the first node that holds a text, by filtering for it as a user would.
    func select(_ label: String) throws {
        type("/\(label)")
        try see("/\(label)")
        press(.enter)
        // Only the tree's own line says this, and not the one that is typed on: the first match is selected by then.
        try wait("the filter for \(label)") { $0.text(row: $0.rows - 1).contains("n next") }
        // A match may have the text where the row does not show it.
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

    /// The first row of the screen that holds a text.
    /// Below the header and the tabs, which name the selected node.
    func row(_ label: String) -> String {
        (2..<max(2, screen.rows)).lazy.map { self.screen.text(row: $0) }.first { $0.contains(label) } ?? ""
    }

    /// Presses `q` and sees that chainview ends as it should.
    func quit(_ location: SourceLocation = #_sourceLocation) throws {
        type("q")
        #expect(try terminal.waitForExit() == .exited(0), sourceLocation: location)
        expectRestored(location)
    }

    /// That the terminal is as chainview found it.
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
