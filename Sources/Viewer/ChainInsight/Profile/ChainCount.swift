// SPDX-License-Identifier: MIT

import ChainModel

/// Rate, errors and durations of chains by the call site of their root.
package struct ChainCount: ForestCount {
    /// The maximum number of call sites; the chains of further call sites count under the unknown site.
    package static let siteLimit = 1_024

    /// The index in `flows` of each call site.
    private var indices: [CodeLocation: Int] = [:]
    private var flows: [FlowCounter] = []
    /// A cache: the last call sites by a hash, and their indices in `flows`.
    private var recent = [(site: SiteID, flow: Int)?](repeating: nil, count: 64)

    /// Makes a count of nothing.
    package init() {}

    package mutating func begin(in forest: ChainForest) { for index in flows.indices { flows[index].begin() } }

    package mutating func add(_ index: NodeIndex, in forest: ChainForest) -> Int {
        guard forest.contains(index), forest.isRoot(index) else { return 0 }
        let (root, chain) = (forest.node(index), forest.chain(of: index))
        guard root.isReported else { return 1 }
        let flow = flow(of: root.site, forest)
        flows[flow].note(root, forest)
        if let settled = chain.settled {
            flows[flow].end(
                at: settled, after: settled - min(settled, root.created), failed: chain.outcome.isFailure,
                cancelled: chain.outcome == .cancelled)
        } else {
            flows[flow].begin(root, at: root.created)
        }
        return 1
    }

    package mutating func add(_ departure: Departure, in forest: ChainForest) {
        if case .node(let index, isReplaced: false) = departure { _ = add(index, in: forest) }
    }

    private mutating func flow(of site: SiteID, _ forest: ChainForest) -> Int {
        let slot = Int(site & 63)
        if let known = recent[slot], known.site == site { return known.flow }
        let location = forest.sites[site]
        let flow = self.flow(of: location ?? .unknown)
        // A call site that is not known yet may become known.
        if location != nil { recent[slot] = (site, flow) }
        return flow
    }

    private mutating func flow(of site: CodeLocation) -> Int {
        if let known = indices[site] { return known }
        guard flows.count < Self.siteLimit || site == .unknown else { return flow(of: .unknown) }
        flows.append(FlowCounter())
        indices[site] = flows.count - 1
        return flows.count - 1
    }

    // MARK: Figures

    package var entryCount: Int { flows.count }
    package mutating func compute(_ entry: Int, in forest: ChainForest) { flows[entry].compute(forest) }

    /// The figures by call site; the unknown site has an empty file and line 0.
    package var figures: [CodeLocation: FlowFigures] { indices.mapValues { flows[$0].figures } }

    /// The size of the table of call sites.
    package var queueStatistics: [QueueStatistics] {
        [
            QueueStatistics(
                name: "call sites of chains", count: flows.count, highWaterMark: flows.count,
                limit: Self.siteLimit + 1)
        ]
    }
}

extension CodeLocation {
    /// The call site of what has none.
    fileprivate static var unknown: CodeLocation { CodeLocation(fileID: "", line: 0) }
}
