import ChainInsight
import ChainModel

extension State {
    /// Sets what the statistics of each program count, by what is on the screen.
    ///
    /// For the view of call sites, the nodes of all call sites are counted. In another view, the nodes of the selected
    /// node's call site are counted while the detail pane is open. Chains are counted for the profile in its view, and
    /// for the groups of a grouped tree. What becomes shown is counted in part at once; ticks count the rest.
    mutating func updateInsightDemand() {
        let seen = view.type.showsSites || Layout(self).detail == nil ? nil : selectedNode
        for programIndex in programs.indices where programs[programIndex].wasReached {
            var demand = view.type.showsSites ? SitesInsight.Demand.all : .nothing
            if let seen, seen.programIndex == programIndex {
                let node = programs[programIndex].forest.node(seen.node)
                demand = .one(SiteKey(site: node.site, kind: node.kind))
            }
            programs[programIndex].insight.sites.show(demand, programs[programIndex].forest, wall: wall)
            let areGroupsSeen = view == .chains && order.isGrouped
            programs[programIndex].insight.chains.show(
                view.type.showsPaths ? .profile : areGroupsSeen ? .groups : .nothing, programs[programIndex].forest,
                wall: wall)
        }
    }
}
