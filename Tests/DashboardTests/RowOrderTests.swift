import ChainEvents
import ChainModel
import SeededNumbers
import Testing

@testable import ChainRows
@testable import Dashboard

@Suite struct RowOrderTests {
    /// Steps forth and back are those that the rows take, whatever the shape of the chain.
    @Test(arguments: 1...6) func stepsAreThoseOfTheRows(_ seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed) << 8)
        var screen = Screen(80, 20)
        var story = RandomStory()
        for _ in 0..<150 { story.goOn(&screen, &random) }
        let forest = screen.state.forest!
        for root in forest.roots {
            let nodes = ChainWalk.rows(of: root, in: forest).map(\.node)
            #expect(RowOrder.last(under: root, in: forest) == nodes.last)
            for (place, node) in nodes.enumerated() {
                let before = RowOrder.previous(before: node, within: root, in: forest)
                #expect(before == (place > 0 ? nodes[place - 1] : nil), "seed \(seed)")
                let target = Int.random(in: nodes.indices, using: &random)
                for forward in [true, false] where target != place {
                    let found = RowOrder.nearest(to: node, forward: forward, within: root, in: forest) {
                        $0 == nodes[target]
                    }
                    #expect(found == ((target > place) == forward ? nodes[target] : nil), "seed \(seed)")
                }
            }
        }
    }

    /// A neighbour costs the steps between the two, however long the chain is.
    @Test func whoIsNearCostsThoseInBetween() throws {
        var script = Script(time: 10)
        script.make(1, .promise)
        for node in 2...20_000 as ClosedRange<UInt64> { script.make(node, .then, under: node % 3 == 0 ? 1 : node - 1) }
        var forest = ChainForest(process: Script.process.key)
        forest.apply(script.batch)
        let root = try #require(forest.index(of: NodeID(1)))
        let nodes = ChainWalk.rows(of: root, in: forest).map(\.node)
        for (place, forward) in [(0, true), (10_000, true), (10_000, false), (19_999, false)] {
            let target = nodes[forward ? place + 9 : place - 9]
            var looked = 0
            let found = RowOrder.nearest(to: nodes[place], forward: forward, within: root, in: forest) { node in
                looked += 1
                return node == target
            }
            #expect(found == target && looked == 9)
        }
    }

    @Test func matchesAreGoneThroughInTheOrderOfTheRows() {
        var screen = Screen(80, 20)
        var script = Script(time: 10)
        for chain in 0..<5 as Range<UInt64> {
            let root = 100 * chain + 1
            script.make(root, .promise, "chain")
            for node in root + 1...root + 20 {
                let label = node % 3 == chain % 3 ? "wanted" : "other"
                script.make(node, .then, label, under: node % 4 == 0 ? root : node - 1)
            }
        }
        screen.feed(script)
        screen.type("/wanted<Enter>m")
        let forest = screen.state.forest!
        let all = forest.roots.flatMap { root in
            ChainWalk.rows(of: root, in: forest).map(\.node)
        }
        let wanted = all.filter { forest.label(of: $0) == "wanted" }.map { forest.id(of: $0).rawValue }
        screen.type("g")
        var seen: [UInt64] = []
        for _ in 0..<wanted.count {
            screen.type("n")
            seen.append(screen.selectedID!)
        }
        #expect(seen == wanted)
        screen.type("n")
        #expect(screen.selectedID == wanted.first && screen.message == "wrapped to the top")
        screen.type("N")
        #expect(screen.selectedID == wanted.last && screen.message == "wrapped to the bottom")
        for expected in wanted.dropLast().reversed() {
            screen.type("N")
            #expect(screen.selectedID == expected)
        }
    }
}
