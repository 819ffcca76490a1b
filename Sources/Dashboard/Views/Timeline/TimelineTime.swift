import ChainEvents
import ChainModel
import Frames

// Which stretch of time the timeline shows, and the keys that change it.
extension State {
    /// From when to when what the rows show lasts, and whether it still goes on.
    private func timelineSpan(_ rows: [TimelineRow]) -> (begin: UInt64, end: UInt64, isLive: Bool) {
        if let (programIndex, root) = timelineChain {
            let program = programs[programIndex]
            let forest = program.forest!
            let chain = forest.chain(of: root)
            let isLive = chain.settled == nil
            let begin = timeline.span?.lowerBound ?? (forest.node(root).created &+ program.wallOffset)
            let settled = timeline.span?.upperBound ?? ((chain.settled ?? 0) &+ program.wallOffset)
            let end = isLive ? program.shownNow &+ program.wallOffset : settled
            return (begin, max(begin, end), isLive)
        }
        var (begin, end, isLive) = (UInt64.max, UInt64(0), false)
        for (programIndex, lines) in rows.programs {
            let program = programs[programIndex]
            for node in rows[lines].lazy.compactMap(\.node) {
                let settled = program.forest!.chain(of: node).settled
                if settled == nil { isLive = true }
                begin = min(begin, program.forest!.node(node).created &+ program.wallOffset)
                end = max(end, (settled ?? program.shownNow) &+ program.wallOffset)
            }
        }
        guard begin <= end else {
            // Nothing moves where there is nothing.
            let minute = wall / 60_000_000_000 * 60_000_000_000
            return (minute, minute, false)
        }
        return (begin, end, isLive)
    }

    /// The stretch of time that is on the screen, and the moment that ticks are counted from.
    func timelineAxis(_ rows: [TimelineRow]) -> (axis: TimeAxis, begin: UInt64) {
        let columns = TimelineColumns(self).bars.width
        let (begin, end, _) = timelineSpan(rows)
        // The sign of the end, and a column of air behind it.
        let room = max(1, columns - 2)
        let scale = timeline.scale ?? TimeAxis.scale(fitting: end - begin, into: room)
        var left = begin
        if let fixed = timeline.left {
            left = fixed
        } else if case let shown = scale.multipliedClamped(by: UInt64(room)), end - begin > shown {
            // Moved by some columns at a time: what stands still between is not drawn again.
            let step = scale.multipliedClamped(by: 4)
            let hidden = end - begin - shown
            left = begin.addingClamped((hidden / step + (hidden % step == 0 ? 0 : 1)).multipliedClamped(by: step))
        }
        return (TimeAxis(left: left, scale: scale, columns: columns), begin)
    }

    /// Does what only this view does; nil where it is done as everywhere.
    mutating func performInTimeline(_ intent: Intent) -> [Effect]? {
        switch intent {
        case .zoomIn: zoom(by: -1)
        case .zoomOut: zoom(by: 1)
        case .earlier: pan(by: -1)
        case .later: pan(by: 1)
        case .follow: followNow()
        case .scope: toggleScope()
        case .nextMatch, .previousMatch:
            guard filter.isActive else { return nil }
            goToMatchInTimeline(forward: intent == .nextMatch)
        case .detail where timeline.scope == .all && selectedNode != nil: toggleScope()
        default: return nil
        }
        return []
    }

    private mutating func zoom(by steps: Int) {
        let rows = timelineWindow
        guard !rows.isEmpty else { return say(whyEmpty) }
        let axis = timelineAxis(rows).axis
        let (begin, end, isLive) = timelineSpan(rows)
        let all = TimeAxis.scale(fitting: end - begin, into: max(1, axis.columns - 2))
        if steps > 0, timeline.scale == nil { return say("everything is in sight") }
        let index = (TimeAxis.scales.firstIndex(of: axis.scale) ?? 0) + steps
        guard index >= 0 else { return say("this is as near as it gets") }
        guard index < TimeAxis.scales.count, TimeAxis.scales[index] < all else {
            (timeline.scale, timeline.left) = (nil, nil)
            say("everything is in sight")
            return updateViewport()
        }
        let scale = TimeAxis.scales[index]
        // Around what goes on now while that is followed, else around the selected node.
        if timeline.left != nil || !(isLive && isSelectionLive) {
            let moment = selectedMoment.flatMap { time in
                (0..<axis.columns).contains(axis.column(of: time)) ? time : nil
            }
            let center = moment ?? axis.left &+ axis.scale &* UInt64(axis.columns / 2)
            let before = scale.multipliedClamped(by: UInt64(max(0, axis.column(of: center))))
            timeline.left = center > before ? center - before : 0
        }
        timeline.scale = scale
        say("\(TimelineText.scale(scale)) a column")
        updateViewport()
    }

    /// When the selected node's turn came.
    private var selectedMoment: UInt64? {
        guard let (programIndex, node) = selectedNode else { return nil }
        let view = programs[programIndex].forest!.node(node)
        return (view.started ?? view.queued ?? view.created) &+ programs[programIndex].wallOffset
    }

    private mutating func pan(by quarters: Int) {
        let rows = timelineWindow
        guard !rows.isEmpty else { return say(whyEmpty) }
        guard timeline.scale != nil else { return say("everything is in sight; + goes nearer") }
        let axis = timelineAxis(rows).axis
        let (begin, _, isLive) = timelineSpan(rows)
        let distance = axis.scale.multipliedClamped(by: UInt64(max(1, axis.columns / 4)))
        if quarters < 0 {
            guard axis.left > begin else { return say("this is the beginning") }
            timeline.left = axis.left - begin > distance ? axis.left - distance : begin
        } else {
            guard timeline.left != nil else { return say(isLive ? "this is now" : "this is the end") }
            timeline.left = nil
            let last = timelineAxis(rows).axis.left
            // At the end it follows again.
            if axis.left &+ distance < last { timeline.left = axis.left &+ distance }
        }
        updateViewport()
    }

    private mutating func followNow() {
        if timeline.left != nil {
            timeline.left = nil
            say("follows what goes on; again: everything in sight")
        } else if timeline.scale != nil {
            timeline.scale = nil
            say("everything is in sight")
        } else {
            say("everything is in sight; + goes nearer")
        }
        updateViewport()
    }

    private mutating func toggleScope() {
        if timeline.scope == .chain {
            guard timelineChain != nil else { return say("these are all chains; select one of them") }
            timeline.scope = .all
            say("all chains, in the order of their beginnings; a goes back to one")
        } else {
            guard selectedNode != nil else { return say("no chain is selected") }
            timeline.scope = .chain
            say("the selected chain alone; a shows all")
        }
        (timeline.scale, timeline.left, timeline.anchor) = (nil, nil, nil)
        updateViewport()
    }

    /// A number that changes when the passing of time alone changes the picture: where on the screen now is, and what
    /// is told of the selected node.
    var timelineStep: UInt64 {
        let rows = timelineWindow
        let (axis, begin) = timelineAxis(rows)
        var hasher = Hasher()
        hasher.combine(axis)
        let isAll = timelineChain == nil
        for (programIndex, lines) in rows.programs {
            let program = programs[programIndex]
            let now = axis.column(of: program.shownNow &+ program.wallOffset)
            for node in rows[lines].lazy.compactMap(\.node) {
                let view = program.forest!.node(node)
                let isGrowing =
                    isAll
                    ? program.forest!.chain(of: node).settled == nil : view.isLive || view.activity == .running
                if isGrowing { hasher.combine(now) }
            }
        }
        for part in TimelineText.info(self, begin: begin) { hasher.combine(part.text) }
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}
