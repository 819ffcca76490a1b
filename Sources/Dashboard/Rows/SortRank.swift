import ChainEvents
import ChainModel

/// Makes the ranks of one order: 64 bits a chain that say where it stands, so that sorting compares numbers.
struct SortRank {
    let order: TreeOrder

    /// A moment after all others, to tell since when something grows.
    private static let farAway: UInt64 = 1 << 61

    /// Where a chain stands. A chain is sorted by what its root's row shows.
    func rank(ofRoot root: NodeIndex, isRetired: Bool, in forest: borrowing ChainForest) -> UInt64 {
        switch order.column {
        case .node, .thread, .wait, .run: return rank(of: root, in: forest)
        case .start, .state, .total, .value: break
        }
        let chain = forest.chain(of: root)
        switch order.column {
        case .start:
            if isRetired, let settled = chain.settled {
                return Rank.made(section: 1, settled, flips: !order.isInverted)
            }
            return Rank.made(section: 0, forest.node(root).created, flips: order.isInverted)
        case .state:
            let own = Self.place(of: forest.state(of: root))
            return Rank.made(section: 0, own << 4 | Self.place(of: Self.leading(chain.counts)), flips: order.isInverted)
        case .total:
            let created = forest.node(root).created
            if chain.nodeCount == 1 { return rank(of: root, in: forest) }
            if let settled = chain.settled { return known(settled &- min(created, settled)) }
            return growing(since: created)
        case .value:
            if forest.summary(of: root) == nil, let rejected = chain.firstRejected {
                var text = TextRank()
                text.add(NodeText.name(of: rejected, in: forest))
                text.add(": ")
                text.add(forest.summary(of: rejected) ?? forest.state(of: rejected).word)
                return Rank.made(section: 0, text.value, flips: order.isInverted)
            }
            return rank(of: root, in: forest)
        case .node, .thread, .wait, .run: return rank(of: root, in: forest)
        }
    }

    /// The same for a node among those under the same node, as of a moment.
    func rank(of node: NodeIndex, at moment: UInt64, in forest: borrowing ChainForest) -> UInt64 {
        let rank = rank(of: node, in: forest)
        guard order.column.isDuration, Rank.section(rank) == 0 else { return rank }
        let start = order.isDescending ? Rank.payload(rank) : ~Rank.payload(rank) & Rank.payloadMask
        return known(moment > start ? moment - start : 0)
    }

    private func rank(of node: NodeIndex, in forest: borrowing ChainForest) -> UInt64 {
        let view = forest.node(node)
        switch order.column {
        case .start: return Rank.made(section: 0, view.created, flips: order.isInverted)
        case .state: return Rank.made(section: 0, Self.place(of: view.state) << 4, flips: order.isInverted)
        case .node: return label(of: view, in: forest)
        case .thread:
            guard view.thread != 0 else { return Rank.made(section: 2, 0) }
            var text = TextRank()
            text.add(forest.threads[view.thread] ?? "\(view.thread)")
            return Rank.made(section: 0, text.value, flips: order.isInverted)
        case .wait:
            guard let wait = forest.timing(of: node, now: Self.farAway).wait else { return Rank.made(section: 2, 0) }
            return view.state == .queued ? growing(since: Self.farAway - wait) : known(wait)
        case .run:
            guard let run = forest.timing(of: node, now: Self.farAway).run else { return Rank.made(section: 2, 0) }
            return view.activity == .running ? growing(since: Self.farAway - run) : known(run)
        case .total:
            guard let total = forest.timing(of: node, now: Self.farAway).total else { return Rank.made(section: 2, 0) }
            return view.isLive ? growing(since: Self.farAway - total) : known(total)
        case .value:
            guard let summary = forest.summary(of: node) else { return Rank.made(section: 2, 0) }
            var text = TextRank()
            text.add(summary)
            let isWell = view.state == .fulfilled || view.state == .skipped || view.isLive
            return Rank.made(section: isWell ? 1 : 0, text.value, flips: order.isInverted)
        }
    }

    private func label(of view: NodeView, in forest: borrowing ChainForest) -> UInt64 {
        var text = TextRank()
        if let label = forest.label(of: view), !label.isEmpty {
            text.add(label)
            return Rank.made(section: 0, text.value, flips: order.isInverted)
        }
        text.add(NodeText.label(of: view.index, in: forest).text)
        return Rank.made(section: 1, text.value, flips: order.isInverted)
    }

    private func known(_ duration: UInt64) -> UInt64 {
        Rank.made(section: 1, duration, flips: order.isDescending)
    }

    private func growing(since start: UInt64) -> UInt64 {
        Rank.made(section: 0, start, flips: !order.isDescending)
    }

    // MARK: States

    /// What is alive first, then what went wrong, then what went well.
    static let states: [NodeState] = [
        .running, .queued, .pending, .waiting, .rejected, .abandoned, .cancelled, .unknown, .fulfilled, .skipped,
    ]

    private static let places: [UInt64] = NodeState.allCases.map { UInt64(states.firstIndex(of: $0)!) }

    private static func place(of state: NodeState) -> UInt64 { places[Int(state.rawValue)] }

    /// The state that says how a chain is doing as a whole.
    static func leading(_ counts: StateCounts) -> NodeState { states.first { counts[$0] > 0 } ?? .unknown }
}

/// The beginning of a text as a number, in the order of texts: letters without their case, numbers as numbers.
///
/// Five bits a letter or sign, twelve of them; a number takes what its digits need. Texts that begin alike for longer
/// are equal here.
struct TextRank {
    private(set) var value: UInt64 = 0
    private var room = Int(Rank.payloadBits)
    private var digits: UInt64 = 0
    private var digitCount = 0
    private var isNumber = false

    private enum Sign {
        static let number: UInt64 = 3, firstLetter: UInt64 = 4, other: UInt64 = 31
    }

    /// Goes on with a text. O(the first dozen of its characters).
    mutating func add(_ text: String) {
        for byte in text.utf8 {
            guard room > 0 else { return }
            if byte >= 0x30, byte <= 0x39 {
                isNumber = true
                // Zeros in front say nothing.
                if digitCount < 15, digitCount > 0 || byte > 0x30 {
                    digits = digits * 10 + UInt64(byte - 0x30)
                    digitCount += 1
                }
                continue
            }
            endNumber()
            switch byte {
            case 0x61...0x7a: put(Sign.firstLetter + UInt64(byte - 0x61), bits: 5)
            case 0x41...0x5a: put(Sign.firstLetter + UInt64(byte - 0x41), bits: 5)
            case 0x80...:
                put(Sign.other, bits: 5)
                put(UInt64(byte & 0x7f), bits: 7)
            case 0x00...0x20: put(1, bits: 5)
            default: put(byte < 0x30 ? 2 : 30, bits: 5)
            }
        }
        endNumber()
    }

    private mutating func endNumber() {
        guard isNumber else { return }
        put(Sign.number, bits: 5)
        put(UInt64(digitCount), bits: 4)
        put(digits, bits: (digitCount * 10 + 2) / 3)
        (digits, digitCount, isNumber) = (0, 0, false)
    }

    private mutating func put(_ number: UInt64, bits: Int) {
        let taken = min(bits, room)
        room -= taken
        value |= (number >> UInt64(bits - taken)) << UInt64(room)
    }
}
