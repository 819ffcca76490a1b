import ChainEvents
import ChainModel
import ChainRows

// Folds that outlive the nodes that the user folded: by where nodes are made.

extension State {
    /// Call sites that are remembered at most; the oldest goes first.
    static let foldedSiteLimit = 100

    /// The user folded a node or unfolded it: those that are made there later, by another run of the program, come so.
    mutating func noteFold(of node: NodeIndex, in programIndex: Int, _ isFolded: Bool) {
        let forest = programs[programIndex].forest
        guard let site = forest.sites[forest.node(node).site] else {
            return
        }
        let name = SiteFolds.name(of: site)
        foldedSites.removeAll { $0 == name }
        guard isFolded else { return }
        if foldedSites.count >= Self.foldedSiteLimit { foldedSites.removeFirst() }
        foldedSites.append(name)
    }
}

/// Which nodes of one program come folded.
struct SiteFolds {
    /// Such as `Module/File.swift:31`.
    private let names: Set<String>
    /// Sites that were looked up.
    private var known: [SiteID: Bool] = [:]
    /// Nodes that were folded: each takes some memory, and a storm of chains comes folded anyway.
    private var count = 0
    private static let limit = 50_000

    init(_ names: [String] = []) { self.names = Set(names) }

    /// What a site is remembered by.
    static func name(of site: CodeLocation) -> String { "\(site.fileID):\(site.line)" }

    /// Nothing is to be done.
    var isEmpty: Bool { names.isEmpty || count >= Self.limit }

    /// Whether a node is to be folded; it counts as folded then.
    mutating func take(_ node: NodeIndex, in forest: borrowing ChainForest) -> Bool {
        let site = forest.node(node).site
        let isFolded: Bool
        if let answer = known[site] {
            isFolded = answer
        } else {
            guard let whole = forest.sites[site] else { return false }
            isFolded = names.contains(Self.name(of: whole))
            known[site] = isFolded
        }
        if isFolded { count += 1 }
        return isFolded
    }
}

extension Program {
    /// From now on nodes of these sites come folded; what is there is folded at once.
    mutating func foldSites(_ names: [String]) {
        siteFolds = SiteFolds(names)
        foldAllBySite()
    }

    /// Folds the nodes among `changes` that come folded.
    mutating func foldBySite(_ changes: borrowing ForestChanges) {
        if changes.isEverything { return foldAllBySite() }
        for entry in changes.nodes where entry.changes.contains(.created) {
            if siteFolds.take(entry.index, in: forest) { rowModel.fold(entry.index, true, in: forest) }
        }
    }

    /// Nodes that are looked at where everything is new: of a large forest only the roots are, past the first chains.
    private static let walkBudget = 20_000

    private mutating func foldAllBySite() {
        guard !siteFolds.isEmpty, isReached else { return }
        var budget = Self.walkBudget
        for root in forest.roots {
            let count = forest.chain(of: root).nodeCount
            let isWalked = count <= budget
            if isWalked { budget -= count }
            let nodes =
                isWalked ? ChainWalk.rows(of: root, in: forest).map(\.node) : [root]
            // What the user said of a node since counts more.
            for node in nodes where !siteFolds.isEmpty && !rowModel.isFoldSetByUser(node) {
                if siteFolds.take(node, in: forest) { rowModel.fold(node, true, in: forest) }
            }
        }
    }
}
