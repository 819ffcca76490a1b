// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel

extension World {
    /// Sets what the statistics of each program count, by what is on the screen: the view, and the node `seen` in the
    /// details.
    ///
    /// For the view of call sites, the nodes of all call sites are counted. In another view, the nodes of the selected
    /// node's call site are counted while the detail pane is open. Chains are counted for the profile in its view, and
    /// for the groups of a grouped tree. What becomes shown is counted in part at once; ticks count the rest.
    mutating func showFigures(in view: ViewID, seen: (programIndex: Int, node: NodeIndex)?) {
        for programIndex in programs.indices where programs[programIndex].wasReached {
            let node = seen.flatMap { $0.programIndex == programIndex ? $0.node : nil }
            programs[programIndex].showFigures(in: view, ofSiteOf: node, grouped: isGrouped, wall: wall)
        }
    }
}

extension Program {
    fileprivate mutating func showFigures(in view: ViewID, ofSiteOf node: NodeIndex?, grouped: Bool, wall: UInt64) {
        let only = node.map { SiteKey(site: forest.node($0).site, kind: forest.kind(of: $0)) }
        if only != insight.sites.recount.base.only {
            insight.sites.show(false, forest, now: shownNow, wall: wall)
            insight.sites.recount.base.only = only
        }
        insight.sites.show(
            view.type.showsSites || only != nil, forest, now: shownNow, wall: wall, isBrief: only != nil)
        insight.chains.show(view == .chains && grouped, forest, now: shownNow, wall: wall)
        insight.profile.show(view.type.showsPaths, forest, now: shownNow, wall: wall)
    }
}
