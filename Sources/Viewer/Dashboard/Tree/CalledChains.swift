// SPDX-License-Identifier: MIT

import ChainModel
import ChainRows

/// The chains that are drawn under a node of another program, because that node called the root of the chain.
///
/// An outline counts the rows under a caller; this table holds the chains that the rows belong to. A chain is drawn in
/// one place only. Each chain is drawn in its own program while chains are grouped by call site, or while a filter
/// hides the nodes that do not match.
struct CalledChains {
    /// A chain that is drawn under another program's node.
    struct Chain {
        let root: RowID
        /// The number of the chain's rows, and whether the chain is live.
        var weight: ForeignWeight
    }

    /// The maximum number of chains drawn under one caller; there is a limit because their weights are summed at each
    /// change. Further chains are drawn in their own program.
    static let limit = 1_000
    /// The maximum number of callers that are followed upwards, and of rounds of ``World/linkPrograms()``.
    static let depthLimit = 32

    /// The chains under each caller, in the order in which the chains were linked.
    private var chains: [RowID: [Chain]] = [:]
    /// By root, the caller under which the root's chain is drawn.
    private var callers: [RowID: RowID] = [:]
    /// For each caller that is in no forest yet, the roots that wait for that caller.
    private var waiting: [NodeKey: Set<RowID>] = [:]
    /// By root, the caller for which the root waits.
    private var awaited: [RowID: NodeKey] = [:]
    /// The callers for which the outline has an old weight.
    private var outdated: Set<RowID> = []
    /// The roots that are not drawn under their callers, because the calls form a cycle or are over ``depthLimit``
    /// deep.
    private var cyclic: Set<RowID> = []
    /// Whether a link was removed since the ``cyclic`` roots were last tried again.
    private var hasRemoved = false

    var isEmpty: Bool { callers.isEmpty }

    /// Returns the chains that are drawn under a node.
    func chains(under caller: RowID) -> [Chain] { chains.isEmpty ? [] : chains[caller] ?? [] }
    /// Returns the node under which a chain is drawn.
    func caller(of root: RowID) -> RowID? { callers.isEmpty ? nil : callers[root] }

    /// Returns the summed weight of the chains under a node.
    func weight(under caller: RowID) -> ForeignWeight {
        chains(under: caller).reduce(into: ForeignWeight(rows: 0, isLive: false)) { sum, chain in
            sum.rows += chain.weight.rows
            if chain.weight.isLive { sum.isLive = true }
        }
    }

    /// Links a chain to its caller.
    mutating func add(_ root: RowID, under caller: RowID, _ weight: ForeignWeight) {
        chains[caller, default: []].append(Chain(root: root, weight: weight))
        callers[root] = caller
        outdated.insert(caller)
    }

    /// Sets the weight of a chain; does nothing if the chain is not drawn under a caller.
    mutating func setWeight(_ weight: ForeignWeight, of root: RowID) {
        guard let caller = callers[root], let index = chains[caller]?.firstIndex(where: { $0.root == root }) else {
            return
        }
        chains[caller]![index].weight = weight
        outdated.insert(caller)
    }

    /// Removes the link of a chain; returns whether there was a link.
    mutating func remove(_ root: RowID) -> Bool {
        guard let caller = callers.removeValue(forKey: root) else { return false }
        chains[caller]?.removeAll { $0.root == root }
        if chains[caller]?.isEmpty == true { chains[caller] = nil }
        outdated.insert(caller)
        hasRemoved = true
        return true
    }

    /// Returns the callers under which chains were added, removed or changed in weight since the last call.
    mutating func takeOutdated() -> Set<RowID> {
        defer { if !outdated.isEmpty { outdated = [] } }
        return outdated
    }

    mutating func addCyclic(_ root: RowID) { cyclic.insert(root) }

    /// Removes and returns the ``cyclic`` roots, which are to be tried again; returns none if no link was removed.
    mutating func takeCyclic() -> Set<RowID> {
        guard hasRemoved else { return [] }
        defer { (cyclic, hasRemoved) = ([], false) }
        return cyclic
    }

    /// Returns whether a root is linked to another caller than `caller`, or waits for another caller.
    func isOutdated(_ root: RowID, caller: NodeKey?) -> Bool {
        guard let known = callers[root]?.node ?? awaited[root] else { return false }
        return known != caller
    }

    /// Registers that a root waits for a caller that is in no forest yet.
    mutating func wait(_ root: RowID, for caller: NodeKey) {
        waiting[caller, default: []].insert(root)
        awaited[root] = caller
    }

    /// Removes and returns the roots that wait for a caller.
    mutating func takeWaiting(for caller: NodeKey) -> Set<RowID> {
        let roots = waiting.removeValue(forKey: caller) ?? []
        for root in roots { awaited[root] = nil }
        return roots
    }

    /// Ends a root's waiting for a caller; returns that caller if no other root waits for it.
    mutating func stopWaiting(_ root: RowID) -> NodeKey? {
        cyclic.remove(root)
        guard let caller = awaited.removeValue(forKey: root) else { return nil }
        waiting[caller]?.remove(root)
        guard waiting[caller]?.isEmpty == true else { return nil }
        waiting[caller] = nil
        return caller
    }
}

extension World {
    /// Updates which chains are drawn under nodes of other programs. O(changes), or O(links) after a reset of a row
    /// model; with one program O(1).
    mutating func linkPrograms() {
        for programIndex in programs.indices { programs[programIndex].outline.trackForeign(programs.count > 1) }
        guard programs.count > 1 else { return }
        // The updates are repeated, because a chain's rows count at its caller, and the caller's chain may be drawn in
        // a third program.
        for _ in 0..<CalledChains.depthLimit {
            for programIndex in programs.indices {
                let news = programs[programIndex].outline.takeForeignNews()
                if news.contains(.reset) {
                    linkAll()
                    break
                }
                for entry in news { apply(entry, of: programIndex) }
            }
            for root in calledChains.takeCyclic() { link(root) }
            let callers = calledChains.takeOutdated()
            guard !callers.isEmpty else { return }
            for caller in callers { updateWeight(under: caller) }
        }
    }

    /// Links all chains anew. O(links).
    private mutating func linkAll() {
        calledChains = CalledChains()
        for index in programs.indices {
            let now = programs[index].shownNow
            programs[index].outline.dropForeign(in: programs[index].forest, now: now)
            _ = programs[index].outline.takeForeignNews()
        }
        for index in programs.indices {
            let nodes = programs[index].forest.nodesWithRemoteParent.map { rowID(of: $0, in: index) }
            for root in nodes.sorted(by: { $0.node!.id < $1.node!.id }) { link(root) }
        }
    }

    private mutating func apply(_ entry: ForeignNews, of programIndex: Int) {
        func rowID(_ id: NodeID) -> RowID {
            let process = programs[programIndex].forest.process
            return RowID(source: programs[programIndex].source, node: NodeKey(process: process, id: id))
        }
        switch entry {
        case .called(let id):
            let root = rowID(id)
            let caller = find(root).flatMap { programs[$0.programIndex].forest.remoteParent(of: $0.node) }
            if calledChains.isOutdated(root, caller: caller) { unlink(root) }
            link(root)
        case .arrived(let id): for root in calledChains.takeWaiting(for: rowID(id).node!) { link(root) }
        case .weighed(let id, let weight): calledChains.setWeight(weight, of: rowID(id))
        case .gone(let id): unlink(rowID(id))
        case .callerLeft(let id):
            // The chains are linked anew, because the caller may now be in one of the chains that it called.
            let roots = calledChains.chains(under: rowID(id)).map(\.root)
            for root in roots { unlink(root) }
            for root in roots { link(root) }
        case .reset: break
        }
    }

    /// Links a chain to its caller in another program; if the caller is in no forest yet, the root waits for the
    /// caller.
    private mutating func link(_ root: RowID) {
        guard !isGrouped, calledChains.caller(of: root) == nil, let (programIndex, node) = find(root),
            programs[programIndex].forest.isRoot(node),
            let key = programs[programIndex].forest.remoteParent(of: node)
        else { return }
        guard let caller = caller(of: node, in: programIndex) else {
            calledChains.wait(root, for: key)
            programs[programIndex].outline.noteWaiting(node)
            return setAwaited(key, true)
        }
        let callerID = rowID(of: caller.node, in: caller.programIndex)
        guard caller.programIndex != programIndex, calledChains.chains(under: callerID).count < CalledChains.limit
        else { return }
        if isDrawn(callerID, in: root) {
            programs[programIndex].outline.noteWaiting(node)
            return calledChains.addCyclic(root)
        }
        guard let weight = setElsewhere(node, in: programIndex, true) else { return }
        calledChains.add(root, under: callerID, weight)
    }

    @discardableResult
    private mutating func setElsewhere(
        _ root: NodeIndex, in programIndex: Int, _ isElsewhere: Bool
    ) -> ForeignWeight? {
        let now = programs[programIndex].shownNow
        return programs[programIndex].outline.setElsewhere(
            root, isElsewhere, in: programs[programIndex].forest, now: now)
    }

    private mutating func setAwaited(_ caller: NodeKey, _ isAwaited: Bool) {
        for index in programs.indices where programs[index].info?.key == caller.process {
            programs[index].outline.setAwaited(caller.id, isAwaited)
        }
    }

    /// Returns whether a node is drawn in the chain of a root, or has more than ``CalledChains/depthLimit`` callers
    /// above it.
    private func isDrawn(_ rowID: RowID, in root: RowID) -> Bool {
        var next: RowID? = rowID
        for _ in 0..<CalledChains.depthLimit {
            guard let (programIndex, node) = next.flatMap(find) else { return false }
            let above = self.rowID(of: programs[programIndex].forest.root(of: node), in: programIndex)
            if above == root { return true }
            next = calledChains.caller(of: above)
        }
        return true
    }

    private mutating func unlink(_ root: RowID) {
        if let caller = calledChains.stopWaiting(root) { setAwaited(caller, false) }
        guard calledChains.remove(root) else { return }
        if let (programIndex, node) = find(root) { setElsewhere(node, in: programIndex, false) }
    }

    /// Sets the weight of the chains under a caller, in the outline of the caller's program.
    private mutating func updateWeight(under caller: RowID) {
        guard let (programIndex, node) = find(caller) else { return }
        let weight = calledChains.weight(under: caller)
        let now = programs[programIndex].shownNow
        programs[programIndex].outline.setForeign(weight, under: node, in: programs[programIndex].forest, now: now)
    }

    /// Links all chains anew, after chains were grouped or ungrouped.
    mutating func relinkPrograms() { if programs.count > 1 { linkAll() } }
}
