import ChainEvents
import ChainInsight
import ChainModel
import ChainText
import Testing

@testable import ChainRows
@testable import Dashboard

/// A reference for the rows of a forest: a naive walk over all nodes. Of the outline it reads what the user has set
/// (folds, level, order), and which chains folded and are archived, which depends on the past; see ``checkChains(_:)``.
struct NaiveRows {
    let forest: ChainForest
    let outline: Outline
    /// The selected node, if it is one of this program.
    var selected: NodeIndex?
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
        // What is more than a word is matched as a query, at the moment of the outline's filter.
        if needle.contains(where: { ":<>".contains($0) }) {
            var matcher = QueryMatcher(try! Query(needle))
            return matcher.matches(node, in: forest, now: outline.filter.moment)
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
        guard outline.isGrouped else { return rows(inOrder) }
        let sites = Dictionary(grouping: inOrder) { forest.site(of: $0) ?? CodeLocation(fileID: "", line: 0) }
        let names = sites.keys.sorted {
            // A group without a file comes last.
            ($0.fileID.isEmpty ? 1 : 0, $0.fileID, $0.line) < ($1.fileID.isEmpty ? 1 : 0, $1.fileID, $1.line)
        }
        return names.flatMap { [Row.group($0)] + (outline.unfoldedSites.contains($0) ? rows(sites[$0]!) : []) }
    }

    private var order: NaiveOrder {
        NaiveOrder(forest: forest, outline: outline, moment: outline.sorted.rank.moment)
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
        let isFolded = hides ? outline.folds.hasOwnFold(node) : isFolded(node)
        if isFolded, isRoot { return [.node(node)] }
        let below = isFolded ? [] : foreign(node).map(Row.foreign) + inner.flatMap { rows(of: $0, isRoot: false) }
        return [.node(node)] + below + tail.flatMap { rows(of: $0, isRoot: false) }
    }

    // MARK: Folds

    private func continuation(_ node: NodeIndex) -> NodeIndex? {
        let thens = children(node).filter { forest.node($0).hasParent }
        return thens.count == 1 ? thens[0] : nil
    }

    private func inner(_ node: NodeIndex) -> [NodeIndex] { children(node).filter { $0 != continuation(node) } }

    private func isFolded(_ node: NodeIndex) -> Bool {
        let (root, marks) = (forest.root(of: node), outline.folds.bits(of: node))
        if marks.contains(.folded) { return true }
        if marks.contains(.unfolded) || outline.folds.level == Folds.everything { return false }
        if inner(node).count > 200, !isAroundSelection(node) { return true }
        switch outline.folds.level {
        case nil where node == root: return outline.chains.has(.folded, outline.chains.slot(of: root)!)
        case 0 where node == root: return true
        case nil, 0:
            guard !isAroundSelection(node), !outline.foreign.isLive(root) else { return false }
            return hasFinished(node) && !inner(node).isEmpty
        case let level?: return depth(node) >= level
        }
    }

    private func depth(_ node: NodeIndex) -> Int {
        guard let above = forest.treeParent(of: node) else { return 0 }
        return depth(above) + (continuation(above) == node ? 0 : 1)
    }

    /// Whether the selection is inside a node.
    private func isAroundSelection(_ node: NodeIndex) -> Bool {
        var current = selected
        while let below = current, let above = forest.treeParent(of: below) {
            if above == node, continuation(above) != below || forest.isRoot(above) { return true }
            if node == forest.root(of: above), forest.isRoot(node) { return true }
            current = above
        }
        return false
    }

    /// Whether a node and all inside it are fulfilled or skipped, the node for 1.2 s. If a node inside took longer than
    /// that, it counts.
    private func hasFinished(_ node: NodeIndex) -> Bool {
        func allUnder(_ node: NodeIndex) -> [NodeIndex] { [node] + children(node).flatMap(allUnder) }
        let all = ([node] + inner(node).flatMap(allUnder)).map { forest.node($0) }
        guard all.allSatisfy({ $0.state == .fulfilled || $0.state == .skipped }) else { return false }
        let last = all.map { $0.settled ?? 0 }.max() ?? 0
        let own = (forest.node(node).settled ?? 0) &+ 1_200_000_000
        return (last <= own ? own : last &+ 1_200_000_000) <= outline.foldTime
    }

    /// Checks which chains are folded by themselves and which are archived, as far as that follows from the present.
    func checkChains(_ what: String) {
        guard !outline.isReading else { return }
        let isAnyLive = forest.roots.contains { forest.chain(of: $0).settled == nil }
        let now = outline.foldTime
        var openCount = 0
        for root in forest.roots {
            let bits = outline.chains[outline.chains.slot(of: root)!].bits
            if !bits.contains(.archived), !bits.contains(.folded) { openCount += 1 }
            guard let settled = forest.chain(of: root).settled, !outline.foreign.isLive(root) else {
                #expect(!bits.contains(.archived), "\(what): a live chain is archived")
                continue
            }
            if bits.contains(.archived) {
                #expect(bits.contains(.folded) && settled &+ 400_000_000 <= max(now, forest.now), "\(what)")
            }
            // The chain of the selection waits, in the queue; without a live chain one chain stays.
            let isPinned = selected.map { forest.root(of: $0) } == root
            if isAnyLive, !isPinned, settled &+ 1_400_000_000 < now, forest.chain(of: root).nodeCount > 1 {
                #expect(bits.contains(.folded) || bits.contains(.awaitsArchive), "\(what): a settled chain is open")
            }
        }
        #expect(openCount <= 24, "\(what)")
    }
}

/// The order of chains, by what their rows show.
struct NaiveOrder {
    let forest: ChainForest
    let outline: Outline
    let moment: UInt64

    /// A duration, at the moment if it grows.
    private struct Length {
        var nanoseconds: UInt64
        var isGrowing: Bool
    }

    func precedes(_ left: NodeIndex, _ right: NodeIndex) -> Bool {
        let ids = (forest.id(of: left).rawValue, forest.id(of: right).rawValue)
        let order = outline.sorted.order
        switch order.column {
        case .start:
            let archived = (outline.isArchived(left), outline.isArchived(right))
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
            case (let one?, let other?):
                guard one.nanoseconds == other.nanoseconds else {
                    return (one.nanoseconds > other.nanoseconds) != order.isInverted
                }
                return one.isGrowing == other.isGrowing ? ids.0 < ids.1 : one.isGrowing
            }
        case .state:
            let status = (forest.chain(of: left).status.rawValue, forest.chain(of: right).status.rawValue)
            return status.0 == status.1 ? ids.0 < ids.1 : (status.0 < status.1) != order.isInverted
        case .node, .thread, .value:
            guard let one = text(left, order.column) else {
                return text(right, order.column) == nil && ids.0 < ids.1
            }
            guard let other = text(right, order.column) else { return true }
            if one.section != other.section { return one.section < other.section }
            guard one.parts != other.parts else { return ids.0 < ids.1 }
            return one.parts.lexicographicallyPrecedes(other.parts) != order.isInverted
        }
    }

    // MARK: Texts

    /// Returns what a chain's row shows in a column of texts, and its section; nil for nothing.
    private func text(_ root: NodeIndex, _ column: SortColumn) -> (section: Int, parts: [Int])? {
        let (view, chain) = (forest.node(root), forest.chain(of: root))
        switch column {
        case .start, .state, .wait, .run, .total: return nil
        case .node:
            let (text, isLabel) = NodeText.label(of: root, in: forest)
            return (isLabel ? 0 : 1, parts(text))
        case .thread: return view.thread == 0 ? nil : (0, parts(forest.threads[view.thread] ?? "\(view.thread)"))
        case .value:
            if chain.liveCount > 0, forest.summary(of: root) == nil, let failed = chain.firstRejected {
                let what = forest.summary(of: failed) ?? forest.state(of: failed).word
                return (0, parts("\(NodeText.name(of: failed, in: forest)): \(what)"))
            }
            if chain.outcome == .rejected, let failure = NodeText.failure(of: chain, in: forest) {
                return (0, parts(failure))
            }
            let shown = NodeText.shownNode(for: root, isRoot: true, in: forest)
            guard let summary = forest.summary(of: shown) else { return nil }
            let state = forest.state(of: shown)
            return (state == .fulfilled || state == .skipped || state.isLive ? 1 : 0, parts(summary))
        }
    }

    /// Returns the parts of an ASCII text in the order of people: spaces, signs, numbers by value, letters without
    /// case, other signs. A rank holds about twelve of them, so texts of these tests are shorter.
    private func parts(_ text: String) -> [Int] {
        var parts: [[Int]] = []
        var digits: [Int]?
        for byte in text.utf8.map({ Int($0) }) + [0] {
            if (48...57).contains(byte) {
                digits = (digits ?? []) + (digits ?? [] == [] && byte == 48 ? [] : [byte])
                continue
            }
            if let number = digits { parts.append([3, number.count] + number) }
            digits = nil
            switch byte {
            case 0: break
            case 1...32: parts.append([1])
            case 65...90: parts.append([4, byte + 32])
            case 97...122: parts.append([4, byte])
            default: parts.append([byte < 48 ? 2 : 30])
            }
        }
        return Array(parts.prefix(12).joined())
    }

    private func length(_ root: NodeIndex, _ column: SortColumn) -> Length? {
        let view = forest.node(root)
        // Later than any time, except times of a clock before its zero.
        let far: UInt64 = 1 << 61
        let timing = forest.timing(of: root, now: far)
        switch column {
        case .start, .state, .node, .thread, .value: return nil
        case .wait: return timing.wait.map { length($0, isGrowing: view.state == .queued, far) }
        case .run: return timing.run.map { length($0, isGrowing: view.activity == .running, far) }
        case .total:
            let chain = forest.chain(of: root)
            if chain.nodeCount == 1 { return timing.total.map { length($0, isGrowing: view.isLive, far) } }
            guard let settled = chain.settled else { return growing(since: view.created) }
            return length(settled - min(view.created, settled), isGrowing: false, far)
        }
    }

    /// A clock before its zero gives durations of centuries: all from 73 years on are equal.
    private func length(_ duration: UInt64, isGrowing: Bool, _ far: UInt64) -> Length {
        isGrowing
            ? growing(since: far - min(far, duration))
            : Length(nanoseconds: min(duration, Rank.longest), isGrowing: false)
    }

    private func growing(since start: UInt64) -> Length {
        Length(nanoseconds: min(moment - min(start, moment), Rank.longest), isGrowing: true)
    }
}

// SPDX-License-Identifier: MIT
