import ChainEvents
import ChainModel
import ChainRows
import Frames
import GoldenSupport

@testable import Dashboard

/// A dashboard under test: actions in, frames and effects out.
struct Screen {
    var state: State
    /// The effects of all actions so far.
    var effects: [Effect] = []
    /// The moment of the last tick, in milliseconds of the program's clock.
    private(set) var milliseconds = 0.0

    init(_ columns: Int, _ rows: Int, options: State.Options = .init(), connected: Bool = true) {
        state = State(size: Size(columns: columns, rows: rows), options: options)
        if connected { act(.connected(SourceID(0), Script.process)) }
    }

    /// The links of the details, from the top.
    var detailLinks: [DetailLink] { DetailLink.all(in: state.detailLines) }

    /// Whether a link of the details that are shown is selected.
    var isLinkSelected: Bool { state.detail.selectedLink(of: state.selection, Layout(state)) != nil }

    /// The help, while it is shown.
    var help: Help? { if case .help(let help) = state.mode { help } else { nil } }

    mutating func act(_ action: Action) { effects += reduce(into: &state, action) }

    /// Ticks at a moment in milliseconds of the program's clock. Time does not go back: an earlier moment repeats the
    /// last.
    mutating func tick(_ moment: Double) {
        milliseconds = max(milliseconds, moment)
        let monotonic = UInt64(milliseconds * 1_000_000) + 1
        act(.tick(wall: Script.process.wallOffset + monotonic, monotonic: monotonic))
    }

    /// Ticks at a moment of the program's clock, by a clock of the viewer that was set back by an hour.
    mutating func tickSetBack(_ moment: Double) {
        let monotonic = UInt64(moment * 1_000_000) + 1
        act(.tick(wall: Script.process.wallOffset + monotonic - 3_600_000_000_000, monotonic: monotonic))
    }

    /// Delivers the batch of a script, then ticks at its time.
    mutating func feed(_ script: Script, from source: SourceID = SourceID(0)) {
        act(.received(source, script.batch))
        tick(script.time)
    }

    /// Types keys: characters as they are, names in angle brackets: `jj<Enter>`.
    mutating func type(_ keys: String) {
        var rest = keys[...]
        while let character = rest.popFirst() {
            guard character == "<", let end = rest.firstIndex(of: ">") else {
                act(.key(.character(character)))
                continue
            }
            let name = rest[..<end]
            rest = rest[rest.index(after: end)...]
            act(.key(Self.named[String(name)]!))
        }
    }

    /// Presses keys to go from the first row down to a node, and unfolds its chain on the way. Stops after 1,000 keys.
    mutating func go(to id: UInt64) {
        type("g")
        for _ in 0..<1_000 where selectedID != id { type(isOnFoldedRoot(of: id) ? "l" : "j") }
    }

    /// Whether the selection is on the root of the node's chain, and that is folded.
    private func isOnFoldedRoot(of id: UInt64) -> Bool {
        guard state.view == .chains, let forest = state.forest, let node = forest.index(of: NodeID(id)),
            let line = state.tree.selectedLine,
            let row = state.tree.window[line].tree
        else { return false }
        return row.node == forest.root(of: node) && row.flags.contains(.folded)
    }

    /// The keys that ``type(_:)`` takes in angle brackets.
    static let named: [String: KeyPress] = [
        "Enter": KeyPress(.enter), "Esc": KeyPress(.escape), "Up": KeyPress(.up), "Down": KeyPress(.down),
        "Left": KeyPress(.left), "Right": KeyPress(.right), "PgUp": KeyPress(.pageUp), "PgDn": KeyPress(.pageDown),
        "Home": KeyPress(.home), "End": KeyPress(.end), "F1": KeyPress(.function(1)), "BS": KeyPress(.backspace),
        "^C": .control("c"), "^L": .control("l"), "^Z": .control("z"), "Tab": KeyPress(.tab), "^U": .control("u"),
        "^D": .control("d"), "^F": .control("f"), "^B": .control("b"), "^N": .control("n"), "^P": .control("p"),
        "^G": .control("g"), "^O": .control("o"), "S-Tab": KeyPress(.backTab), "Del": KeyPress(.delete),
        "^A": .control("a"), "^E": .control("e"), "^W": .control("w"), "^K": .control("k"), "Alt-b": .alt("b"),
        "Alt-f": .alt("f"),
    ]

    /// Returns the time of day, in nanoseconds since 1970, at a moment of the program's clock.
    static func wall(_ milliseconds: Double) -> UInt64 {
        Script.process.wallOffset + UInt64(milliseconds * 1_000_000) + 1
    }

    var frame: Frame { render(state) }
    var text: String { frame.plainText() }
    /// The cells below the header line. That line changes each second, because it has a clock and ages.
    var body: [[Cell]] {
        let frame = frame
        return (1..<frame.size.rows).map { row in (0..<frame.size.columns).map { frame[row, $0] } }
    }
    var selectedID: UInt64? { state.selection?.id?.rawValue }
    /// The ids of the nodes on the screen, from top to bottom; 0 for the row of a program or group.
    var visibleIDs: [UInt64] { state.tree.window.map { $0.rowID.id?.rawValue ?? 0 } }
    var taggedIDs: [UInt64] { state.presentTags.compactMap { $0.id?.rawValue } }
    var message: String? { state.status?.text }

    func golden() -> String { frame.golden(theme: state.options.theme, glyphs: state.options.glyphs) }
}

/// For tests with one program: its forest and rows.
extension State {
    var forest: ChainForest? { programs.first?.forest }
    var outline: Outline {
        get { programs[0].outline }
        set { world.programs[0].outline = newValue }
    }
    /// Sorts the tree as a key or command does.
    mutating func sortTree(by column: SortColumn, inverted: Bool = false, siblings: Bool = false) {
        callTree { $0.sort(by: column, inverted: inverted, siblings: siblings, &$1) }
    }

    /// The selected node in its forest; nil if the selection is no node.
    var selectedIndex: NodeIndex? { selectedNode?.node }
}

// SPDX-License-Identifier: MIT
