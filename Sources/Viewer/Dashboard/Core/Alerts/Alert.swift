// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel
import ChainRows
import ChainText

/// A query that rings the bell when a node begins to match.
struct Alert: Equatable {
    /// Increases in the order in which alerts are set.
    var id: Int
    var query: Query
    /// How many nodes have rung for this alert.
    var count = 0
}

/// The watches of one program for the nodes that begin to match an alert.
struct AlertWatches {
    /// The watches, each by the id of its alert.
    private var watches: [Int: MatchWatch] = [:]
    /// The nodes that rang, by the id of the alert: these nodes do not ring again for that alert.
    private var rung: [Int: Set<NodeID>] = [:]
    /// The entries of ``rung``, the oldest first; entries past ``rungLimit`` are dropped.
    private var rungOrder: [(alert: Int, node: NodeID)] = []
    /// The revision of the warnings that the watches received last; nil if a new watch has received none.
    private var warningRevision: UInt64?

    private static let rungLimit = 10_000
    /// The maximum number of nodes that a tick tests for each alert; testing that many takes 2 ms.
    private static let budget = 5_000

    var isEmpty: Bool { watches.isEmpty }
    var hasWork: Bool { watches.values.contains(where: \.hasWork) }

    /// Returns whether a node rang for any alert; the row of such a node is marked.
    func hasRung(_ node: NodeID) -> Bool { !rung.isEmpty && rung.values.contains { $0.contains(node) } }

    /// Begins to watch for an alert; nodes that match already do not ring.
    mutating func set(_ alert: Alert, now: UInt64) {
        watches[alert.id] = MatchWatch(alert.query, now: now)
        warningRevision = nil
    }

    mutating func removeAll() { self = AlertWatches() }

    mutating func update(_ changes: ForestChanges, of forest: borrowing ChainForest) {
        for id in watches.keys { watches[id]!.update(changes, of: forest) }
    }

    /// Tests nodes at `now`, in nanoseconds of the program's clock; returns the nodes that ring, by the id of the
    /// alert.
    ///
    /// - Parameter isComplete: whether the program's state has arrived; until then no node rings.
    mutating func tick(
        _ forest: borrowing ChainForest, _ warnings: borrowing WarningTable, now: UInt64, isComplete: Bool
    ) -> [Int: [NodeIndex]] {
        if warningRevision != warnings.revision, watches.values.contains(where: \.readsWarnings) {
            warningRevision = warnings.revision
            let kinds = warnings.kindsByNode
            for alert in watches.keys { watches[alert]!.setWarnings(kinds, in: forest) }
        }
        var new: [Int: [NodeIndex]] = [:]
        for alert in watches.keys {
            for node in watches[alert]!.tick(now, in: forest, budget: Self.budget, isComplete: isComplete) {
                let id = forest.id(of: node)
                guard rung[alert, default: []].insert(id).inserted else { continue }
                rungOrder.append((alert, id))
                new[alert, default: []].append(node)
            }
        }
        if rungOrder.count > Self.rungLimit {
            let old = rungOrder.prefix(rungOrder.count - Self.rungLimit)
            for entry in old { rung[entry.alert]?.remove(entry.node) }
            rungOrder.removeFirst(old.count)
        }
        return new
    }
}

/// The facts that the alert command receives.
package struct AlertNotice: Hashable, Sendable {
    /// Environment variables: the query, the program, the number of nodes, and facts of the first of these nodes. The
    /// texts of the program in them are hostile.
    package var variables: [String: String]

    /// Describes `count` nodes that began to match; the facts are those of `node`, the first of them.
    package init(
        _ query: Query, _ node: NodeIndex, count: Int = 1, in forest: borrowing ChainForest, program: String, pid: Int32
    ) {
        let view = forest.node(node)
        variables = [
            "CHAINVIEW_QUERY": query.text, "CHAINVIEW_COUNT": "\(count)", "CHAINVIEW_PROGRAM": program,
            "CHAINVIEW_PID": "\(pid)", "CHAINVIEW_ID": "\(view.id.rawValue)",
            "CHAINVIEW_LABEL": forest.label(of: node) ?? "", "CHAINVIEW_KIND": view.kind.word,
            "CHAINVIEW_STATE": view.stateWord, "CHAINVIEW_SITE": forest.site(of: node)?.description ?? "",
            "CHAINVIEW_SUMMARY": forest.summary(of: node) ?? "",
            "CHAINVIEW_CHAIN": forest.label(of: forest.root(of: node)) ?? "",
        ]
    }
}

/// The alerts that are set.
struct Alerts {
    private(set) var all: [Alert] = []
    /// When the bell rang last, in nanoseconds since 1970.
    private var lastBell: UInt64 = 0

    /// The maximum number of alerts; there is a limit, because each alert tests every changed node.
    static let limit = 8
    /// The minimum time between two bells, in nanoseconds.
    private static let bellPause: UInt64 = 1_000_000_000

    /// Rings for nodes that began to match: the bell at most once a second, a message and a command for each alert
    /// and program.
    mutating func ring(in world: inout World) -> (messages: [String], effects: [Effect]) {
        guard !all.isEmpty else { return ([], []) }
        var messages: [String] = []
        var effects: [Effect] = []
        for programIndex in world.programs.indices where world.programs[programIndex].wasReached {
            guard !world.programs[programIndex].isFrozen else { continue }
            let new = world.programs[programIndex].tickAlerts(wall: world.wall)
            for index in all.indices {
                guard let nodes = new[all[index].id], let first = nodes.first else { continue }
                all[index].count += nodes.count
                let program = world.programs[programIndex]
                let label = NodeText.name(of: first, in: program.forest)
                let others = nodes.count > 1 ? " and \(nodes.count - 1) more" : ""
                messages.append("alert: \(label)\(others): \(all[index].query.text)")
                effects.append(
                    .alert(
                        AlertNotice(
                            all[index].query, first, count: nodes.count, in: program.forest, program: program.name,
                            pid: program.info?.pid ?? 0)))
            }
        }
        guard !effects.isEmpty, world.wall &- lastBell >= Self.bellPause else { return (messages, effects) }
        lastBell = world.wall
        return (messages, [.bell] + effects)
    }

    /// `:alert`: sets an alert if there is a query, else lists the alerts or drops them; returns what was done, in words.
    mutating func perform(
        _ words: CommandWords, _ query: Query?, in world: inout World
    ) throws(Typing.Problem) -> String {
        guard let query else { return words.rest.isEmpty ? list : drop(in: &world) }
        guard query.eventKinds == nil else {
            throw Typing.Problem(
                text: "an alert is about nodes: state:rejected, not events",
                range: words.argumentStart..<words.line.count)
        }
        guard !all.contains(where: { $0.query.findsSame(as: query) }) else { return "that alert is set already" }
        guard all.count < Self.limit else {
            throw Typing.Problem(
                text: "there are \(Self.limit) alerts; :alert off removes them", range: 0..<words.line.count)
        }
        let alert = Alert(id: (all.last?.id ?? 0) + 1, query: query)
        all.append(alert)
        for programIndex in world.programs.indices { world.programs[programIndex].setAlert(alert) }
        return "alert set: the bell rings when a node starts to match “\(query.text)”"
    }

    private var list: String {
        let list = all.map { "\($0.query.text) (\($0.count))" }.joined(separator: "   ")
        return all.isEmpty ? "no alerts; :alert QUERY sets one" : "alerts: \(list)   :alert off removes them"
    }

    private mutating func drop(in world: inout World) -> String {
        let count = all.count
        all = []
        for programIndex in world.programs.indices { world.programs[programIndex].alertWatches.removeAll() }
        return count == 0 ? "there are no alerts" : "\(count) \(count == 1 ? "alert" : "alerts") dropped"
    }
}

extension Program {
    /// Begins to watch the program's nodes for an alert.
    mutating func setAlert(_ alert: Alert) { alertWatches.set(alert, now: now) }

    fileprivate mutating func tickAlerts(wall: UInt64) -> [Int: [NodeIndex]] {
        let isComplete = stateArrival.isComplete(at: wall)
        return alertWatches.tick(forest, insight.warnings, now: now, isComplete: isComplete)
    }
}
