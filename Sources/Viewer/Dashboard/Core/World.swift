// SPDX-License-Identifier: MIT

import ChainModel

/// What is known of the programs at one time: of the present while they run, or of a past time of theirs.
///
/// Keep a single copy of each world: it holds the programs' forests, and with a second copy the next change would copy
/// the forests.
struct World: ProgramLookup {
    /// The programs, in the order of their sources.
    var programs: [Program] = []
    var calledChains = CalledChains()
    /// Whether chains are grouped by call site, so that each is drawn in its own program.
    var isGrouped = false
    /// Whether the filter hides rows, so that a program without rows has no row of its own.
    var hidesUnmatched = false
    var workSchedule = WorkSchedule()
    /// The time of the last tick, in nanoseconds since 1970; in a recording, the time of day of the shown moment.
    var wall: UInt64 = 0
}

/// The lookup of programs and nodes by identity.
protocol ProgramLookup {
    /// The programs, in the order of their sources.
    var programs: [Program] { get }
}

/// What every part of the dashboard may read.
protocol SharedState: ProgramLookup {
    /// What is known of the programs at the time that is shown.
    var world: World { get }
    /// The view that is shown.
    var view: ViewID { get }
    /// The row that keys act on.
    var selection: RowID? { get }
    var filter: Filter { get }
    var options: State.Options { get }
    /// Whether the screen is frozen.
    var isFrozen: Bool { get }
    /// The tagged nodes, in the order in which they were tagged.
    var tags: [RowID] { get }
}

extension ProgramLookup {
    /// Whether each program has a row of its own.
    var showsPrograms: Bool { programs.count > 1 }

    /// Returns the index of a source's program; nil for an unknown source.
    func programIndex(of source: SourceID) -> Int? { programs.firstIndex { $0.source == source } }

    /// Returns the node of a row and the index of its program. Returns nil for the row of a program or a group, and for
    /// a node that was evicted or is of an earlier run.
    func find(_ rowID: RowID) -> (programIndex: Int, node: NodeIndex)? {
        guard let key = rowID.node, let programIndex = programIndex(of: rowID.source),
            programs[programIndex].info?.key == key.process,
            let node = programs[programIndex].forest.index(of: key.id)
        else { return nil }
        return (programIndex, node)
    }

    /// The key of each program's current run; nil for a program that was not reached yet.
    var processKeys: [ProcessKey?] { programs.map(\.info?.key) }

    /// Returns whether a row's node is still kept; for the row of a program or a group, whether the program is still
    /// shown.
    func contains(_ rowID: RowID) -> Bool {
        rowID.node == nil ? programIndex(of: rowID.source) != nil : find(rowID) != nil
    }

    /// Returns the identity of a node's row.
    func rowID(of node: NodeIndex, in programIndex: Int) -> RowID { programs[programIndex].rowID(of: node) }
}

extension ProgramLookup {
    /// Whether a recording, or the past of live programs, is shown.
    var isReplaying: Bool { programs.contains { $0.connection.replay != nil } }

    /// Whether the past of live programs is shown.
    var isPast: Bool { programs.contains { $0.connection.replay?.isPast == true } }
}

// The selection.
extension SharedState {
    var programs: [Program] { world.programs }
    var wall: UInt64 { world.wall }

    var selectedNode: (programIndex: Int, node: NodeIndex)? { selection.flatMap(find) }

    /// The tagged nodes that exist at the shown time.
    var presentTags: [RowID] { tags.filter { find($0) != nil } }

    /// The index of the program of the selected row.
    var selectedProgramIndex: Int? { selection.flatMap { programIndex(of: $0.source) } }

    /// Whether the selected node has not settled.
    var isSelectionLive: Bool {
        selectedNode.map { world.programs[$0.programIndex].forest.state(of: $0.node).isLive } ?? false
    }
}

// The filter.
extension SharedState {
    /// Returns whether a node matches the filter; without a filter, every node does. Views that show nodes call this,
    /// whether they hide or dim the nodes that do not match (``Filter/dims``). O(1), because nodes are tested when they
    /// change. ``filterRevision`` changes when a result may have changed. During the first scan of a large forest,
    /// nodes not yet tested do not match.
    func filterMatches(_ node: NodeIndex, in programIndex: Int) -> Bool {
        !filter.isActive || world.programs[programIndex].outline.isMatch(node)
    }

    /// A number that changes when a result of ``filterMatches(_:in:)`` may have changed.
    var filterRevision: UInt64 { world.programs.reduce(0) { $0 &+ $1.outline.filterState.revision } }

    /// The number of matching nodes found so far, in all programs.
    var matchCount: Int { world.programs.reduce(0) { $0 + $1.outline.filterState.matchCount } }

    /// Whether the scan for matches is still running.
    var isScanning: Bool { world.programs.contains(where: \.isScanning) }

    /// Returns the next or previous match in rows, and a message to show. Wraps at the ends. `find` returns the nearest
    /// match beyond the row `present`; with `wraps`, the first match from the other end.
    func nextMatch<Row: Equatable>(
        forward: Bool, from present: Row?, find: (_ wraps: Bool) -> Row?
    ) -> (row: Row?, message: String?) {
        guard filter.isActive else { return (nil, "no filter is set; / sets one") }
        if let row = find(false) { return (row, nil) }
        guard let row = find(true) else {
            let place = view == .chains ? "" : "in this view "
            return (nil, isScanning ? "no match yet" : "nothing \(place)matches “\(filter.text)”")
        }
        guard row != present else { return (nil, "this is the only match") }
        return (row, "wrapped to the \(forward ? "top" : "bottom")")
    }
}

// Messages.
extension SharedState {
    /// The message in place of the rows while the filter finds none.
    var nothingMatches: String { "nothing matches “\(filter.text)”; Esc clears the filter" }

    /// The message for a key that finds no row to act on.
    var emptyReason: String {
        let isHiding = filter.hidesUnmatched && !view.type.keepsAllRows
        return isHiding ? "nothing matches; Esc clears the filter" : "there is nothing here yet"
    }

    /// Returns the message that something was copied, or only sent to the terminal.
    func copied(_ what: String) -> String {
        options.isCopyCertain ? "copied \(what)" : "sent \(what) to the terminal's clipboard"
    }
}
