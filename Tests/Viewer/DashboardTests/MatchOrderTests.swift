import ChainEvents
import ChainModel
import ChainRows
import SeededNumbers
import Testing

@testable import Dashboard

@Suite struct MatchOrderTests {
    @Test func keysGoThroughMatchesInTheOrderOfTheRows() {
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
        // With a kind, because a name alone also finds what is live below it.
        screen.type("/wanted kind:then<Enter>m")
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

// SPDX-License-Identifier: MIT
