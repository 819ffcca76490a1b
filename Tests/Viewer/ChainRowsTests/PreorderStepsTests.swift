import ChainEvents
import ChainModel
import EventScripts
import SeededNumbers
import Testing

@testable import ChainRows

@Suite struct PreorderStepsTests {
    /// Steps forward and back go from row to row, in chains of any shape.
    @Test(arguments: 1...6) func stepsAreThoseOfTheRows(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed) << 8)
        var world = ChainWorld(seed)
        for _ in 0..<150 { try world.step() }
        let forest = world.forest
        for root in forest.roots {
            let nodes = ChainWalk.rows(of: root, in: forest).map(\.node)
            #expect(PreorderSteps.last(under: root, in: forest) == nodes.last)
            for (index, node) in nodes.enumerated() {
                let before = PreorderSteps.previous(before: node, within: root, in: forest)
                #expect(before == (index > 0 ? nodes[index - 1] : nil), "seed \(seed)")
                let target = Int.random(in: nodes.indices, using: &random)
                for forward in [true, false] where target != index {
                    let found = PreorderSteps.nearest(to: node, forward: forward, within: root, in: forest) {
                        $0 == nodes[target]
                    }
                    #expect(found == ((target > index) == forward ? nodes[target] : nil), "seed \(seed)")
                }
            }
        }
    }

    /// However long the chain is.
    @Test func aSearchTestsOnlyTheNodesUpToTheMatch() throws {
        var script = BatchScript()
        script.make(1)
        for node in 2...20_000 as ClosedRange<UInt64> { script.make(node, .then, under: node % 3 == 0 ? 1 : node - 1) }
        var forest = ChainForest(process: ScriptedForest.process)
        forest.apply(script.batch)
        let root = try #require(forest.index(of: NodeID(1)))
        let nodes = ChainWalk.rows(of: root, in: forest).map(\.node)
        for (index, forward) in [(0, true), (10_000, true), (10_000, false), (19_999, false)] {
            let target = nodes[forward ? index + 9 : index - 9]
            var testedCount = 0
            let found = PreorderSteps.nearest(to: nodes[index], forward: forward, within: root, in: forest) { node in
                testedCount += 1
                return node == target
            }
            #expect(found == target && testedCount == 9)
        }
    }
}

// SPDX-License-Identifier: MIT
