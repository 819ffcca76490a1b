// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel
import ChainText

/// The filter: a query for all programs and views.
struct Filter: Equatable {
    /// Nil for no filter; never an empty query.
    var query: Query?
    /// Whether nodes that do not match are dimmed rather than hidden.
    var dims = false

    /// The query as typed; empty for no filter.
    var text: String { query?.text ?? "" }
    var isActive: Bool { query != nil }
    var hidesUnmatched: Bool { isActive && !dims }
}

// Filtering, and going from match to match.
extension State {
    /// Shows and applies the typed text; while the text is not a valid query, the last valid query stays in force.
    mutating func type(_ text: String) {
        typing = Typing()
        showFilter(text)
    }

    private mutating func showFilter(_ text: String) {
        mode = .filter(text)
        if let query = try? query(text) { setFilter(query) }
        updateViewport()
    }

    /// Parses a typed line: a query, or `@name` for a saved query.
    func query(_ text: String) throws(QueryError) -> Query {
        try SavedQueries.eventQuery(text, among: options.savedQueries)
    }

    /// Completes the typed text from the programs' nodes; a repeated call takes the next completion.
    mutating func completeFilter(_ text: String) {
        let choices = typing.choices ?? filterChoices(text)
        guard let line = typing.complete(choices) else { return revision += 1 }
        showFilter(line)
    }

    /// Recalls the line that is `step` lines older, or newer if `step` is negative. Saved queries count as older than
    /// all earlier filters.
    mutating func recallFilter(_ step: Int, _ text: String) {
        let saved = options.savedQueries.sorted { $0.key < $1.key }.map(\.value)
        let lines = filterHistory.lines + saved.filter { !filterHistory.lines.contains($0) }
        guard let line = typing.recall(step, from: lines, instead: text) else { return revision += 1 }
        showFilter(line)
    }

    /// Sets the query for all programs, unless it finds the same as the present query.
    private mutating func setFilter(_ query: Query?) {
        let new = query.flatMap { $0.isEmpty ? nil : $0 }
        if let new, filter.query?.findsSame(as: new) == true { return }
        guard filter.query != new else { return }
        filter.query = new
        for programIndex in world.programs.indices {
            // What the view needs does not change with the filter.
            if !views[view].readsAllFrames { world.programs[programIndex].frameReader.restart() }
            world.programs[programIndex].setFilter(filter, divisor: world.programs.count)
        }
    }

    /// Closes the line and keeps the typed filter; if the filter is invalid, the line stays open.
    mutating func accept(_ text: String) {
        // The line shows the error.
        guard (try? query(text)) != nil else { return revision += 1 }
        mode = .normal
        filterHistory.add(text)
        if filter.isActive {
            let hasFrames = world.programs.indices.contains { world.programs[$0].forest.frameCount > 0 }
            if filter.query?.readsFrames == true, isReplaying || lookingBack != nil, !hasFrames {
                notify("no frames of tasks were recorded: in: finds nothing", .warning)
            } else if matchCount == 0, !isScanning, frameWords == nil, views[view].matchingRows?.count ?? 0 == 0 {
                notify("nothing matches “\(text)” yet; Esc clears the filter", .warning)
            } else if tree.following == .first {
                // The selected node was searched for, so it stays selected when the filter is dropped.
                tree.following = .nothing
            }
        }
        updateViewport()
        goToMatchHere()
    }

    /// Goes to the first match, unless the selected node is a match itself.
    private mutating func goToMatchHere() {
        guard view == .chains, filter.isActive, matchCount > 0 else { return }
        if let (programIndex, node) = selectedNode, world.programs[programIndex].outline.isMatch(node) { return }
        if let (programIndex, node) = firstMatch(in: Array(world.programs.indices), forward: true) {
            reveal(node, in: programIndex)
        }
    }

    /// Applies a filter that was not typed on the filter line, such as the filter of `:filter` or of saved settings.
    mutating func filter(by text: String) throws(QueryError) {
        setFilter(try query(text))
        filterHistory.add(text)
        updateViewport()
    }

    /// Shows the kept nodes that a query finds, in the tree.
    mutating func showNodes(thatMatch text: String) {
        show(.chains)
        do {
            try filter(by: text)
            if matchCount == 0, !isScanning { notify("none of its nodes is kept any more; Esc clears the filter") }
        } catch {
            notify("\(NodeText.safe(text)): \(error)", .warning)
        }
    }

    /// Applies a saved query as if it had been typed; drops the filter if that query is already in force.
    mutating func toggleQuickFilter(_ name: String) {
        do throws(QueryError) {
            let query = try query("@" + name)
            if let current = filter.query, current.findsSame(as: query) {
                dropFilter()
                return notify("all nodes are shown again")
            }
            setFilter(query)
            filterHistory.add(query.text)
            status = nil
            if matchCount == 0, !isScanning {
                notify("nothing matches @\(name) yet; the same key or Esc shows all again")
            }
            updateViewport()
            // This is not done for live nodes, because new live nodes keep arriving at the top.
            if name != "live" { goToMatchHere() }
        } catch {
            notify(error.description, .warning)
        }
    }

    mutating func dropFilter() {
        if case .filter = mode { mode = .normal }
        setFilter(nil)
        updateViewport()
    }

    mutating func toggleDim() {
        guard filter.isActive else { return notify("no filter is set; / sets one") }
        guard !view.type.keepsAllRows else { return notify("this view dims what does not match and hides nothing") }
        setDims(!filter.dims)
        notify(filter.dims ? "what does not match is dimmed" : "what does not match is hidden")
        updateViewport()
    }

    /// Dims the nodes that do not match, or hides them.
    mutating func setDims(_ dims: Bool) {
        filter.dims = dims
        // No new scan is needed, because the outline always keeps its lists both for dimming and for hiding.
        for programIndex in world.programs.indices { world.programs[programIndex].outline.dimsUnmatched = dims }
    }
}

extension ViewContext {
    /// Goes to the next or previous match in the tree.
    mutating func goToMatch(forward: Bool) {
        let selected = selectedNode.map { rowID(of: $0.node, in: $0.programIndex) }
        let (row, message) = nextMatch(forward: forward, from: selected) { wraps in
            let all = Array(world.programs.indices)
            let found =
                wraps ? firstMatch(in: forward ? all : all.reversed(), forward: forward) : match(forward: forward)
            return found.map { rowID(of: $0.node, in: $0.programIndex) }
        }
        if let (programIndex, node) = row.flatMap(find) { reveal(node, in: programIndex) }
        if let message { notify(message) }
    }

    /// Returns the nearest match below or above the selection. Searches the selection's chain, then the nearest chain
    /// with a match, then the nearest program with a match.
    private func match(forward: Bool) -> (programIndex: Int, node: NodeIndex)? {
        guard let start = selectedProgramIndex else {
            return firstMatch(in: Array(world.programs.indices), forward: true)
        }
        let others = Array(forward ? world.programs.indices[(start + 1)...] : world.programs.indices[..<start])
        if let current = selectedNode {
            if let node = world.programs[start].match(from: current.node, forward: forward) { return (start, node) }
        } else if let site = selection?.site,
            let first = world.programs[start].outline.group(of: site, in: world.programs[start].forest)?.first
        {
            // From the row of a group, the group's first chain is the next row.
            if forward, world.programs[start].outline.isMatch(first) { return (start, first) }
            if let node = world.programs[start].match(from: first, forward: forward) { return (start, node) }
        } else if forward, let node = world.programs[start].match(from: nil, forward: true) {
            return (start, node)
        }
        return firstMatch(in: forward ? others : others.reversed(), forward: forward)
    }
}

extension SharedState {
    fileprivate func firstMatch(in places: [Int], forward: Bool) -> (programIndex: Int, node: NodeIndex)? {
        for programIndex in places {
            if let node = world.programs[programIndex].match(from: nil, forward: forward) {
                return (programIndex, node)
            }
        }
        return nil
    }
}

extension SharedState {
    /// Returns the completions of a query, with the completions from the selected program first.
    ///
    /// - Parameter hasEvents: whether the completions include terms about events.
    func filterChoices(_ text: String, hasEvents: Bool = true) -> Typing.Choices {
        if let name = SavedQueries.name(in: text) {
            let saved = SavedQueries.all(options.savedQueries)
            let names = saved.keys.filter { $0.hasPrefix(name) && $0 != name }.sorted()
            // A complete name is replaced by its query.
            let whole = saved[name].map { [$0] } ?? []
            return Typing.Choices(head: "", words: whole + names.map { "@" + $0 })
        }
        if let choices = EventTerms.choices(text) { return hasEvents ? choices : Typing.Choices(head: text, words: []) }
        var range = text.count..<text.count
        var words: [String] = []
        let order =
            (selectedProgramIndex.map { [$0] } ?? []) + world.programs.indices.filter { $0 != selectedProgramIndex }
        for program in order {
            let forest = world.programs[program].forest
            let found = QueryCompletion(of: text, in: forest, limit: filterChoiceLimit)
            range = found.range
            words += found.choices.filter { !words.contains($0) }
        }
        let word = text.dropFirst(range.lowerBound).lowercased()
        if hasEvents, view.type.filtersEvents, !word.isEmpty, EventTerms.field.hasPrefix(word) {
            words.insert("event:", at: 0)
        }
        return Typing.Choices(
            head: String(text.prefix(range.lowerBound)), words: Array(words.prefix(filterChoiceLimit)))
    }
}

private let filterChoiceLimit = 40
