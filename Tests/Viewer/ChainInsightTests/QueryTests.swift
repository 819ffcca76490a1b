import ChainEvents
import ChainModel
import EventScripts
import SeededNumbers
import Testing

@testable import ChainInsight

struct QueryTests {
    /// Node 1: order 17, rejected on worker-2. Node 2: its step charge, which has run for 1 s. Node 3: a pending `all`.
    /// Node 4: a `map` that waits for charge. Nodes 3 and 4 have no label.
    private let forest = makeForest()
    private let now: UInt64 = 10_000_000_000

    /// Returns the nodes that a query finds.
    private func found(_ text: String) throws -> [UInt64] {
        var matcher = QueryMatcher(try Query(text))
        return (1...4).filter { matcher.matches(forest.index(of: NodeID($0))!, in: forest, now: now) }
    }

    @Test(arguments: [
        ("", [1, 2, 3, 4]), ("order", [1, 3, 4]), ("ORDER 17", [1]), ("\"order 17\"", [1]), ("\"17 order\"", []),
        ("state:rejected", [1]), ("state!=rejected", [2, 3, 4]), ("is:live", [2, 3, 4]), ("rejected", [1]),
        ("kind:all", [3]), ("kind:all or kind:map", [3, 4]), ("kind:then and running", [2]), ("kind:then running", [2]),
        ("not kind:then", [1, 3, 4]), ("!kind:then", [1, 3, 4]), ("not not kind:then", [2]),
        ("thread:worker-2", [1]), ("thread:worker", [1, 2]), ("thread=worker", []), ("site:Order.swift:42", [4]),
        ("site:order.swift", [1, 2, 3, 4]), ("order.swift", [3, 4]), ("error~timeout", [1]), ("error:\"too late\"", []),
        ("id:2", [2]), ("id:#2", [2]), ("run>900ms", [2]), ("run>2s", []), ("run<=1s", [1, 2]), ("age>5s", [2, 3, 4]),
        ("age<1h", [2, 3, 4]), ("not age<1h", [1]),
        ("age>5s and (kind:all or kind:map)", [3, 4]), ("order or charge and running", [1, 2, 3, 4]),
        ("(order or charge) and running", [2]), ("wait>=1s", [2]), ("naïve", []), ("label:CHARGE", [2]),
        ("live", [2, 3, 4]), ("failed", [1]), ("settled", [1]), ("\"live\"", []), ("#2", [2]), ("total > 5s", [2, 3]),
        ("run <= 1s", [1, 2]), ("state : rejected", [1]), ("Order.swift:42", [4]), ("Shop/order.swift:41", [1, 2, 3]),
        ("Order.swift:4", []), ("charge|order", [1, 2, 3, 4]), ("17|charge", [1, 2]), ("-charge", [1, 3, 4]),
        ("-charge|17", [3, 4]), ("order | charge running", [1, 2, 3, 4]), ("kind:all|map", [3, 4]),
        ("kind!=all|map", [1, 2]), ("operation:all", [3]), ("state:running|rejected", [1, 2]),
        ("/order 1[0-9]$/", [1]), ("/^CHA.*ge$/", [2]), ("/charge|17/", [1, 2]), ("label:/^o/", [1]), ("/order", []),
        ("site:/:4[12]$/ live", [2, 3, 4]), ("thread:/-2$/", [1]), ("value:late", []), ("error:late", [1]),
        ("value:paid", []), ("parent:order", [2]), ("chain:order", [1, 2, 4]), ("chain:charge", []),
        ("waits-for:resolver", [3]), ("waits-for:handler", [2]), ("waits-for:parent", [4]), ("warning:any", []),
        ("kind!=then|label:charge", [1, 2, 3, 4]), ("kind!=all|map|id:3", [1, 2, 3]),
        ("kind:all|label:17|charge", [1, 2, 3]),
        ("kind!=all|map|label!=17|charge", [1, 2, 3, 4]), ("state:rejected|-kind:all|then", [1, 4]),
        ("-#2 live", [3, 4]), ("#+2", []), ("-5", []), ("live && -charge", [3, 4]), ("17 || charge", [1, 2]),
    ])
    func findsNodes(text: String, ids: [UInt64]) throws {
        #expect(try found(text) == ids)
    }

    @Test(arguments: [
        ("state:rejecte", 6..<13), ("state:", 0..<6), ("colour:red", 0..<7), ("age>", 0..<4), ("age>soon", 4..<8),
        ("age>+5s", 4..<7), ("age~5s", 0..<6), ("order and", 9..<9), ("(order", 0..<1), ("order)", 5..<6),
        ("or order", 0..<2),
        ("not", 3..<3), ("\"order", 0..<6), ("state>rejected", 0..<14), ("label>a", 0..<7), ("id:x", 3..<4),
        ("kind:nothing", 5..<12), ("id:+2", 3..<5), ("a ()", 3..<4),
        ("warning:dead-lock", 8..<17), ("waits-for:godot", 10..<15), ("/a(b/", 2..<3), ("label:/a[b/", 8..<9),
        ("total > ", 0..<7), ("a|", 2..<2), ("kind:/all/", 6..<9), ("/*a/", 1..<2), ("/a{9/", 2..<3),
    ])
    func errorsHaveARange(text: String, range: Range<Int>) {
        #expect { try Query(text) } throws: { error in
            (error as? QueryError)?.range == range
        }
    }

    @Test func depthIsBounded() {
        #expect(throws: QueryError.self) { try Query(String(repeating: "(", count: 100_000)) }
        #expect(throws: QueryError.self) { try Query(String(repeating: "not ", count: 100_000) + "a") }
        #expect(throws: Never.self) { try Query(String(repeating: "a or ", count: 10_000) + "a") }
        for word in ["a", "label:a", "kind:all|map"] {
            #expect(throws: Never.self) { try Query(Array(repeating: word, count: 1_000).joined(separator: "|")) }
        }
        #expect(throws: QueryError.self) { try Query(String(repeating: "a|not ", count: 100_000) + "a") }
    }

    @Test(arguments: ["suspended", "state:suspended", "waits-for:task"])
    func suspendedTasksAreFound(text: String) throws {
        var script = ScriptedForest()
        for node in 1...2 as ClosedRange<UInt64> {
            script.make(node, .task)
            script.record(.resumed, node, at: 10, thread: 1)
        }
        script.record(.suspended, 2, at: 20, thread: 1)
        var matcher = QueryMatcher(try Query(text))
        let found = [1, 2].filter { matcher.matches(script.index($0), in: script.forest, now: 30) }
        #expect(found == [2])
    }

    @Test func reportsWhetherItDependsOnTime() throws {
        #expect(try Query("not age>5s").dependsOnTime)
        #expect(try !Query("state:running").dependsOnTime)
        #expect(try Query("  ").isEmpty)
    }

    /// The name of a thread is found as soon as it is reported, though the node was tested before.
    @Test func lateNamesAreFound() throws {
        var forest = forest
        var matcher = QueryMatcher(try Query("thread:late"))
        var batch = EventBatch(process: ProcessKey(rawValue: 1), sequence: 9, time: now)
        batch.events = [ChainEvent(time: now, .started, node: NodeID(3), thread: 77)]
        forest.apply(batch)
        let early = matcher.matches(forest.index(of: NodeID(3))!, in: forest, now: now)
        #expect(!early)
        batch = EventBatch(process: ProcessKey(rawValue: 1), sequence: 10, time: now)
        batch.threads = [77: "late-1"]
        forest.apply(batch)
        let late = matcher.matches(forest.index(of: NodeID(3))!, in: forest, now: now)
        #expect(late)
    }

    @Test(arguments: [
        ("sta", 0..<3, ["state:"]), ("fai", 0..<3, ["failed"]),
        ("kind:all|ra", 9..<11, ["race"]),
        ("warning:dead", 8..<12, ["deadlock"]),
        ("waits-for:t", 10..<11, ["timer", "task", "parent", "executor", "system", "continuation", "actor"]),
        ("order ag", 6..<8, ["age>"]),
        ("kind:al", 5..<7, ["all", "allSettled", "callback", "thenCallback"]),
        ("thread:work", 7..<11, ["worker-1", "worker-2"]), ("(site:42", 6..<8, ["Order.swift:42"]),
        ("executor:", 9..<9, ["\"the pool\""]), ("label:x", 6..<7, []),
        ("!sta", 1..<4, ["state:"]), ("age>", 4..<4, ["100ms", "1s", "5s", "1m"]),
        ("run>1.5", 4..<7, ["1.5ms", "1.5s", "1.5m", "1.5h"]), ("run>5s", 4..<6, []),
    ])
    func completes(text: String, range: Range<Int>, choices: [String]) {
        let completion = QueryCompletion(of: text, in: forest)
        #expect(completion.range == range)
        #expect(completion.choices == choices)
    }
}

/// Returns the forest of both suites; see ``QueryTests/forest``.
private func makeForest() -> ChainForest {
    let second: UInt64 = 1_000_000_000
    let key = ProcessKey(rawValue: 1)
    var forest = ChainForest(process: key)
    var batch = EventBatch(process: key, sequence: 1, time: 10 * second)
    batch.sites = [
        1: CodeLocation(fileID: "Shop/Order.swift", line: 41), 2: CodeLocation(fileID: "Shop/Order.swift", line: 42),
    ]
    batch.threads = [1: "worker-1", 2: "worker-2"]
    batch.executors = [1: "the pool"]
    batch.texts = ["order 17", "timeout: late", "charge"]
    func event(_ kind: EventKind, _ node: UInt64, _ time: UInt64, _ change: (inout ChainEvent) -> Void = { _ in }) {
        var event = ChainEvent(time: time, kind, node: NodeID(node))
        change(&event)
        batch.events.append(event)
    }
    event(.created, 1, second) { ($0.site, $0.text, $0.detail) = (1, 1, UInt16(NodeKind.work.rawValue)) }
    event(.queued, 1, second) { $0.detail = 1 }
    event(.started, 1, second) { $0.thread = 2 }
    event(.rejected, 1, second + 500_000_000) { ($0.thread, $0.text, $0.flags) = (2, 2, .handlerEnded) }
    event(.created, 2, 2 * second) {
        ($0.site, $0.text, $0.detail, $0.other) = (1, 3, UInt16(NodeKind.then.rawValue), NodeID(1))
        $0.flags = .hasParent
    }
    event(.queued, 2, 8 * second) { $0.detail = 1 }
    event(.started, 2, 9 * second) { $0.thread = 1 }
    event(.created, 3, 2 * second) { ($0.site, $0.detail) = (1, UInt16(NodeKind.all.rawValue)) }
    event(.created, 4, 2 * second) {
        ($0.site, $0.detail, $0.other, $0.flags) = (2, UInt16(NodeKind.map.rawValue), NodeID(2), .hasParent)
    }
    forest.apply(batch)
    return forest
}

/// A query agrees with its terms evaluated one by one, and reports until when its answer holds.
struct QueryMatcherTests {
    private let forest = makeForest()
    private let second: UInt64 = 1_000_000_000

    private static let words = [
        "order", "charge", "running", "state:rejected", "state:live", "kind:then", "kind:all", "thread:worker-1",
        "executor:pool", "site:Order.swift:42", "error~timeout", "id:3", "age>5s", "age<=9s", "run>=1s", "run<700ms",
        "wait>1s", "total<3s", "label:r",
    ]

    /// Returns a random query of ``words``, nested up to a depth.
    private func term(_ depth: Int, _ random: inout CongruentialGenerator) -> String {
        guard depth > 0 else { return Self.words[Int(random.next() % UInt64(Self.words.count))] }
        switch random.next() % 4 {
        case 0: return "not \(term(depth - 1, &random))"
        case 1: return "(\(term(depth - 1, &random)) or \(term(depth - 1, &random)))"
        case 2: return "(\(term(depth - 1, &random)) and \(term(depth - 1, &random)))"
        default: return term(0, &random)
        }
    }

    /// Evaluates a term without shortcuts. Terms that are not made of ``words`` do not hold.
    private func holds(_ term: Query.Term, _ node: NodeIndex, _ now: UInt64) -> Bool {
        switch term {
        case .all(let terms): return terms.map { holds($0, node, now) }.allSatisfy { $0 }
        case .any(let terms): return terms.map { holds($0, node, now) }.contains(true)
        case .not(let term): return !holds(term, node, now)
        case .states(let states): return states.contains(forest.state(of: node))
        case .kinds(let kinds): return kinds.contains(forest.node(node).kind)
        case .id(let id): return forest.id(of: node) == id
        case .text(let text):
            let label = forest.label(of: node) ?? forest.site(of: node)!.description
            let words = [forest.state(of: node).word, forest.node(node).kind.word]
            return ([label, forest.summary(of: node) ?? ""] + words).contains { $0.lowercased().contains(text) }
        case .pattern, .warnings, .waits, .field(_, _, .pattern): return false
        case .field(let field, _, .text(let text)):
            let view = forest.node(node)
            let fieldText: String? =
                switch field {
                case .label: forest.label(of: node)
                case .error: forest.summary(of: node)
                case .value, .parent, .chain, .frames: nil
                case .canceller: forest.canceller(of: node)
                case .site: forest.site(of: node)?.description
                case .thread: forest.threads[view.thread]
                case .executor: forest.executors[view.executor]
                }
            return fieldText?.lowercased().contains(text) ?? false
        case .duration(let duration, let comparison, let limit):
            let (view, timing) = (forest.node(node), forest.timing(of: node, now: now))
            let value: UInt64? =
                switch duration {
                case .age: view.isLive ? max(now, view.created) - view.created : nil
                case .wait: timing.wait
                case .run: timing.run
                case .total: timing.total
                }
            guard let value else { return false }
            return switch comparison {
            case .less: value < limit
            case .atMost: value <= limit
            case .atLeast: value >= limit
            default: value > limit
            }
        }
    }

    @Test(arguments: Seeds.upTo(200)) func agreesWithItsTerms(_ seed: UInt64) throws {
        var random = CongruentialGenerator(state: seed)
        let query = try Query(term(4, &random))
        var matcher = QueryMatcher(query)
        for id in 1...4 as ClosedRange<UInt64> {
            let node = forest.index(of: NodeID(id))!
            for step in 0..<80 {
                let now = 6 * second + UInt64(step) * second / 4
                let answer = matcher.matches(node, in: forest, now: now)
                #expect(answer == holds(query.root, node, now), "\(query.text) of \(id) at \(now)")
            }
        }
    }
}

/// A linear congruential generator: the same numbers in every run.
private struct CongruentialGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state ^ (state >> 29)) >> 16
    }
}

// SPDX-License-Identifier: MIT
