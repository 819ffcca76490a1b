import ChainEvents

/// The life of one chain: what is told of it when it is made, then burst by burst. Nodes are numbered from its first.
struct Plan {
    struct Step {
        var kind: EventKind
        var node: Int
        /// The parent or member, counted from the chain's first node.
        var other: Int?
        var flags: EventFlags = []
        var detail: UInt16 = 0
        /// An event without a text has none.
        var text: Text?
    }

    enum Text { case label, error }

    var nodeCount: Int
    var making: [Step]
    var bursts: [[Step]]

    /// How many events a chain makes in its life.
    var eventCount: Int { making.count + bursts.reduce(0) { $0 + $1.count } }
}

extension Plan {
    /// Returns an external promise with links one after another. The handler of the link `failing` throws; links that do
    /// not handle errors are skipped.
    static func line(_ links: [NodeKind], failing: Int? = nil) -> Plan {
        var making = [
            Step(kind: .created, node: 0, flags: .external, detail: UInt16(NodeKind.pending.rawValue), text: .label)
        ]
        for (index, kind) in links.enumerated() {
            making.append(
                Step(
                    kind: .created, node: index + 1, other: index, flags: .hasParent, detail: UInt16(kind.rawValue)))
        }
        var bursts: [[Step]] = []
        var burst = [Step(kind: .fulfilled, node: 0)]
        var hasFailed = false
        for (index, kind) in links.enumerated() {
            let node = index + 1
            guard !hasFailed || kind == .catch || kind == .anyway else {
                burst.append(Step(kind: .skipped, node: node, flags: .error))
                continue
            }
            guard hasFailed || kind != .catch else {
                burst.append(Step(kind: .skipped, node: node))
                continue
            }
            burst.append(Step(kind: .queued, node: node, detail: 1))
            bursts += [burst, [Step(kind: .started, node: node)]]
            if index == failing {
                hasFailed = true
                burst = [Step(kind: .rejected, node: node, flags: .handlerEnded, text: .error)]
            } else {
                burst = [Step(kind: .fulfilled, node: node, flags: .handlerEnded)]
                if kind == .catch { hasFailed = false }
            }
        }
        bursts.append(burst + released(links.count + 1))
        return Plan(nodeCount: links.count + 1, making: making, bursts: bursts)
    }

    /// Three pieces of work, `all` of them, and a link on that.
    static var members: Plan {
        var making: [Step] = []
        for node in 0..<3 {
            making.append(
                Step(
                    kind: .created, node: node, detail: UInt16(NodeKind.work.rawValue), text: node == 0 ? .label : nil))
            making.append(Step(kind: .queued, node: node, detail: 1))
        }
        making.append(Step(kind: .created, node: 3, detail: UInt16(NodeKind.all.rawValue)))
        for node in 0..<3 {
            making.append(Step(kind: .linked, node: 3, other: node, detail: UInt16(LinkKind.member.rawValue)))
        }
        making.append(
            Step(kind: .created, node: 4, other: 3, flags: .hasParent, detail: UInt16(NodeKind.then.rawValue)))
        var bursts = (0..<3).map { [Step(kind: .started, node: $0)] }
        bursts += (0..<2).map { [Step(kind: .fulfilled, node: $0, flags: .handlerEnded)] }
        bursts += [
            [
                Step(kind: .fulfilled, node: 2, flags: .handlerEnded), Step(kind: .fulfilled, node: 3),
                Step(kind: .queued, node: 4, detail: 1),
            ],
            [Step(kind: .started, node: 4)],
            [Step(kind: .fulfilled, node: 4, flags: .handlerEnded)] + released(5),
        ]
        return Plan(nodeCount: 5, making: making, bursts: bursts)
    }

    /// One piece of work without links.
    static var single: Plan {
        Plan(
            nodeCount: 1,
            making: [
                Step(kind: .created, node: 0, detail: UInt16(NodeKind.work.rawValue)),
                Step(kind: .queued, node: 0, detail: 1),
            ],
            bursts: [
                [Step(kind: .started, node: 0)],
                [Step(kind: .fulfilled, node: 0, flags: .handlerEnded)] + released(1),
            ])
    }

    private static func released(_ count: Int) -> [Step] { (0..<count).map { Step(kind: .released, node: $0) } }

    /// Chains of five of mixed kinds: of twenty, one fails in the end, one fails and recovers, two have members.
    static let mixed: [Plan] =
        Array(repeating: line([.then, .map, .tap, .done]), count: 8)
        + Array(repeating: line([.map, .then, .catch, .anyway]), count: 4)
        + Array(repeating: line([.then, .then, .tap, .done]), count: 4)
        + [line([.then, .map, .tap, .done], failing: 2), line([.map, .then, .catch, .anyway], failing: 1)]
        + [members, members]
}
