import ChainEvents
import ChainInsight
import ChainModel
import SeededNumbers
import Testing

@testable import ChainRows

/// Chains with random events, and their outline.
struct ChainWorld {
    var outline = Outline()
    var forest: ChainForest
    private var random: SeededGenerator
    private var nextID: UInt64 = 1
    private var live: [UInt64] = []
    private var time: UInt64 = 1
    private var changes = ForestChanges()

    init(_ seed: Int) {
        random = SeededGenerator(seed: UInt64(seed))
        var limits = ForestLimits()
        limits.settledLeafLimit = [3, 20, 1_000][seed % 3]
        limits.settledNodeLimit = seed % 4 == 0 ? 20 : 1_000
        limits.chainNodeLimit = seed % 2 == 0 ? 12 : 1_000
        if seed % 5 == 0 { limits.changeLimit = 4 }
        forest = ChainForest(process: ProcessKey(rawValue: 42), limits: limits)
    }

    // MARK: Events

    private mutating func append(_ events: [ChainEvent]) {
        var batch = EventBatch(process: forest.process, sequence: time, time: time)
        batch.events = events
        forest.apply(batch)
    }

    private mutating func event(_ kind: EventKind, _ node: UInt64, other: UInt64 = 0, _ flags: EventFlags = [])
        -> ChainEvent
    {
        time += UInt64.random(in: 0...2, using: &random)
        return ChainEvent(
            time: time, kind, node: NodeID(node), other: NodeID(other), detail: UInt16(NodeKind.work.rawValue),
            flags: flags)
    }

    private mutating func make(above: UInt64, _ flags: EventFlags, late: Bool = false) -> ChainEvent {
        var event = event(.created, nextID, other: above, flags)
        if late { event.time = UInt64.random(in: 1...time, using: &random) }
        live.append(nextID)
        nextID += 1
        return event
    }

    /// Makes the first root and a node under it; returns the latter.
    mutating func makeRootAndChild() -> NodeIndex {
        append([make(above: 0, [])])
        append([make(above: 1, [])])
        return forest.index(of: NodeID(nextID - 1))!
    }

    mutating func make(_ count: Int, under parent: NodeIndex) {
        let id = forest.id(of: parent).rawValue
        append((0..<count).map { _ in make(above: id, []) })
    }

    /// Makes nodes under random ones, all in one chain.
    mutating func grow(_ count: Int) {
        if live.isEmpty { append([make(above: 0, [])]) }
        append(
            (0..<count).map { _ in
                make(above: live.randomElement(using: &random)!, Bool.random(using: &random) ? .hasParent : [])
            })
    }

    /// Applies the changes of the forest to the outline.
    mutating func updateRows() {
        forest.consumeChanges(into: &changes)
        outline.update(changes, of: forest, now: time)
    }

    /// Applies random events, evicts, changes folds and filter, and works.
    mutating func step() throws {
        var events: [ChainEvent] = []
        for _ in 0..<Int.random(in: 1...9, using: &random) {
            let some = live.randomElement(using: &random) ?? 0
            let recent = live.last ?? 0
            switch Int.random(in: 0..<16, using: &random) {
            case 0: events.append(make(above: 0, []))
            case 1...4: events.append(make(above: Bool.random(using: &random) ? recent : some, .hasParent))
            case 5...7: events.append(make(above: Bool.random(using: &random) ? 1 : some, []))
            case 8: events.append(make(above: some, [], late: true))
            case 9: if some != 0 { events.append(event(.created, some, other: live.first!, .hasParent)) }
            case 10:
                if some != 0 { events.append(adoption(some, live.randomElement(using: &random)!)) }
            default:
                guard some != 0 else { break }
                events.append(event(Bool.random(using: &random) ? .fulfilled : .rejected, some))
                live.removeAll { $0 == some }
            }
        }
        append(events)
        if Bool.random(using: &random) {
            forest.evictSettled(now: time, budget: Int.random(in: 1...20, using: &random))
        }
        updateRows()
        try change()
        _ = outline.read(3, in: forest, now: time)
        _ = outline.scan(in: forest, budget: 1_000_000)
    }

    private mutating func adoption(_ node: UInt64, _ other: UInt64) -> ChainEvent {
        var event = event(.adopted, node, other: other)
        event.detail = UInt16(LinkKind.adoption.rawValue)
        return event
    }

    /// Changes a fold or the filter, or rebuilds the rows, at random.
    private mutating func change() throws {
        let nodes = (0..<UInt32(forest.indexBound)).map { NodeIndex(rawValue: $0) }.filter { forest.contains($0) }
        guard let some = nodes.randomElement(using: &random) else { return }
        switch Int.random(in: 0..<24, using: &random) {
        case 0...3: outline.fold(some, true, in: forest)
        case 4...7: outline.fold(some, false, in: forest)
        case 8: outline.fold(toLevel: nil, in: forest)
        case 9: outline.fold(toLevel: 0, in: forest)
        case 10: outline.fold(toLevel: Int.random(in: 0...3, using: &random), in: forest)
        case 11:
            let query = ["state:rejected", "state:pending", "not state:pending"].randomElement(using: &random)!
            outline.setFilter(try Query(query), in: forest, now: time)
        case 12: outline.setFilter(nil, in: forest, now: time)
        case 13: outline.filter.dims.toggle()
        case 14: outline.rebuild(from: forest, now: time)
        case 15:
            let selected = nodes.randomElement(using: &random)
            _ = outline.tidy(in: forest, now: time, selected: selected, watched: nil)
        default: break
        }
    }

    // MARK: The naive walk

    /// Whether the filter leaves a node: it or a node below it matches.
    private func isShown(_ node: NodeIndex) -> Bool {
        if outline.filter.isMatch(node) { return true }
        var child = forest.firstChild(of: node)
        while let current = child {
            if isShown(current) { return true }
            child = forest.nextSibling(of: current)
        }
        return false
    }

    /// Returns all rows, by a walk over each chain.
    private func expected() -> [TreeRow] {
        let hides = outline.filter.hidesUnmatched
        return forest.roots.filter { !hides || isShown($0) }
            .sorted { outline.key(ofRoot: $0)!.key < outline.key(ofRoot: $1)!.key }
            .flatMap {
                ChainWalk.rows(
                    of: $0, in: forest,
                    isFolded: { node, _ in
                        hides ? outline.folds.hasOwnFold(node) : outline.isFolded(node, in: forest)
                    },
                    isHidden: hides ? { !isShown($0) } : nil)
            }
    }

    /// Checks the rows, their places and their depths against a walk.
    mutating func check(_ what: String) {
        let expected = expected()
        outline.weighNoted(in: forest)
        #expect(outline.rowCount == expected.count, "\(what)")
        let rows = outline.treeRows(from: 0, count: expected.count + 3, in: forest)
        if let index = zip(rows, expected).enumerated().first(where: { $0.element.0 != $0.element.1 })?.offset {
            #expect(rows[index] == expected[index], "\(what): row \(index)")
        }
        #expect(rows.count == expected.count, "\(what)")
        guard !expected.isEmpty else { return }
        let first = Int.random(in: 0..<expected.count, using: &random)
        #expect(outline.treeRows(from: first, count: 5, in: forest) == Array(expected[first...].prefix(5)), "\(what)")
        #expect(outline.row(of: expected[first].node, in: forest) == first, "\(what)")
        for row in expected {
            if !row.flags.contains(.folded) {
                let root = forest.root(of: row.node)
                #expect(PreorderSteps.depth(of: row.node, within: root, in: forest) == Int(row.depth), "\(what)")
            }
        }
    }
}

extension Outline {
    fileprivate mutating func treeRows(from first: Int, count: Int, in forest: borrowing ChainForest) -> [TreeRow] {
        outlineRows(from: first, count: count, in: forest).compactMap {
            if case .tree(let row) = $0 { row } else { nil }
        }
    }
}

// SPDX-License-Identifier: MIT
