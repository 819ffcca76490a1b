// SPDX-License-Identifier: MIT

import ChainModel

/// Figures that are added up from the nodes of a forest, one after the other.
package protocol ForestCount: Sendable {
    /// What is shown.
    associatedtype Figures: Sendable
    /// Makes a count of nothing.
    init()
    /// Prepares for a pass over the nodes that are kept; what was added before is from evicted nodes.
    mutating func begin(in forest: ChainForest)
    /// Adds what stands at an index, if there is something to count. Returns how many nodes were read.
    mutating func add(_ index: NodeIndex, in forest: ChainForest) -> Int
    /// Adds what is about to be evicted, if it counts.
    mutating func add(_ departure: Departure, in forest: ChainForest)
    /// How many entries the figures have.
    var entryCount: Int { get }
    /// Computes what an entry shows from what was added up.
    mutating func compute(_ entry: Int, in forest: ChainForest)
    /// What is shown, once all entries are computed.
    var figures: Figures { get }
}

/// Counts a forest's nodes again and again, each time in one pass over all that are kept, in slices.
///
/// What was evicted is added to a count that each pass begins with. A node that is evicted during a pass counts once,
/// whether the pass has reached it or not.
package struct Recount<Count: ForestCount>: Sendable {
    /// The figures of the last complete pass; nil before.
    package private(set) var figures: Count.Figures?
    /// The count of what was evicted.
    package var base = Count()
    /// What the pass that is under way has counted; nil between two passes.
    private var pass: Count?
    /// Whether a pass is under way.
    package private(set) var isCounting = false
    /// The positions of the pass. Kept beside its count, which would be copied with them.
    private var nodes = Cursor(end: 0)
    private var entries: Cursor?

    /// How many indices without a node cost as much as one node.
    private static var freePerNode: Int { 16 }
    /// How many nodes cost as much as computing one entry.
    private static var nodesPerEntry: Int { 32 }

    /// Makes a value without figures.
    package init() {}

    /// Ends the pass, and forgets the figures.
    package mutating func forget() { (pass, figures, isCounting) = (nil, nil, false) }

    /// Adds what is about to leave the forest.
    package mutating func willEvict(_ departure: Departure, in forest: ChainForest) {
        base.add(departure, in: forest)
        guard isCounting else { return }
        let index =
            switch departure {
            case .chain(let index), .node(let index, _): index
            }
        if nodes.isAhead(index.rawValue) { pass!.add(departure, in: forest) }
    }

    /// Begins a pass.
    package mutating func begin(in forest: ChainForest) {
        var count = base
        count.begin(in: forest)
        (pass, isCounting) = (count, true)
        (nodes, entries) = (Cursor(end: forest.indexBound), nil)
    }

    /// Continues the pass until about `budget` nodes were read, some 0.1 µs each. Returns whether this completed it.
    package mutating func advance(in forest: ChainForest, budget: Int) -> Bool {
        // Taken out, so that it is changed in place.
        guard var count = pass.take() else { return false }
        var rest = budget * Self.freePerNode
        while rest > 0, let next = nodes.step() {
            rest -= 1 + Self.freePerNode * count.add(NodeIndex(rawValue: next), in: forest)
        }
        if nodes.isDone {
            if entries == nil { entries = Cursor(end: count.entryCount) }
            while rest > 0, let entry = entries?.step() {
                rest -= Self.freePerNode * Self.nodesPerEntry
                count.compute(Int(entry), in: forest)
            }
            if entries?.isDone == true {
                (figures, isCounting) = (count.figures, false)
                return true
            }
        }
        pass = count
        return false
    }

    /// Counts a forest at once. O(nodes).
    package mutating func count(_ forest: ChainForest) {
        begin(in: forest)
        while !advance(in: forest, budget: .max / Self.freePerNode) {}
    }
}

/// The identity of a count. Totals can be subtracted only within one count, because another one has not seen the same
/// nodes.
package final class CountIdentity: Sendable {
    /// Makes another identity.
    package init() {}
}
