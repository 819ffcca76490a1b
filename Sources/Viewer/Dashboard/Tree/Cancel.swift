// SPDX-License-Identifier: MIT

import ChainEvents
import ChainModel
import ChainText

// Cancelling: a key asks for it, a dialog confirms it, a command requests it. Only events turn a row to *cancelled*.

extension ViewContext {
    /// Asks in a dialog whether to cancel the tagged nodes or, without tags, the selected row. If cancelling is not
    /// possible, shows why.
    mutating func askToCancel(wholeChain: Bool) {
        let rowIDs = presentTags.isEmpty ? selection.map { [$0] } ?? [] : presentTags
        guard !rowIDs.isEmpty else { return notify("there is nothing to cancel") }
        if presentTags.isEmpty, rowIDs[0].site != nil {
            return notify("a group is not cancelled as a whole: unfold it, tag the chains with Space")
        }
        if let why = whyNotCancel(rowIDs) { return notify(why, .warning) }
        var question = question(about: rowIDs, wholeChain: wholeChain)
        guard question.count > 0 else {
            return notify(
                question.hasSpan
                    ? "nothing to cancel: only the program can end a span, and nothing else is pending"
                    : "nothing to cancel: \(subjectOfSettled(rowIDs, wholeChain: wholeChain)) settled")
        }
        question.frozenAge = frozenAge
        request(.confirm(question))
    }

    /// Returns the subject and the verb that precede `settled` in a message, such as `this node and all under it have`.
    private func subjectOfSettled(_ rowIDs: [RowID], wholeChain: Bool) -> String {
        if !presentTags.isEmpty { return "what is tagged has" }
        if rowIDs[0].node == nil {
            return "everything in \(world.programs[programIndex(of: rowIDs[0].source)!].shownName) has"
        }
        return wholeChain ? "the whole chain has" : "this node and all under it have"
    }

    /// Returns the question about rows: what would be cancelled, by program.
    private func question(about rowIDs: [RowID], wholeChain: Bool) -> Confirmation {
        var question = Confirmation(parts: [], what: "", count: 0, labels: [])
        for programIndex in world.programs.indices {
            if presentTags.isEmpty, rowIDs[0] == RowID(source: world.programs[programIndex].source) {
                world.programs[programIndex].askAboutEverything(&question)
                continue
            }
            let nodes = rowIDs.compactMap { rowID in
                find(rowID).flatMap { $0.programIndex == programIndex ? $0.node : nil }
            }
            guard !nodes.isEmpty else { continue }
            if presentTags.isEmpty {
                world.programs[programIndex].ask(about: nodes[0], wholeChain: wholeChain, &question)
            } else {
                world.programs[programIndex].ask(aboutTagged: nodes, wholeChain: wholeChain, &question)
            }
        }
        if !presentTags.isEmpty {
            let nodes = CountText.counted(presentTags.count, "tagged node")
            question.what = (wholeChain ? "the chains of " : "") + nodes
        }
        return question
    }
}

extension SharedState {
    /// Returns why cancelling is not possible now in one of the rows' programs; nil if it is possible in all these
    /// programs.
    func whyNotCancel(_ rowIDs: [RowID]) -> String? {
        let sources = Set(rowIDs.map(\.source))
        for programIndex in world.programs.indices where sources.contains(world.programs[programIndex].source) {
            if let why = whyNotCancel(in: programIndex) { return why }
        }
        return nil
    }

    /// Returns why nothing of a program can be cancelled now; nil if cancelling is possible.
    func whyNotCancel(in programIndex: Int) -> String? {
        let name = showsPrograms ? world.programs[programIndex].shownName : "the program"
        switch world.programs[programIndex].connection {
        case .ended: return "\(name) has ended: nothing can be cancelled"
        case .lost(let disconnection):
            if disconnection.hasStopped { return "\(name) has stopped: nothing can be cancelled until it runs again" }
            return disconnection.isSilence
                ? "\(name) is stopped or hangs: nothing can be cancelled until it continues"
                : "\(name) cannot be reached: nothing can be cancelled until it is back"
        case .absent: return "\(name) is not there yet: there is nothing to cancel"
        case .replay(let position): return position.whyNotCancel
        case .live: break
        }
        if world.programs[programIndex].frozenBuffer?.successor != nil {
            return "\(name) has restarted: what is shown has ended; p resumes"
        }
        if options.isReadOnly { return "read-only: cancelling is off in this dashboard" }
        if let info = world.programs[programIndex].info, info.isReadFromOutside {
            return "\(name) is read from outside, and takes no commands: link ChainInspector, or start it with "
                + "`chainview run --tasks`, to cancel"
        }
        if world.programs[programIndex].info?.isReadOnly == true { return "read-only: \(name) takes no commands" }
        return nil
    }

    /// Whether there may be something to cancel: tagged nodes, or, if no node is tagged, live nodes in the selected
    /// chain or program.
    var canCancel: Bool {
        if !presentTags.isEmpty { return whyNotCancel(presentTags) == nil }
        guard let selection, let programIndex = selectedProgramIndex, whyNotCancel(in: programIndex) == nil else {
            return false
        }
        if selection.isProgram { return world.programs[programIndex].liveCount > 0 }
        return selectedNode.map { world.programs[programIndex].forest.chain(of: $0.node).liveCount > 0 } ?? false
    }
}

extension Cancellations {
    /// Sends the commands that a question was about, marks their nodes, and begins to count how they end.
    mutating func send(_ question: Confirmation, _ context: inout ViewContext) {
        // A program may have ended or restarted since the question was shown.
        for part in question.parts {
            let why = context.programIndex(of: part.source).flatMap { programIndex in
                context.world.programs[programIndex].info?.key == part.process
                    ? context.whyNotCancel(in: programIndex)
                    : "\(context.world.programs[programIndex].shownName) has restarted meanwhile"
            }
            if let why { return context.notify("nothing was cancelled: \(why)", .warning) }
        }
        // The count of a whole program is exact, but at most `countLimit` of its nodes are in the parts.
        let isAtLeast = question.isAtLeast || question.parts.reduce(0) { $0 + $1.nodes.count } < question.count
        var progress = CancelProgress(
            parts: [], isAtLeast: isAtLeast, deadline: context.wall &+ CancelProgress.duration)
        for part in context.parts(of: question) {
            guard let programIndex = context.programIndex(of: part.source) else { continue }
            let command = context.send(.cancel(part.scope, by: context.options.actor), to: part.source, part.process)
            context.request(.markCancelRequested(part.nodes, programIndex: programIndex, command: command))
            // The clock of a frozen program stands still, so the time since the freeze is added.
            let asked = context.world.programs[programIndex].now &+ (context.frozenAge ?? 0)
            progress.parts.append(CancelProgress.Part(part, command: command, asked: asked))
        }
        add(progress)
        if !context.presentTags.isEmpty { context.request(.dropTags) }
        let tail = context.isFrozen ? "; the picture is frozen, p resumes" : ""
        context.notify("asked \(context.askedPrograms(question)) to cancel \(question.what)" + tail)
    }
}

extension ViewContext {
    /// Returns the parts of a question, with the nodes that were made since it was asked. These are cancelled, too, so
    /// they are marked and counted. Nothing is added where the question has only a part of the nodes.
    fileprivate func parts(of question: Confirmation) -> [Confirmation.Part] {
        guard question.parts.reduce(0, { $0 + $1.nodes.count }) == question.count, !question.isAtLeast else {
            return question.parts
        }
        var parts = question.parts
        var known: [SourceID: Set<NodeID>] = [:]
        for part in parts { known[part.source, default: []].formUnion(part.nodes) }
        for index in parts.indices {
            guard let programIndex = programIndex(of: parts[index].source) else { continue }
            for node in world.programs[programIndex].liveNodes(in: parts[index].scope)
            where known[parts[index].source, default: []].insert(node).inserted {
                parts[index].nodes.append(node)
            }
        }
        return parts
    }

    /// Returns the programs that are asked, in words.
    fileprivate func askedPrograms(_ question: Confirmation) -> String {
        let sources = Set(question.parts.map(\.source))
        guard showsPrograms else { return "the program" }
        return sources.count == 1
            ? sources.first.flatMap(programIndex).map { world.programs[$0].shownName } ?? "the program"
            : "\(sources.count) programs"
    }
}

extension Program {
    fileprivate func ask(about node: NodeIndex, wholeChain: Bool, _ question: inout Confirmation) {
        let id = forest.id(of: node)
        let root = wholeChain ? forest.root(of: node) : node
        let name = NodeText.name(of: root, in: forest)
        question.what = wholeChain ? "the whole chain of \(name)" : name
        let members = forest.separateChains(inGroupsUnder: [root])
        if !members.isEmpty {
            let chains = CountText.counted(members.count, "chain")
            question.what += " and \(chains) in its group\(members.count == 1 ? "" : "s")"
        }
        let live = count([root] + members, in: &question)
        question.aroundCount += countAround([root], besides: live)
        question.parts.append(part(wholeChain ? .chain(id) : .node(id), marking: live))
    }

    fileprivate func ask(aboutTagged nodes: [NodeIndex], wholeChain: Bool, _ question: inout Confirmation) {
        var seen: Set<NodeIndex> = []
        let roots = wholeChain ? nodes.map { forest.root(of: $0) }.filter { seen.insert($0).inserted } : nodes
        var live = count(roots + forest.separateChains(inGroupsUnder: roots), in: &question)
        question.aroundCount += countAround(roots, besides: live)
        // Once the question has reached its counting limit, `live` is empty, but the live nodes under `roots` are
        // cancelled all the same.
        guard !live.isEmpty || question.isAtLeast else { return }
        for first in stride(from: 0, to: roots.count, by: Self.commandNodeLimit) {
            let some = roots[first..<min(first + Self.commandNodeLimit, roots.count)]
            question.parts.append(part(.nodes(some.map { forest.id(of: $0) }), marking: live))
            live = []
        }
    }

    /// Asks about everything that is pending in the program. O(nodes of the forest) at most.
    fileprivate func askAboutEverything(_ question: inout Confirmation) {
        guard wasReached else { return }
        var chains: [NodeIndex] = []
        for root in forest.roots where forest.chain(of: root).liveCount > 0 { chains.append(root) }
        let words = CountText.counted(chains.count, "chain")
        question.what = "everything in \(shownName) (\(words))"
        var live = count(chains, in: &question)
        if question.isAtLeast {
            // The total of live nodes is known without a walk; it includes spans, which are not cancelled.
            question.count = liveCount - liveSpanCount
            question.isAtLeast = false
        }
        for first in stride(from: 0, to: chains.count, by: Self.commandNodeLimit) {
            let some = chains[first..<min(first + Self.commandNodeLimit, chains.count)]
            question.parts.append(part(.nodes(some.map { forest.id(of: $0) }), marking: live))
            live = []
        }
    }

    /// Returns the nodes that the cancellation of a scope reaches now, as far as the question counts them.
    fileprivate func liveNodes(in scope: CancelScope) -> [NodeID] {
        var roots: [NodeIndex] =
            switch scope {
            case .node(let id): [id].compactMap(forest.index(of:))
            case .chain(let id): [id].compactMap(forest.index(of:)).map { forest.root(of: $0) }
            case .nodes(let ids): ids.compactMap(forest.index(of:))
            }
        roots += forest.separateChains(inGroupsUnder: roots)
        var hasSpan = false
        return liveNodes(from: roots, limit: Confirmation.countLimit, hasSpan: &hasSpan).map { forest.id(of: $0) }
    }

    /// Returns at most `limit` of the live nodes at and under some nodes, and of those that follow one of them. Spans are
    /// left out, because they are not cancelled (TheRules, X7); sets `hasSpan` if there are any.
    private func liveNodes(from roots: [NodeIndex], limit: Int, hasSpan: inout Bool) -> [NodeIndex] {
        var live = Self.live(under: roots, in: forest, limit: limit, hasSpan: &hasSpan)
        Self.addFollowers(to: &live, in: forest, limit: limit)
        return live
    }

    private func part(_ scope: CancelScope, marking nodes: [NodeIndex]) -> Confirmation.Part {
        Confirmation.Part(
            source: source, process: forest.process, scope: scope, nodes: nodes.map { forest.id(of: $0) })
    }

    /// Adds the live nodes from some nodes on to a question, up to the question's limit; returns those that were added.
    private func count(_ roots: [NodeIndex], in question: inout Confirmation) -> [NodeIndex] {
        let limit = Confirmation.countLimit - question.count
        let live = liveNodes(from: roots, limit: limit, hasSpan: &question.hasSpan)
        question.count += live.count
        question.isAtLeast = question.count >= Confirmation.countLimit
        for node in live.prefix(Confirmation.labelLimit - question.labels.count) {
            question.labels.append("\(forest.state(of: node).word)  \(NodeText.name(of: node, in: forest))")
        }
        return live
    }

    /// Adds the live nodes that follow one of some nodes, and those that follow these: a node that follows another is
    /// cancelled with it.
    private static func addFollowers(to live: inout [NodeIndex], in forest: borrowing ChainForest, limit: Int) {
        var seen = Set(live)
        var next = 0
        while next < live.count, live.count < limit {
            for link in forest.holders(of: live[next], limit: limit - live.count)
            where link.role == .followedBy && forest.kind(of: link.node) != .span {
                if forest.state(of: link.node).isLive, seen.insert(link.node).inserted { live.append(link.node) }
            }
            next += 1
        }
    }

    /// Counts the live nodes that are above some nodes and run in the same task, which is cancelled as a whole
    /// (TheRules, X6). Nodes that were `counted` already are left out.
    private func countAround(_ nodes: [NodeIndex], besides counted: [NodeIndex]) -> Int {
        var seen: Set<NodeIndex> = []
        for node in nodes where forest.kind(of: node) == .scope && forest.state(of: node).isLive {
            var inner = node
            // A span between two scopes runs in their task, and is not cancelled.
            while [.scope, .span].contains(forest.kind(of: inner)), let outer = forest.treeParent(of: inner),
                seen.insert(outer).inserted
            {
                inner = outer
            }
        }
        let around = seen.count { forest.state(of: $0).isLive && forest.kind(of: $0) != .span }
        return around - (around == 0 ? 0 : counted.count { seen.contains($0) })
    }

    /// The maximum number of nodes that one command names.
    private static let commandNodeLimit = 4_096

    /// How many spans are live. Takes 1 ns for each node of the forest.
    private var liveSpanCount: Int {
        var (count, next) = (0, UInt32(0))
        let end = UInt32(forest.indexBound)
        while let span = forest.firstIndex(in: next..<end, madeBy: .span, at: { _ in true }) {
            if forest.state(of: span).isLive { count += 1 }
            next = span.rawValue + 1
        }
        return count
    }

    /// Returns the live nodes at and under some nodes, each once, at most `limit`. Leaves spans out, and sets `hasSpan`
    /// if it comes to a live span.
    private static func live(
        under roots: [NodeIndex], in forest: borrowing ChainForest, limit: Int, hasSpan: inout Bool
    ) -> [NodeIndex] {
        var live: [NodeIndex] = []
        var seen: Set<NodeIndex> = []
        for root in roots where live.count < limit && !seen.contains(root) {
            var stack = [root]
            while let node = stack.popLast(), live.count < limit {
                guard seen.insert(node).inserted else { continue }
                if forest.state(of: node).isLive {
                    if forest.kind(of: node) == .span { hasSpan = true } else { live.append(node) }
                }
                var child = forest.lastChild(of: node)
                while let current = child {
                    stack.append(current)
                    child = forest.previousSibling(of: current)
                }
            }
        }
        return live
    }
}
