// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel
import ChainRows

// Initial folds: some nodes are folded as soon as they appear, not by the user. Such a node was made at a call site
// where the user folded a node before, or matches the configuration's query for unimportant nodes.

/// Call sites of nodes that the user folded, such as `Module/File.swift:31`, the oldest first; in later runs, nodes made
/// there appear folded.
struct FoldedSites {
    private(set) var names: [String]

    /// The maximum number of call sites that are remembered; the oldest is dropped first.
    static let limit = 100

    /// Makes the list of the last ``limit`` names.
    init(_ names: [String] = []) { self.names = names.suffix(Self.limit) }

    /// Remembers the call site of a node that the user folded, so that nodes made there are folded initially in later
    /// runs of the program. Forgets the call site if the user unfolded the node.
    mutating func note(_ node: NodeIndex, in forest: borrowing ChainForest, _ isFolded: Bool) {
        guard let site = forest.sites[forest.node(node).site] else { return }
        let name = InitialFolds.name(of: site)
        names.removeAll { $0 == name }
        guard isFolded else { return }
        if names.count >= Self.limit { names.removeFirst() }
        names.append(name)
    }
}

/// The rule for which nodes of one program are folded initially.
struct InitialFolds {
    /// Call sites, such as `Module/File.swift:31`.
    private let names: Set<String>
    private var unimportant: QueryMatcher?
    /// Whether a site is among ``names``, for the sites that were looked up.
    private var cachedAnswers: [SiteID: Bool] = [:]

    /// Makes the rule that includes nodes made at these call sites, and nodes that match a query when they are tested.
    init(_ names: [String] = [], unimportant: Query? = nil) {
        self.names = Set(names)
        self.unimportant = unimportant.map { QueryMatcher($0) }
    }

    /// Returns the text by which a site is remembered.
    static func name(of site: CodeLocation) -> String { "\(site.fileID):\(site.line)" }

    /// Whether no node is folded initially.
    var isEmpty: Bool { names.isEmpty && unimportant == nil }

    /// Returns whether a node is to be folded initially.
    mutating func includes(_ node: NodeIndex, in forest: ChainForest) -> Bool {
        isFromSite(node, in: forest) || unimportant?.matches(node, in: forest, now: 0) == true
    }

    private mutating func isFromSite(_ node: NodeIndex, in forest: ChainForest) -> Bool {
        guard !names.isEmpty else { return false }
        let site = forest.node(node).site
        if let answer = cachedAnswers[site] { return answer }
        guard let whole = forest.sites[site] else { return false }
        let isNamed = names.contains(Self.name(of: whole))
        cachedAnswers[site] = isNamed
        return isNamed
    }
}

extension Program {
    /// Sets which nodes are folded initially, and folds the nodes among them that exist already.
    mutating func setInitialFolds(_ folds: InitialFolds) {
        initialFolds = folds
        foldExistingNodesInitially()
    }

    /// Folds the new nodes among `changes` that are to be folded initially.
    mutating func foldNewNodesInitially(_ changes: borrowing ForestChanges) {
        if changes.isEverything { return foldExistingNodesInitially() }
        for entry in changes.nodes
        where entry.changes.contains(.created) && outline.mayFoldInitially(entry.index) {
            if initialFolds.includes(entry.index, in: forest) { outline.foldInitially(entry.index, in: forest) }
        }
    }

    /// The budget of nodes for walks over whole chains. Of a chain with more nodes than the remaining budget, only the
    /// root is examined.
    private static let walkBudget = 20_000

    /// Folds the nodes that are to be folded initially, among the nodes that exist already.
    mutating func foldExistingNodesInitially() {
        guard !initialFolds.isEmpty, wasReached else { return }
        var budget = Self.walkBudget
        for root in forest.roots {
            let count = forest.chain(of: root).nodeCount
            let isWalked = count <= budget
            if isWalked { budget -= count }
            let nodes =
                isWalked ? ChainWalk.rows(of: root, in: forest).map(\.node) : [root]
            for node in nodes where outline.mayFoldInitially(node) {
                if initialFolds.includes(node, in: forest) { outline.foldInitially(node, in: forest) }
            }
        }
    }
}
