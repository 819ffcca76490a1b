import ChainEvents
import ChainModel
import Frames
import Testing

@testable import Dashboard

/// Numbers that are the same in every run.
struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}

@Suite struct RootListTests {
    @Test(arguments: [1, 2, 3] as [UInt64]) func isWhatAPlainArrayWouldBe(_ seed: UInt64) {
        var random = Seeded(state: seed)
        var list = RootList()
        var plain: [(key: RootKey, weight: Int)] = []
        for _ in 0..<6_000 {
            let key = RootKey(
                section: Bool.random(using: &random) ? .live : .settled,
                rank: Int64.random(in: -300...300, using: &random),
                id: UInt64.random(in: 1...3, using: &random))
            let place = plain.firstIndex { !($0.key < key) } ?? plain.count
            let isThere = place < plain.count && plain[place].key == key
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let weight = Int.random(in: 1...9, using: &random)
                if isThere {
                    plain[place].weight = weight
                    list.setWeight(weight, of: key)
                } else {
                    plain.insert((key, weight), at: place)
                    list.insert(key, weight: weight)
                }
            case 2:
                let removed = list.remove(key)
                #expect(removed == isThere)
                if isThere { plain.remove(at: place) }
            default:
                #expect(list.contains(key) == isThere)
                #expect(list.row(of: key) == (isThere ? plain[..<place].reduce(0) { $0 + $1.weight } : nil))
                #expect(list.key(before: key) == (place > 0 ? plain[place - 1].key : nil))
                let after = isThere ? place + 1 : place
                #expect(list.key(after: key) == (after < plain.count ? plain[after].key : nil))
            }
        }
        #expect(list.count == plain.count)
        #expect(list.rowCount == plain.reduce(0) { $0 + $1.weight })
        #expect(list.first == plain.first?.key && list.last == plain.last?.key)
        var row = 0
        for entry in plain {
            for offset in 0..<entry.weight {
                let found = list.select(row: row + offset)
                #expect(found?.key == entry.key && found?.offset == offset)
            }
            row += entry.weight
        }
        #expect(list.select(row: row) == nil && list.select(row: -1) == nil)
    }
}

/// The rows of a forest as one would write them down without thinking of costs.
struct NaiveRows {
    let forest: ChainForest
    let outline: Outline
    let needle: String
    let hides: Bool

    func matches(_ node: NodeIndex) -> Bool {
        let label = forest.label(of: node) ?? forest.site(of: node)?.description ?? ""
        let texts = [label, forest.summary(of: node) ?? "", forest.node(node).kind.word, forest.state(of: node).word]
        return texts.contains { $0.lowercased().contains(needle) }
    }

    private func children(_ node: NodeIndex) -> [NodeIndex] {
        var children: [NodeIndex] = []
        var child = forest.firstChild(of: node)
        while let current = child {
            children.append(current)
            child = forest.nextSibling(of: current)
        }
        return children
    }

    private func holdsMatch(_ node: NodeIndex) -> Bool { matches(node) || children(node).contains(where: holdsMatch) }

    func rows() -> [NodeIndex] {
        forest.roots.filter { !hides || holdsMatch($0) }
            .sorted { outline.key(of: $0)! < outline.key(of: $1)! }
            .flatMap { rows(of: $0, isRoot: true) }
    }

    private func rows(of node: NodeIndex, isRoot: Bool) -> [NodeIndex] {
        var inner = children(node)
        let thens = inner.filter { forest.node($0).hasParent }
        var tail: [NodeIndex] = []
        if thens.count == 1 {
            inner.removeAll { $0 == thens[0] }
            tail = thens
        }
        if hides {
            inner = inner.filter(holdsMatch)
            tail = tail.filter(holdsMatch)
        }
        let isFolded = hides ? outline.isFoldedByUser(node) : outline.isFolded(node)
        if isFolded, isRoot { return [node] }
        let below = isFolded ? [] : inner.flatMap { rows(of: $0, isRoot: false) }
        return [node] + below + tail.flatMap { rows(of: $0, isRoot: false) }
    }
}
