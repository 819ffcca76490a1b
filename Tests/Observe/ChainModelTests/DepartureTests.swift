import ChainEvents
import EventScripts
import Testing

@testable import ChainModel

/// What is told of nodes before they are evicted.
@Suite struct DepartureTests {
    @Test(arguments: 1...6) func eachNodeIsToldOnceAndCanStillBeRead(seed: UInt64) {
        var events = HostileEvents(seed: seed, idCount: 5_000, lastExecutor: 70)
        let process = ProcessKey(rawValue: 7)
        var forest = ChainForest(
            process: process,
            limits: ForestLimits(settledNodeLimit: 10, settledLeafLimit: 5, chainNodeLimit: 8, changeLimit: 10_000))
        let data = ObjectIdentifier(forest.data)
        var (nodeCount, chainCount) = (0, 0)
        for _ in 0..<400 {
            forest.apply(events.batch(process))
            _ = forest.consumeChanges()
            var (ids, wholeChains): ([NodeID], Set<UInt32>) = ([], [])
            forest.evictSettled(now: forest.now, budget: 20) { departure, forest in
                switch departure {
                case .chain(let root):
                    #expect(forest.isRoot(root) && forest.chain(of: root).liveCount == 0)
                    wholeChains.insert(root.rawValue)
                case .node(let index, let isReplaced):
                    ids.append(forest.id(of: index))
                    #expect(!forest.node(index).isLive)
                    #expect(forest.treeParent(of: index).map(forest.contains) != false, "its parent leaves later")
                    if forest.isRoot(index), !isReplaced {
                        #expect(forest.chain(of: index).outcome != .live && wholeChains.contains(index.rawValue))
                    }
                }
            }
            #expect(forest.consumeChanges().evicted.map(\.id) == ids)
            nodeCount += ids.count
            chainCount += wholeChains.count
        }
        #expect(nodeCount > 100 && chainCount > 20)
        #expect(UInt64(nodeCount) == forest.totals.evictedCount)
        #expect(ObjectIdentifier(forest.data) == data, "the forest was copied")
    }
}

// SPDX-License-Identifier: MIT
