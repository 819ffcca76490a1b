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

@Suite struct OutlineTests {
    @Test(arguments: 1...10) func rowsAreThoseOfANaiveWalk(_ seed: Int) {
        var random = Seeded(state: UInt64(seed))
        var world = RandomWorld(screen: Screen(80, 20, options: RandomWorld.options(seed)))
        for step in 0..<130 {
            world.step(&random)
            if step % 3 == 0 { world.check("seed \(seed), step \(step)", &random) }
        }
    }
}

/// A dashboard to which anything happens.
struct RandomWorld {
    var screen: Screen
    private var time = 1.0
    private var nextID: UInt64 = 1
    private var live: [UInt64] = []
    private var sequence: UInt64 = 1
    private var needle = ""

    init(screen: Screen) { self.screen = screen }

    static func options(_ seed: Int) -> State.Options {
        var options = State.Options()
        options.limits.settledNodeLimit = seed % 3 == 0 ? 30 : 1_000
        options.limits.settledLeafLimit = seed % 2 == 0 ? 5 : 1_000
        options.limits.ageLimit = seed % 4 == 0 ? 3_000_000_000 : 600_000_000_000
        if seed % 5 == 0 { options.limits.changeLimit = 3 }
        return options
    }

    mutating func step(_ random: inout Seeded) {
        time += Double.random(in: 0.1...900, using: &random)
        if Int.random(in: 0..<3, using: &random) > 0 { tell(&random) }
        screen.tick(time)
        let keys = ["j", "k", "h", "l", "h", "l", "G", "g", "<PgDn>", "<PgUp>", "*", "_", "f", "m", "n", "N", "w", " "]
        for _ in 0..<Int.random(in: 0..<3, using: &random) { screen.type(keys.randomElement(using: &random)!) }
        switch Int.random(in: 0..<14, using: &random) {
        case 0:
            needle = ["a", "b", "map", "rejected", "a1"].randomElement(using: &random)!
            screen.type("/<^U>\(needle)<Enter>")
        case 1: screen.type("<Esc>")
        case 2: screen.act(.mouse(Mouse(Bool.random(using: &random) ? .wheelDown : .wheelUp, row: 5, column: 5)))
        default: break
        }
        screen.tick(time)
    }

    private mutating func tell(_ random: inout Seeded) {
        sequence += 1
        var script = Script(sequence: sequence, time: time)
        for _ in 0..<Int.random(in: 1...12, using: &random) {
            let some = live.randomElement(using: &random) ?? 0
            switch Int.random(in: 0..<9, using: &random) {
            case 0, 1:
                script.make(nextID, .promise, "a\(nextID % 7)")
                live.append(nextID)
                nextID += 1
            case 2, 3:
                script.make(nextID, .map, Bool.random(using: &random) ? "b\(nextID % 5)" : nil, under: some)
                live.append(nextID)
                nextID += 1
            case 4:
                script.make(nextID, .work, nil, by: some)
                live.append(nextID)
                nextID += 1
            case 5: if some != 0, let other = live.randomElement(using: &random) { script.adopt(some, other) }
            case 6:
                if some != 0 {
                    script.fulfill(some)
                    live.removeAll { $0 == some }
                }
            case 7:
                if some != 0 {
                    script.reject(some, "no \(some)")
                    live.removeAll { $0 == some }
                }
            default: if some != 0 { script.start(some) }
            }
        }
        screen.act(.received(SourceID(0), script.batch))
    }

    mutating func check(_ what: String, _ random: inout Seeded) {
        let forest = screen.state.forest!
        let filter = screen.state.outline.filter
        let naive = NaiveRows(
            forest: forest, outline: screen.state.outline, needle: filter.text, hides: filter.hidesRest)
        let expected = naive.rows()
        #expect(screen.state.outline.rowCount == expected.count, "\(what)")
        let found = screen.state.outline.rows(from: 0, count: expected.count + 5, in: forest).map(\.node)
        #expect(found == expected, "\(what)")
        if !expected.isEmpty {
            let first = Int.random(in: 0..<expected.count, using: &random)
            let part = screen.state.outline.rows(from: first, count: 7, in: forest).map(\.node)
            #expect(part == Array(expected[first...].prefix(7)), "\(what)")
            #expect(screen.state.outline.row(of: expected[first], in: forest) == first, "\(what)")
            let window = screen.state.window.compactMap(\.tree?.node)
            #expect(window == Array(expected[screen.state.top...].prefix(window.count)), "\(what)")
            #expect(screen.state.selectedIndex.map { expected.contains($0) } == true, "\(what)")
        }
        let matching = filter.isActive ? indices(of: forest).filter(naive.matches).count : 0
        #expect(filter.count == matching, "\(what)")
    }

    private func indices(of forest: ChainForest) -> [NodeIndex] {
        (0..<UInt32(forest.indexBound)).map { NodeIndex(rawValue: $0) }.filter { forest.contains($0) }
    }
}
