// SPDX-License-Identifier: MIT

import ChainModel
import ChainText

// Which stretch of time the timeline shows, and the keys that change it.
extension TimelineView {
    /// Returns when the rows begin and end, in nanoseconds since 1970, and whether one of their chains is live.
    private func span(
        of rows: [TimelineRow], _ context: ViewContext
    ) -> (begin: UInt64, end: UInt64, isLive: Bool) {
        if let (programIndex, root) = shownChain(context) {
            let program = context.programs[programIndex]
            let chain = program.forest.chain(of: root)
            let isLive = chain.settled == nil
            let span = self.chain?.span
            let begin = span?.lowerBound ?? (program.forest.node(root).created &+ program.wallOffset)
            let settled = span?.upperBound ?? ((chain.settled ?? 0) &+ program.wallOffset)
            let end = isLive ? program.shownNow &+ program.wallOffset : settled
            return (begin, max(begin, end), isLive)
        }
        var (begin, end, isLive) = (UInt64.max, UInt64(0), false)
        for (programIndex, lines) in rows.programs {
            let program = context.programs[programIndex]
            for node in rows[lines].lazy.compactMap(\.node) {
                let settled = program.forest.chain(of: node).settled
                if settled == nil { isLive = true }
                begin = min(begin, program.forest.node(node).created &+ program.wallOffset)
                end = max(end, (settled ?? program.shownNow) &+ program.wallOffset)
            }
        }
        guard begin <= end else {
            // Round down to a minute, because an empty axis need not move.
            let minute = context.programs.commonBeginning ?? context.wall / 60_000_000_000 * 60_000_000_000
            return (minute, minute, false)
        }
        return (begin, end, isLive)
    }

    /// Returns the stretch of time on the screen, and when the rows begin.
    func axis(of rows: [TimelineRow], _ context: ViewContext) -> (axis: TimeAxis, begin: UInt64) {
        let columns = TimelineColumns(context).bars.width
        let (begin, end, isLive) = span(of: rows, context)
        // Leaves room for the sign at the end and a gap, and also for the duration if everything is fitted to the
        // width.
        let room = max(1, columns - (scale == nil ? min(columns / 3, DurationText.width + 3) : 2))
        // The scale of a live chain changes in steps, because each change redraws everything.
        let scale = scale ?? TimeAxis.scale(filling: end - begin, columns: room, inSteps: isLive)
        var left = begin
        if let fixed = self.left {
            left = fixed
        } else if case let shown = scale.multipliedClamped(by: UInt64(room)), end - begin > shown {
            // The axis moves by four columns at a time, because cells that stay in place are not redrawn.
            let step = scale.multipliedClamped(by: 4)
            let hidden = end - begin - shown
            left = begin.addingClamped((hidden / step + (hidden % step == 0 ? 0 : 1)).multipliedClamped(by: step))
        }
        return (TimeAxis(left: left, scale: scale, columns: columns), begin)
    }

    mutating func handleShared(_ intent: Intent, _ context: inout ViewContext) -> Bool {
        switch intent {
        case .left: pan(by: -1, &context)
        case .right: pan(by: 1, &context)
        case .previousChain, .nextChain: goToChain(forward: intent == .nextChain, &context)
        case .follow: followNow(&context)
        case .foldAll: setFolded(true, &context)
        case .unfoldAll: setFolded(false, &context)
        case .nextMatch, .previousMatch: goToMatch(forward: intent == .nextMatch, &context)
        case .visit where scope == .all && context.selectedNode != nil: toggleScope(&context)
        default: return false
        }
        return true
    }

    mutating func perform(_ intent: Own, _ context: inout ViewContext) {
        switch intent {
        case .zoomIn: zoom(by: -1, &context)
        case .zoomOut: zoom(by: 1, &context)
        case .scope: toggleScope(&context)
        case .longest: goToLongest(&context)
        case .fold: toggleFold(&context)
        }
    }

    private mutating func zoom(by steps: Int, _ context: inout ViewContext) {
        let rows = window(context)
        guard !rows.isEmpty else { return context.notify(context.emptyReason) }
        let axis = axis(of: rows, context).axis
        let (_, _, isLive) = span(of: rows, context)
        if steps > 0, scale == nil { return context.notify("the whole time is shown") }
        let next =
            steps > 0
            ? TimeAxis.scales.first { $0 > axis.scale } : TimeAxis.scales.last { $0 < axis.scale }
        guard let scale = next ?? (steps > 0 ? .max : nil) else {
            return context.notify("this is the closest zoom")
        }
        let oldLeft = left
        (self.scale, left) = (nil, nil)
        let fittedScale = self.axis(of: rows, context).axis.scale
        guard scale < fittedScale else {
            return context.notify("the whole time is shown")
        }
        left = oldLeft
        // Zooms around the end while the end is followed and the selection is live. Otherwise, zooms around the
        // selected node if that is in sight, else around the middle.
        if left != nil || !(isLive && context.isSelectionLive) {
            var center = axis.left &+ axis.scale &* UInt64(axis.columns / 2)
            if let moment = selectedMoment(context), (0..<axis.columns).contains(axis.column(of: moment)) {
                center = moment
            }
            let distance = scale.multipliedClamped(by: UInt64(max(0, axis.column(of: center))))
            left = center > distance ? center - distance : 0
        }
        self.scale = scale
        context.notify("\(TimelineText.scale(scale)) a column")
    }

    /// Returns when the selected node was started, in nanoseconds since 1970. Without a start, returns when the node
    /// was queued, or else made.
    private func selectedMoment(_ context: ViewContext) -> UInt64? {
        guard let (programIndex, node) = context.selectedNode else { return nil }
        let view = context.programs[programIndex].forest.node(node)
        return (view.started ?? view.queued ?? view.created) &+ context.programs[programIndex].wallOffset
    }

    private mutating func pan(by quarters: Int, _ context: inout ViewContext) {
        let rows = window(context)
        guard !rows.isEmpty else { return context.notify(context.emptyReason) }
        guard scale != nil else { return context.notify("the whole time is shown; + zooms in") }
        let axis = axis(of: rows, context).axis
        let (begin, _, isLive) = span(of: rows, context)
        let distance = axis.scale.multipliedClamped(by: UInt64(max(1, axis.columns / 4)))
        if quarters < 0 {
            guard axis.left > begin else { return context.notify("this is the beginning") }
            left = axis.left - begin > distance ? axis.left - distance : begin
        } else {
            guard left != nil else { return context.notify(isLive ? "this is now" : "this is the end") }
            left = nil
            let last = self.axis(of: rows, context).axis.left
            // Beyond the end, the end is followed again.
            if axis.left &+ distance < last { left = axis.left &+ distance }
        }
    }

    /// Follows the end again; if the end is followed already, fits everything to the width.
    private mutating func followNow(_ context: inout ViewContext) {
        if left != nil {
            left = nil
            context.notify("follows now; again: fit to width")
        } else if scale != nil {
            scale = nil
            context.notify("the whole time is shown")
        } else {
            context.notify("the whole time is shown; + zooms in")
        }
    }

    private mutating func toggleScope(_ context: inout ViewContext) {
        if scope == .chain {
            guard shownChain(context) != nil else { return context.notify("these are all chains; select one of them") }
            scope = .all
            context.notify("all chains, by start time; a goes back to one")
        } else {
            guard context.selectedNode != nil else { return context.notify("no chain is selected") }
            scope = .chain
            context.notify("the selected chain alone; a shows all")
        }
        (scale, left, anchor) = (nil, nil, nil)
    }

    /// Returns a hash of the axis, of the present moment's column and the durations for live rows, and of the
    /// selection's times.
    func redrawKey(in context: ViewContext) -> UInt64 {
        let rows = window(context)
        let (axis, begin) = axis(of: rows, context)
        var hasher = Hasher()
        hasher.combine(axis)
        let isAll = shownChain(context) == nil
        for (programIndex, lines) in rows.programs {
            let program = context.programs[programIndex]
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
        for part in TimelineText.info(context, isAll: isAll, begin: begin) { hasher.combine(part.text) }
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}
