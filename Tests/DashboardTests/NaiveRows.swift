import ChainEvents
import ChainInsight
import ChainModel

@testable import ChainRows
@testable import Dashboard

/// A reference for the rows of a forest: a naive walk over all nodes.
struct NaiveRows {
    let forest: ChainForest
    let rowModel: RowModel
    /// The text of the filter.
    let needle: String
    /// Whether the filter hides what does not match.
    let hides: Bool
    /// Returns whether a chain is drawn in another program's tree.
    var isElsewhere: (NodeIndex) -> Bool = { _ in false }
    /// Returns the rows of other programs under a node.
    var foreign: (NodeIndex) -> [RowID] = { _ in [] }

    func matches(_ node: NodeIndex) -> Bool {
        if matchesItself(node) { return true }
        // What is live under a node that is named matches, too.
        guard (try? Query(needle))?.isOfNames == true, forest.state(of: node).isLive else { return false }
        return forest.treeParent(of: node).map(matches) ?? false
    }

    private func matchesItself(_ node: NodeIndex) -> Bool {
        // What is more than a word is matched as a query, at the moment of the row model's filter.
        if needle.contains(where: { ":<>".contains($0) }) {
            var matcher = QueryMatcher(try! Query(needle))
            return matcher.matches(node, in: forest, now: rowModel.filter.moment)
        }
        let label = forest.label(of: node) ?? forest.site(of: node)?.description ?? ""
        let texts = [label, forest.summary(of: node) ?? "", forest.node(node).kind.word, forest.state(of: node).word]
        return texts.contains { $0.lowercased().contains(needle) }
    }

    private func children(_ node: NodeIndex) -> [NodeIndex] {
        var children: [NodeIndex] = []
        var child = forest.firstChild(of: node)
        while let current = child {
            children.append(current)
            child = forest.nextSibling(of: current)
        }
        return children
    }

    private func holdsMatch(_ node: NodeIndex) -> Bool { matches(node) || children(node).contains(where: holdsMatch) }

    /// The row of a node, of a group by its site, or of another program's node.
    enum Row: Equatable { case node(NodeIndex), group(CodeLocation), foreign(RowID) }

    func rows() -> [Row] {
        let roots = forest.roots.filter { (!hides || holdsMatch($0)) && !isElsewhere($0) }
        let inOrder = roots.sorted(by: order.precedes)
        let rows = { (roots: [NodeIndex]) in roots.flatMap { self.rows(of: $0, isRoot: true) } }
        guard rowModel.order.isGrouped else { return rows(inOrder) }
        let sites = Dictionary(grouping: inOrder) { forest.site(of: $0) ?? CodeLocation(fileID: "", line: 0) }
        let names = sites.keys.sorted {
            // A group without a file comes last.
            ($0.fileID.isEmpty ? 1 : 0, $0.fileID, $0.line) < ($1.fileID.isEmpty ? 1 : 0, $1.fileID, $1.line)
        }
        return names.flatMap { [Row.group($0)] + (rowModel.order.unfoldedSites.contains($0) ? rows(sites[$0]!) : []) }
    }

    private var order: NaiveOrder {
        NaiveOrder(forest: forest, rowModel: rowModel, moment: rowModel.list.merge?.moment ?? 0)
    }

    /// Returns the rows of a node and of what stands below it. An only child by `then` continues the node at its own
    /// level, after the other children.
    func rows(of node: NodeIndex, isRoot: Bool) -> [Row] {
        var inner = children(node)
        let thens = inner.filter { forest.node($0).hasParent }
        var tail: [NodeIndex] = []
        if thens.count == 1 {
            inner.removeAll { $0 == thens[0] }
            tail = thens
        }
        if hides {
            inner = inner.filter(holdsMatch)
            tail = tail.filter(holdsMatch)
        }
        let isFolded = hides ? rowModel.hasOwnFold(node) : rowModel.isFolded(node, in: forest)
        if isFolded, isRoot { return [.node(node)] }
        let below = isFolded ? [] : foreign(node).map(Row.foreign) + inner.flatMap { rows(of: $0, isRoot: false) }
        return [.node(node)] + below + tail.flatMap { rows(of: $0, isRoot: false) }
    }
}

/// The order of chains, by what their rows show.
struct NaiveOrder {
    let forest: ChainForest
    let rowModel: RowModel
    let moment: UInt64

    /// A known duration, or the moment since which it grows.
    private enum Length { case known(UInt64), since(UInt64) }

    func precedes(_ left: NodeIndex, _ right: NodeIndex) -> Bool {
        let ids = (forest.id(of: left).rawValue, forest.id(of: right).rawValue)
        let order = rowModel.order.shown
        switch order.column {
        case .start:
            let archived = (rowModel.isArchived(left), rowModel.isArchived(right))
            guard archived.0 == archived.1 else { return archived.1 }
            // A clock before its zero gives moments centuries away: all from 146 years on are equal.
            let time = { (root: NodeIndex) in
                let node = forest.node(root)
                let made = node.marks.contains(.seenLate) ? forest.id(of: root).rawValue : node.created
                return min(archived.0 ? forest.chain(of: root).settled! : made, Rank.payloadMask)
            }
            if time(left) == time(right) { return ids.0 < ids.1 }
            return (time(left) < time(right)) == order.isInverted
        case .wait, .run, .total:
            switch (length(left, order.column), length(right, order.column)) {
            case (nil, nil): return ids.0 < ids.1
            case (nil, _): return false
            case (_, nil): return true
            case (.known(let one)?, .known(let other)?):
                return one == other ? ids.0 < ids.1 : (one > other) != order.isInverted
            case (.since(let one)?, .since(let other)?):
                return one == other ? ids.0 < ids.1 : (one < other) != order.isInverted
            case (.since(let start)?, .known(let other)?):
                let age = min(moment - min(start, moment), Rank.payloadMask)
                return age == other || (age > other) != order.isInverted
            case (.known(let one)?, .since(let start)?):
                let age = min(moment - min(start, moment), Rank.payloadMask)
                return age != one && (one > age) != order.isInverted
            }
        case .state, .node, .thread, .value:
            // The ranks of texts have tests of their own.
            let rank = SortRank(order: TreeOrder(column: order.column))
            let ranks = [left, right].map { rank.rank(ofRoot: $0, isArchived: false, in: forest) }
            guard ranks[0] != ranks[1] else { return ids.0 < ids.1 }
            guard Rank.section(ranks[0]) == Rank.section(ranks[1]) else { return ranks[0] < ranks[1] }
            return (ranks[0] < ranks[1]) != order.isInverted
        }
    }

    private func length(_ root: NodeIndex, _ column: SortColumn) -> Length? {
        let view = forest.node(root)
        // Later than any time, except times of a clock before its zero.
        let now: UInt64 = 1 << 61
        let timing = forest.timing(of: root, now: now)
        switch column {
        case .wait: return timing.wait.map { view.state == .queued ? .since(now - $0) : .known($0) }
        case .run: return timing.run.map { view.activity == .running ? .since(now - $0) : .known($0) }
        default:
            let chain = forest.chain(of: root)
            if chain.nodeCount == 1 { return timing.total.map { view.isLive ? .since(now - $0) : .known($0) } }
            // A clock before its zero gives ages of centuries: all from 146 years on are equal.
            return chain.settled.map { .known(min($0 - min(view.created, $0), Rank.payloadMask)) }
                ?? .since(min(view.created, Rank.payloadMask))
        }
    }
}
