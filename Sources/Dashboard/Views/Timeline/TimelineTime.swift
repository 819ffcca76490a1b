import ChainModel
import ChainText

// Which stretch of time the timeline shows, and the keys that change it.
extension TimelineView {
    /// Returns when the rows begin and end, in nanoseconds since 1970, and whether one of their chains is live.
    private static func span(
        of rows: [TimelineRow], _ state: borrowing State
    ) -> (begin: UInt64, end: UInt64, isLive: Bool) {
        if let (programIndex, root) = shownChain(state) {
            let program = state.programs[programIndex]
            let chain = program.forest.chain(of: root)
            let isLive = chain.settled == nil
            let span = state.timeline.chain?.span
            let begin = span?.lowerBound ?? (program.forest.node(root).created &+ program.wallOffset)
            let settled = span?.upperBound ?? ((chain.settled ?? 0) &+ program.wallOffset)
            let end = isLive ? program.shownNow &+ program.wallOffset : settled
            return (begin, max(begin, end), isLive)
        }
        var (begin, end, isLive) = (UInt64.max, UInt64(0), false)
        for (programIndex, lines) in rows.programs {
            let program = state.programs[programIndex]
            for node in rows[lines].lazy.compactMap(\.node) {
                let settled = program.forest.chain(of: node).settled
                if settled == nil { isLive = true }
                begin = min(begin, program.forest.node(node).created &+ program.wallOffset)
                end = max(end, (settled ?? program.shownNow) &+ program.wallOffset)
            }
        }
        guard begin <= end else {
            // Round down to a minute, because an empty axis need not move.
            let minute = state.programs.commonBeginning ?? state.wall / 60_000_000_000 * 60_000_000_000
            return (minute, minute, false)
        }
        return (begin, end, isLive)
    }

    /// Returns the stretch of time on the screen, and when the rows begin.
    static func axis(of rows: [TimelineRow], _ state: borrowing State) -> (axis: TimeAxis, begin: UInt64) {
        let columns = TimelineColumns(state).bars.width
        let (begin, end, isLive) = span(of: rows, state)
        // Leaves room for the sign at the end and a gap, and also for the duration if everything is fitted to the
        // width.
        let room = max(1, columns - (state.timeline.scale == nil ? min(columns / 3, DurationText.width + 3) : 2))
        // The scale of a live chain changes in steps, because each change redraws everything.
        let scale =
            state.timeline.scale ?? TimeAxis.scale(filling: end - begin, columns: room, inSteps: isLive)
        var left = begin
        if let fixed = state.timeline.left {
            left = fixed
        } else if case let shown = scale.multipliedClamped(by: UInt64(room)), end - begin > shown {
            // The axis moves by four columns at a time, because cells that stay in place are not redrawn.
            let step = scale.multipliedClamped(by: 4)
            let hidden = end - begin - shown
            left = begin.addingClamped((hidden / step + (hidden % step == 0 ? 0 : 1)).multipliedClamped(by: step))
        }
        return (TimeAxis(left: left, scale: scale, columns: columns), begin)
    }

    static func handleOwn(_ intent: Intent, _ state: inout State) -> [Effect]? {
        switch intent {
        case .zoomIn: zoom(by: -1, &state)
        case .zoomOut: zoom(by: 1, &state)
        case .left: pan(by: -1, &state)
        case .right: pan(by: 1, &state)
        case .previousChain, .nextChain: goToChain(forward: intent == .nextChain, &state)
        case .follow: followNow(&state)
        case .scope: toggleScope(&state)
        case .longest: goToLongest(&state)
        case .fold: toggleFold(&state)
        case .foldAll: setFolded(true, &state)
        case .unfoldAll: setFolded(false, &state)
        case .nextMatch, .previousMatch:
            goToMatch(forward: intent == .nextMatch, &state)
        case .visit where state.timeline.scope == .all && state.selectedNode != nil: toggleScope(&state)
        default: return nil
        }
        return []
    }

    private static func zoom(by steps: Int, _ state: inout State) {
        let rows = window(state)
        guard !rows.isEmpty else { return state.notify(state.emptyReason) }
        let axis = axis(of: rows, state).axis
        let (_, _, isLive) = span(of: rows, state)
        if steps > 0, state.timeline.scale == nil { return state.notify("the whole time is shown") }
        let next =
            steps > 0
            ? TimeAxis.scales.first { $0 > axis.scale } : TimeAxis.scales.last { $0 < axis.scale }
        guard let scale = next ?? (steps > 0 ? .max : nil) else {
            return state.notify("this is the closest zoom")
        }
        let oldLeft = state.timeline.left
        (state.timeline.scale, state.timeline.left) = (nil, nil)
        let fittedScale = self.axis(of: rows, state).axis.scale
        guard scale < fittedScale else {
            state.notify("the whole time is shown")
            return state.updateViewport()
        }
        state.timeline.left = oldLeft
        // Zooms around the end while the end is followed and the selection is live. Otherwise, zooms around the
        // selected node if that is in sight, else around the middle.
        if state.timeline.left != nil || !(isLive && state.isSelectionLive) {
            var center = axis.left &+ axis.scale &* UInt64(axis.columns / 2)
            if let moment = selectedMoment(state), (0..<axis.columns).contains(axis.column(of: moment)) {
                center = moment
            }
            let distance = scale.multipliedClamped(by: UInt64(max(0, axis.column(of: center))))
            state.timeline.left = center > distance ? center - distance : 0
        }
        state.timeline.scale = scale
        state.notify("\(TimelineText.scale(scale)) a column")
        state.updateViewport()
    }

    /// Returns when the selected node was started, in nanoseconds since 1970. Without a start, returns when the node
    /// was queued, or else made.
    private static func selectedMoment(_ state: borrowing State) -> UInt64? {
        guard let (programIndex, node) = state.selectedNode else { return nil }
        let view = state.programs[programIndex].forest.node(node)
        return (view.started ?? view.queued ?? view.created) &+ state.programs[programIndex].wallOffset
    }

    private static func pan(by quarters: Int, _ state: inout State) {
        let rows = window(state)
        guard !rows.isEmpty else { return state.notify(state.emptyReason) }
        guard state.timeline.scale != nil else { return state.notify("the whole time is shown; + zooms in") }
        let axis = axis(of: rows, state).axis
        let (begin, _, isLive) = span(of: rows, state)
        let distance = axis.scale.multipliedClamped(by: UInt64(max(1, axis.columns / 4)))
        if quarters < 0 {
            guard axis.left > begin else { return state.notify("this is the beginning") }
            state.timeline.left = axis.left - begin > distance ? axis.left - distance : begin
        } else {
            guard state.timeline.left != nil else { return state.notify(isLive ? "this is now" : "this is the end") }
            state.timeline.left = nil
            let last = self.axis(of: rows, state).axis.left
            // Beyond the end, the end is followed again.
            if axis.left &+ distance < last { state.timeline.left = axis.left &+ distance }
        }
        state.updateViewport()
    }

    /// Follows the end again; if the end is followed already, fits everything to the width.
    private static func followNow(_ state: inout State) {
        if state.timeline.left != nil {
            state.timeline.left = nil
            state.notify("follows now; again: fit to width")
        } else if state.timeline.scale != nil {
            state.timeline.scale = nil
            state.notify("the whole time is shown")
        } else {
            state.notify("the whole time is shown; + zooms in")
        }
        state.updateViewport()
    }

    private static func toggleScope(_ state: inout State) {
        if state.timeline.scope == .chain {
            guard shownChain(state) != nil else { return state.notify("these are all chains; select one of them") }
            state.timeline.scope = .all
            state.notify("all chains, by start time; a goes back to one")
        } else {
            guard state.selectedNode != nil else { return state.notify("no chain is selected") }
            state.timeline.scope = .chain
            state.notify("the selected chain alone; a shows all")
        }
        (state.timeline.scale, state.timeline.left, state.timeline.anchor) = (nil, nil, nil)
        state.updateViewport()
    }

    /// Returns a hash of the axis, of the present moment's column and the durations for live rows, and of the
    /// selection's times.
    static func redrawKey(of state: borrowing State) -> UInt64 {
        let rows = window(state)
        let (axis, begin) = axis(of: rows, state)
        var hasher = Hasher()
        hasher.combine(axis)
        let isAll = shownChain(state) == nil
        for (programIndex, lines) in rows.programs {
            let program = state.programs[programIndex]
            let now = axis.column(of: program.shownNow &+ program.wallOffset)
            for node in rows[lines].lazy.compactMap(\.node) {
                let view = program.forest.node(node)
                let isGrowing =
                    isAll
                    ? program.forest.chain(of: node).settled == nil : view.isLive || view.activity == .running
                guard isGrowing else { continue }
                hasher.combine(now)
                if let duration = TimelineText.duration(of: node, isChain: isAll, program) {
                    hasher.combine(DurationText.step(duration.time))
                }
            }
        }
        for part in TimelineText.info(state, begin: begin) { hasher.combine(part.text) }
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}
