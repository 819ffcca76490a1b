import ChainInsight
import ChainModel
import ChainRows

// Nodes that come folded: those from where the user folded one, and those that the configuration calls unimportant.

extension State {
    /// Call sites that are remembered at most; the oldest goes first.
    static let foldedSiteLimit = 100

    /// The user folded a node or unfolded it: those that are made there later, by another run of the program, come so.
    mutating func noteFold(of node: NodeIndex, in programIndex: Int, _ isFolded: Bool) {
        let forest = programs[programIndex].forest
        guard let site = forest.sites[forest.node(node).site] else {
            return
        }
        let name = InitialFolds.name(of: site)
        foldedSites.removeAll { $0 == name }
        guard isFolded else { return }
        if foldedSites.count >= Self.foldedSiteLimit { foldedSites.removeFirst() }
        foldedSites.append(name)
    }

    /// The nodes that come folded in a program that is looked at from now on.
    var initialFolds: InitialFolds { InitialFolds(foldedSites, unimportant: options.unimportant) }
}

/// Which nodes of one program come folded.
struct InitialFolds {
    /// Such as `Module/File.swift:31`.
    private let names: Set<String>
    private var unimportant: QueryMatcher?
    /// Sites that were looked up.
    private var known: [SiteID: Bool] = [:]
    /// Nodes that were folded: each takes some memory, and a storm of chains comes folded anyway.
    private var count = 0
    private static let limit = 50_000

    /// Nodes made at these call sites, and those that a query finds when they are made.
    init(_ names: [String] = [], unimportant: Query? = nil) {
        self.names = Set(names)
        self.unimportant = unimportant.map { QueryMatcher($0) }
    }

    /// What a site is remembered by.
    static func name(of site: CodeLocation) -> String { "\(site.fileID):\(site.line)" }

    /// Nothing is to be done.
    var isEmpty: Bool { names.isEmpty && unimportant == nil || count >= Self.limit }

    /// Whether a node is to be folded; it counts as folded then.
    mutating func take(_ node: NodeIndex, in forest: ChainForest) -> Bool {
        guard isFromSite(node, in: forest) || unimportant?.matches(node, in: forest, now: 0) == true else {
            return false
        }
        count += 1
        return true
    }

    private mutating func isFromSite(_ node: NodeIndex, in forest: ChainForest) -> Bool {
        guard !names.isEmpty else { return false }
        let site = forest.node(node).site
        if let answer = known[site] { return answer }
        guard let whole = forest.sites[site] else { return false }
        let isNamed = names.contains(Self.name(of: whole))
        known[site] = isNamed
        return isNamed
    }
}

extension Program {
    /// From now on such nodes come folded; what is there is folded at once.
    mutating func setInitialFolds(_ folds: InitialFolds) {
        initialFolds = folds
        foldAllInitially()
    }

    /// Folds the nodes among `changes` that come folded.
    mutating func foldInitially(_ changes: borrowing ForestChanges) {
        if changes.isEverything { return foldAllInitially() }
        for entry in changes.nodes where entry.changes.contains(.created) {
            if initialFolds.take(entry.index, in: forest) { rowModel.fold(entry.index, true, in: forest) }
        }
    }

    /// Nodes that are looked at where everything is new: of a large forest only the roots are, past the first chains.
    private static let walkBudget = 20_000

    private mutating func foldAllInitially() {
        guard !initialFolds.isEmpty, isReached else { return }
        var budget = Self.walkBudget
        for root in forest.roots {
            let count = forest.chain(of: root).nodeCount
            let isWalked = count <= budget
            if isWalked { budget -= count }
            let nodes =
                isWalked ? ChainWalk.rows(of: root, in: forest).map(\.node) : [root]
            // What the user said of a node since counts more.
            for node in nodes where !initialFolds.isEmpty && !rowModel.isFoldSetByUser(node) {
                if initialFolds.take(node, in: forest) { rowModel.fold(node, true, in: forest) }
            }
        }
    }
}
