// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel
import ChainText
import Frames

/// The facts of one node, as added to the detail pane.
struct NodeFacts {
    let node: NodeIndex
    let program: Program
    let forest: ChainForest
    let view: NodeView
    /// Seconds to add to UTC for times of day.
    let clockOffset: Int

    /// The maximum number of links that are listed in each direction.
    static let linkLimit = 12

    init(node: NodeIndex, program: Program, clockOffset: Int) {
        self.node = node
        self.program = program
        self.clockOffset = clockOffset
        forest = program.forest
        view = forest.node(node)
    }

    /// Formats a time of the program's clock as ``Program/timeText(_:clockOffset:hasMilliseconds:)`` does, to the
    /// millisecond.
    func clock(_ time: UInt64) -> String {
        program.timeText(time, clockOffset: clockOffset, hasMilliseconds: true)
    }

    /// Adds the state, the marks, and the value or error.
    func addState(to text: inout DetailWriter) {
        let state = NodeText.state(of: node, isRoot: false, in: forest, now: program.shownNow)
        var parts = [(text.glyphs.state(state.role) + " " + state.word, Style(state.role).bold)]
        for case let detail? in view.marks.list.map(\.detail) { parts.append(("  " + detail.words, detail.style)) }
        text.add(parts)
        guard let summary = forest.summary(of: node), !summary.isEmpty else { return }
        switch view.state {
        case .rejected: text.wrap(summary, style: .error)
        case .abandoned: text.wrap(summary, style: .abandoned)
        case .cancelled: text.wrap(summary, style: .cancelled)
        default: text.field("value", summary)
        }
    }

    /// Adds the node in which the error began, and the canceller.
    func addCause(to text: inout DetailWriter) {
        let origin = forest.rejectionOrigin(of: node)
        if origin.steps > 0 {
            addNode("root cause", origin.node, ", \(CountText.counted(origin.steps, "node")) up", to: &text)
            if let summary = forest.summary(of: origin.node), summary != forest.summary(of: node) {
                text.field("", summary)
            }
        }
        guard let canceller = forest.canceller(of: node) else { return }
        let time = forest.history(of: node).first { $0.kind == .cancelRequested }?.time
        text.field("cancel", "asked for by \(canceller)" + (time.map { " at \(clock($0))" } ?? ""))
    }

    /// Adds the reason why a live node waits.
    func addWait(to text: inout DetailWriter) {
        guard !view.kind.isResource else { return addHolder(of: node, to: &text) }
        guard view.isLive,
            let (words, blocker) = BlockerDescription(glyphs: text.glyphs, now: program.shownNow).directBlocker(
                node, in: forest)
        else { return }
        guard let blocker else { return text.field("waits for", words) }
        if view.state == .queued, forest.taskWait(of: node) == nil {
            text.field("waits for", words)
            addNode("", blocker, "", to: &text)
        } else {
            addNode("waits for", blocker, words.isEmpty ? "" : ", \(words)", to: &text)
            addHolder(of: blocker, to: &text)
        }
    }

    /// Adds who holds an actor, a lock or an executor, and how many tasks wait for it.
    private func addHolder(of resource: NodeIndex, to text: inout DetailWriter) {
        guard forest.kind(of: resource).isResource else { return }
        if let holder = forest.holder(of: resource) {
            let since = BlockerDescription(glyphs: text.glyphs, now: program.shownNow).since(
                holder.since, of: resource, in: forest)
            if let task = holder.node {
                addNode("held by", task, since, to: &text)
            } else {
                text.field("held by", NodeText.holder(holder, in: forest) + since)
            }
        } else {
            text.field("held by", "nobody")
        }
        let count = forest.waiterCount(of: resource)
        if count > 1 || resource == node { text.field("waiting", CountText.counted(count, "task")) }
    }

    /// Adds id, kind, call site, executor and thread.
    func addPlace(to text: inout DetailWriter) {
        text.field("id", "\(view.id) \(text.glyphs.dot) \(view.kind.word)")
        text.field(forest.site(of: node))
        if view.executor != 0 {
            text.field("executor", forest.executors[view.executor] ?? "number \(view.executor)")
        }
        if view.thread != 0 {
            let name = forest.threads[view.thread].map { ThreadText.name($0, ellipsis: text.glyphs.ellipsis) }
            text.field("thread", name.map { "\($0) (\(view.thread))" } ?? "\(view.thread)")
        }
    }

    /// Adds the parent, the creator, and the links in both directions.
    func addRelatives(to text: inout DetailWriter) {
        if let parent = forest.parent(of: node) { addNode("parent", parent, "", to: &text) }
        addGroup(to: &text)
        let limit = Self.linkLimit
        let links = forest.targets(of: node, limit: limit + 1)
        add(links, to: &text) { $0.role == .follows ? "follows" : "member" }
        add(forest.holders(of: node, limit: limit + 1), to: &text) {
            $0.role == .followedBy ? "followed by" : "member of"
        }
    }

    /// Adds the creator, or the owner of the group in which a separate chain was made; and the separate chains that were
    /// made in a group of the node, the newest live ones first.
    private func addGroup(to text: inout DetailWriter) {
        let isSeparate = forest.isSeparate(node)
        if let creator = forest.creator(of: node) {
            addNode(isSeparate ? "in group of" : "made by", creator, "", to: &text)
        } else if isSeparate {
            text.field("in group of", "\(forest.origin(of: node)), which is no longer kept")
        }
        guard view.kind.runsInTask else { return }
        let members = forest.groupMembers(of: node, limit: Self.linkLimit)
        guard members.count > 0 else { return }
        text.field(
            "group",
            "\(CountText.counted(members.count, "chain")), \(CountText.grouped(members.liveCount)) in flight")
        for member in members.newest { addNode("", member, "", to: &text) }
        if members.count > members.newest.count { text.field("", "and more") }
    }

    /// Adds at most ``linkLimit`` links. If consecutive links have the same name, the name is written once.
    private func add(_ links: [NodeLink], to text: inout DetailWriter, _ name: (NodeLink) -> String) {
        var last = ""
        for link in links.prefix(Self.linkLimit) {
            let name = name(link)
            addNode(name == last ? "" : name, link.node, "", to: &text)
            last = name
        }
        if links.count > Self.linkLimit { text.field("", "and more") }
    }

    /// Adds a name and a node with the sign of its state; `tail` follows the node.
    private func addNode(_ name: String, _ other: NodeIndex, _ tail: String, to text: inout DetailWriter) {
        text.addNode(
            name, "\(NodeText.name(of: other, in: forest)) \(forest.id(of: other))\(tail)", forest.state(of: other),
            link: program.rowID(of: other))
    }

    /// Adds notes: how the node is settled, whether its creation was seen, whether it was released, and what is no
    /// longer kept under it.
    func addNotes(to text: inout DetailWriter) {
        var notes: [String] = []
        if view.marks.contains(.external) { notes.append("settled by a resolver") }
        if view.marks.contains(.seenLate) { notes.append("its making was not seen") }
        if view.marks.contains(.released) { notes.append("handle released") }
        let evictedCount = forest.evictedCount(of: node)
        if evictedCount > 0 { notes.append("\(CountText.grouped(evictedCount)) under it are no longer kept") }
        if !notes.isEmpty { text.field("notes", notes.joined(separator: ", ")) }
    }

    /// Adds how many nodes the node's call site has made, and how long they wait and run.
    func addSite(to text: inout DetailWriter) {
        let key = SiteKey(site: view.site, kind: view.kind)
        guard let statistics = program.insight.sites.figures?[key], statistics.total > 1
        else { return }
        text.gap()
        var words = "\(CountText.grouped(statistics.total)) nodes"
        if statistics.rejected > 0 { words += ", \(CountText.grouped(statistics.rejected)) rejected" }
        text.field("call site", words)
        let timing = view.handlerTiming(now: program.shownNow)
        addFigures("all waits", statistics.wait, own: timing.wait, to: &text)
        addFigures("all runs", statistics.run, own: timing.run, to: &text)
    }

    /// Adds percentiles and a histogram of durations, in which the bar of `own`, this node's duration, is marked.
    private func addFigures(
        _ name: String, _ figures: DurationFigures, own: UInt64?, to text: inout DetailWriter
    ) {
        let bars = figures.bars
        guard figures.count > 1, let highest = bars.max(), highest > 0,
            let first = bars.firstIndex(where: { $0 > 0 }), let last = bars.lastIndex(where: { $0 > 0 })
        else { return }
        let bounds = DurationFigures.barBounds
        var words = "p50 \(DurationText.settled(figures.p50)), p99 \(DurationText.settled(figures.p99))"
        if let own {
            // The percentage is a lower bound, because the durations in the node's own bar are not counted.
            let ownBar = bounds.firstIndex { own < $0 } ?? bounds.count
            let below = bars.prefix(ownBar).reduce(0, +)
            let percent = Int(below * 100 / max(1, bars.reduce(0, +)))
            if percent >= 50 { words += ", this is slower than \(percent)%" }
        }
        text.field(name, words)
        let isOwn = { (bar: Int) in
            own.map { time in bar == (bounds.firstIndex { time < $0 } ?? bounds.count) } ?? false
        }
        let steps = text.glyphs.bars
        var parts: [(String, Style)] = [(String(repeating: " ", count: DetailWriter.nameWidth), .dim)]
        parts.append((DurationText.settled(first == 0 ? 0 : bounds[first - 1]) + " ", .dim))
        for bar in first...last {
            let height = Double(bars[bar]) / Double(highest) * Double(steps.count)
            let step = bars[bar] == 0 ? " " : steps[max(0, min(steps.count - 1, Int(height.rounded(.up)) - 1))]
            // The style has no background, because a full block would hide the background of ``Style/match``.
            parts.append((step, isOwn(bar) ? Style.key.bold : .number))
        }
        parts.append((" " + DurationText.settled(figures.max), .dim))
        text.add(parts)
    }
}
