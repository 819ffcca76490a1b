import ChainModel
import ChainRows

/// The chains that are drawn under nodes of other programs, because their roots were called from there.
///
/// The row models know the numbers of rows, this table which rows they are. A chain stands at one place only. Where chains
/// are grouped by call site, and while a filter hides the rest, each stands in its own program.
struct CalledChains {
    /// A chain that is drawn under another program's node.
    struct Chain {
        let root: RowID
        var weight: ForeignWeight
    }

    /// More chains of one caller stand in their own program, so that adding up rows stays short.
    static let limit = 1_000
    /// Callers of callers that are followed.
    static let depthLimit = 32

    /// By caller, in the order in which they became known.
    private var chains: [RowID: [Chain]] = [:]
    /// By root.
    private var callers: [RowID: RowID] = [:]
    /// The roots of which the caller is not there yet, by caller, and the other way round.
    private var waiting: [NodeKey: Set<RowID>] = [:]
    private var awaited: [RowID: NodeKey] = [:]
    /// The callers at which what is under them is to be counted.
    private var uncounted: Set<RowID> = []
    /// The roots that would be drawn in their own chains, in rings of calls: tried again when a link goes.
    private var ringed: Set<RowID> = []
    /// Whether a link went since these were tried.
    private var hasRemoved = false

    var isEmpty: Bool { callers.isEmpty }

    func chains(under caller: RowID) -> [Chain] { chains.isEmpty ? [] : chains[caller] ?? [] }
    func caller(of root: RowID) -> RowID? { callers.isEmpty ? nil : callers[root] }

    /// What is drawn under a node in all.
    func weight(under caller: RowID) -> ForeignWeight {
        chains(under: caller).reduce(into: ForeignWeight(rows: 0, isLive: false)) { sum, chain in
            sum.rows += chain.weight.rows
            if chain.weight.isLive { sum.isLive = true }
        }
    }

    mutating func add(_ root: RowID, under caller: RowID, _ weight: ForeignWeight) {
        chains[caller, default: []].append(Chain(root: root, weight: weight))
        callers[root] = caller
        uncounted.insert(caller)
    }

    mutating func setWeight(_ weight: ForeignWeight, of root: RowID) {
        guard let caller = callers[root], let index = chains[caller]?.firstIndex(where: { $0.root == root }) else {
            return
        }
        chains[caller]![index].weight = weight
        uncounted.insert(caller)
    }

    /// Removes a chain; returns whether it was there.
    mutating func remove(_ root: RowID) -> Bool {
        guard let caller = callers.removeValue(forKey: root) else { return false }
        chains[caller]?.removeAll { $0.root == root }
        if chains[caller]?.isEmpty == true { chains[caller] = nil }
        uncounted.insert(caller)
        hasRemoved = true
        return true
    }

    mutating func takeUncounted() -> Set<RowID> {
        defer { if !uncounted.isEmpty { uncounted = [] } }
        return uncounted
    }

    mutating func setRinged(_ root: RowID) { ringed.insert(root) }

    /// Returns the roots to try again.
    mutating func takeRinged() -> Set<RowID> {
        guard hasRemoved else { return [] }
        defer { (ringed, hasRemoved) = ([], false) }
        return ringed
    }

    mutating func wait(_ root: RowID, for caller: NodeKey) {
        waiting[caller, default: []].insert(root)
        awaited[root] = caller
    }

    mutating func takeWaiting(for caller: NodeKey) -> Set<RowID> {
        let roots = waiting.removeValue(forKey: caller) ?? []
        for root in roots { awaited[root] = nil }
        return roots
    }

    /// Ends a root's waiting; returns the caller if nothing else waits for it.
    mutating func stopWaiting(_ root: RowID) -> NodeKey? {
        ringed.remove(root)
        guard let caller = awaited.removeValue(forKey: root) else { return nil }
        waiting[caller]?.remove(root)
        guard waiting[caller]?.isEmpty == true else { return nil }
        waiting[caller] = nil
        return caller
    }
}

extension State {
    /// Brings the chains under nodes of other programs up to date. O(what changed), with one program O(1).
    mutating func linkPrograms() {
        for programIndex in programs.indices { programs[programIndex].rowModel.trackForeign(programs.count > 1) }
        guard programs.count > 1 else { return }
        // A chain's rows count at its caller. The caller's chain may be drawn in a third program.
        for _ in 0..<CalledChains.depthLimit {
            for programIndex in programs.indices where programs[programIndex].rowModel.hasForeignNews {
                let news = programs[programIndex].rowModel.takeForeignNews()
                if news.contains(.reset) {
                    linkAll()
                    break
                }
                for entry in news { apply(entry, of: programIndex) }
            }
            for root in calledChains.takeRinged() { link(root) }
            let callers = calledChains.takeUncounted()
            guard !callers.isEmpty else { return }
            for caller in callers { count(under: caller) }
        }
    }

    /// Links all chains anew. O(links).
    private mutating func linkAll() {
        calledChains = CalledChains()
        for index in programs.indices {
            let now = programs[index].shownNow
            programs[index].rowModel.dropForeign(in: programs[index].forest, now: now)
            _ = programs[index].rowModel.takeForeignNews()
        }
        for index in programs.indices {
            let nodes = programs[index].forest.nodesWithRemoteParent.map { rowID(of: $0, in: index) }
            for root in nodes.sorted(by: { $0.node!.id < $1.node!.id }) { link(root) }
        }
    }

    private mutating func apply(_ news: ForeignNews, of programIndex: Int) {
        func rowID(_ id: NodeID) -> RowID {
            let process = programs[programIndex].forest.process
            return RowID(source: programs[programIndex].source, node: NodeKey(process: process, id: id))
        }
        switch news {
        case .calls(let id): link(rowID(id))
        case .arrived(let id): for root in calledChains.takeWaiting(for: rowID(id).node!) { link(root) }
        case .weighed(let id):
            guard let node = programs[programIndex].forest.index(of: id),
                let weight = programs[programIndex].rowModel.foreignWeight(ofChain: node)
            else { return }
            calledChains.setWeight(weight, of: rowID(id))
        case .gone(let id): unlink(rowID(id))
        case .callerGone(let id), .callerMoved(let id):
            // Linked anew, because the caller may have come under one of its own chains.
            let roots = calledChains.chains(under: rowID(id)).map(\.root)
            for root in roots { unlink(root) }
            for root in roots { link(root) }
        case .reset: break
        }
    }

    /// Draws a chain under its caller, if that is a node of another program, and is there.
    private mutating func link(_ root: RowID) {
        guard !order.isGrouped, calledChains.caller(of: root) == nil, let (programIndex, node) = find(root),
            programs[programIndex].forest.isRoot(node),
            let key = programs[programIndex].forest.remoteParent(of: node)
        else { return }
        guard let caller = caller(of: node, in: programIndex) else {
            calledChains.wait(root, for: key)
            programs[programIndex].rowModel.noteWaiting(node)
            return setAwaited(key, true)
        }
        let callerID = rowID(of: caller.node, in: caller.programIndex)
        guard caller.programIndex != programIndex, calledChains.chains(under: callerID).count < CalledChains.limit
        else { return }
        if isDrawn(callerID, in: root) {
            programs[programIndex].rowModel.noteWaiting(node)
            return calledChains.setRinged(root)
        }
        setElsewhere(node, in: programIndex, true)
        guard let weight = programs[programIndex].rowModel.foreignWeight(ofChain: node) else { return }
        calledChains.add(root, under: callerID, weight)
    }

    private mutating func setElsewhere(_ root: NodeIndex, in programIndex: Int, _ isElsewhere: Bool) {
        let now = programs[programIndex].shownNow
        programs[programIndex].rowModel.setElsewhere(root, isElsewhere, in: programs[programIndex].forest, now: now)
    }

    private mutating func setAwaited(_ caller: NodeKey, _ isAwaited: Bool) {
        for index in programs.indices where programs[index].info?.key == caller.process {
            programs[index].rowModel.setAwaited(caller.id, isAwaited)
        }
    }

    /// Whether a node is drawn in the chain of a root, or so deep that it cannot be seen.
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

    /// Counts at a caller what is drawn under it.
    private mutating func count(under caller: RowID) {
        guard let (programIndex, node) = find(caller) else { return }
        let weight = calledChains.weight(under: caller)
        let now = programs[programIndex].shownNow
        programs[programIndex].rowModel.setForeign(weight, under: node, in: programs[programIndex].forest, now: now)
    }

    /// Draws each chain in its own program, or under its caller again, after chains were grouped or ungrouped.
    mutating func relinkPrograms() { if programs.count > 1 { linkAll() } }
}
