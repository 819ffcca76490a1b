import ChainEvents
import ChainInsight
import ChainModel
import Foundation
import Frames
import Testing

@testable import ChainListing
@testable import Dashboard

/// The trees that `chainview ps` prints.
struct ListingTests {
    /// Returns a forest with a running order, which has three checks, and one that was declined.
    private func forest() -> (forest: ChainForest, now: UInt64) {
        var script = Script()
        script.make(1, .work, "order 17", site: "Shop/Order.swift:9")
        script.queue(1)
        script.at(1)
        script.start(1, on: 2)
        script.at(211)
        script.fulfill(1, "reserved")
        script.make(2, .then, "checks", under: 1)
        script.queue(2)
        script.start(2)
        script.make(3, .all, "3 checks", by: 2)
        for member in 4...6 as ClosedRange<UInt64> {
            script.make(member, .work, "check \(member)", by: 2)
            script.link(3, member)
        }
        script.queue(4)
        script.start(4, on: 3)
        script.fulfill(5)
        script.adopt(2, 3)
        script.end(2)
        script.make(7, .map, "charge card", under: 2)
        script.make(10, .work, "order 16")
        script.make(11, .map, "charge card", under: 10)
        script.fulfill(10)
        script.reject(11, "declined: card expired")
        script.at(1_211)
        script.start(6, on: 1)
        var forest = ChainForest(process: Script.process.key)
        forest.apply(script.batch)
        return (forest, UInt64(script.time * 1e6) + 1)
    }

    private func text(_ listing: TreeListing = TreeListing(), glyphs: Glyphs = .unicode) -> String {
        let (forest, now) = forest()
        var text = ""
        TreeText(listing: listing, glyphs: glyphs).write(forest, of: Script.process, now: now) { text += $0 }
        return text
    }

    @Test func aTreeIsALineANode() {
        #expect(
            text() == """
                checkout 4242  2 chains · 9 nodes · 5 live · 2 running · 1 failed · 0 recovered · 0 lost
                STATE         WAIT     RUN   TOTAL  THREAD          NODE
                running      1.0ms   210ms   211ms  worker-2        #1 work order 17  (5 of 7 left)  Order.swift:9  = reserved
                pending      0.0ms   0.0ms    1.0s  worker-1        #2 then checks
                pending                       1.0s                  └─ #3 all 3 checks  1/3
                running      0.0ms    1.0s    1.0s  worker-3           ├─ #4 work check 4
                fulfilled                    0.0ms                     ├─ #5 work check 5
                running               0.0s    1.0s  worker-1           └─ #6 work check 6
                waiting                                             #7 map charge card
                rejected                     0.0ms                  #10 work order 16  (rejected)  ! declined: card expired
                rejected                     0.0ms                  #11 map charge card  ! declined: card expired

                """)
    }

    @Test func aBlockedThreadIsNamed() {
        var script = Script()
        script.at(1)
        script.make(1, .task, "book")
        script.start(1)
        script.make(2, .work, "order 17")
        script.start(2)
        script.stall(2, in: .read)
        var forest = ChainForest(process: Script.process.key)
        forest.apply(script.batch)
        var text = ""
        TreeText().write(forest, of: Script.process, now: 12_001_000_001) { text += $0 }
        let line = text.split(separator: "\n").first { $0.contains("order 17") }!
        #expect(line.hasPrefix("blocked ") && line.hasSuffix("#2 work order 17  [blocked in read 12s]"), "\(text)")
        text = ""
        TreeJSON().write(forest, of: Script.process, now: 12_001_000_001) { text += $0 }
        #expect(text.contains(#""blockedIn":"read","blockedAt":"#) && text.contains(#""blockedIn":null"#), "\(text)")
    }

    @Test func whatATaskWaitsForIsNamed() {
        var script = Script()
        script.at(1)
        script.make(1, .task, "order 17", late: true)
        script.suspend(1)
        script.make(2, .actor, "Store")
        script.make(3, .task, "charge")
        script.start(3, on: 2)
        script.wait(1, for: 2)
        script.hold(2, by: 3, on: 2)
        script.make(4, .task, "answer")
        script.suspend(4)
        script.wait(4, .continuation)
        var forest = ChainForest(process: Script.process.key)
        forest.apply(script.batch)
        var text = ""
        TreeText().write(forest, of: Script.process, now: 12_001_000_001) { text += $0 }
        func line(_ id: String) -> String {
            text.split(separator: "\n").first { $0.contains(id + " ") }.map(String.init) ?? ""
        }
        #expect(line("#1").hasSuffix("waits for actor Store, held by task charge #3"), "\(text)")
        #expect(line("#2").hasSuffix("#2 actor Store  held by task charge #3"), "\(text)")
        #expect(line("#4").hasSuffix("waits for a continuation"), "\(text)")
        text = ""
        TreeJSON().write(forest, of: Script.process, now: 12_001_000_001) { text += $0 }
        for part in [
            #""waitsFor":{"kind":"actor","id":2,"label":"Store"},"heldBy":null"#,
            #""waitsFor":null,"heldBy":{"kind":"task","id":3,"label":"charge","threadID":2}"#,
            #""waitsFor":{"kind":"continuation","id":null,"label":null}"#,
        ] { #expect(text.contains(part), "\(text)") }
    }

    /// As in the dashboard: what is live comes first, the newest at the top; then the chain that ended last.
    @Test func theNewestComesFirst() {
        var script = Script()
        for node in 1...4 as ClosedRange<UInt64> {
            script.at(Double(node))
            script.make(node, .work, "order \(node)")
        }
        for (time, node) in [(10, 3), (20, 1)] as [(Double, UInt64)] {
            script.at(time)
            script.fulfill(node)
        }
        var forest = ChainForest(process: Script.process.key)
        forest.apply(script.batch)
        for (limit, ids) in [(4, ["#4", "#2", "#1", "#3"]), (1, ["#4"])] {
            var text = ""
            TreeText(listing: TreeListing(nodeLimit: limit)).write(forest, of: Script.process, now: forest.now) {
                text += $0
            }
            let listed = text.split(separator: "\n").dropFirst(2).compactMap {
                $0.firstMatch(of: /#\d/).map { String($0.0) }
            }
            #expect(listed == ids, "\(text)")
        }
    }

    @Test func liveNodesCanBeListedAlone() {
        let lines = text(TreeListing(isLiveOnly: true)).split(separator: "\n").dropFirst(2)
        let states = lines.map { $0.prefix { $0 != " " } }
        #expect(states == ["running", "pending", "pending", "running", "running", "waiting"])
        #expect(!lines.contains { $0.contains("check 5") || $0.contains("order 16") })
    }

    /// With the nodes above them; with a name, also with what is live below them; and nothing else.
    @Test func matchesCanBeListedAlone() throws {
        func ids(_ text: String, live: Bool = false) throws -> [String] {
            self.text(TreeListing(isLiveOnly: live, query: try Query(text))).split(separator: "\n").dropFirst(2)
                .compactMap { $0.firstMatch(of: /#\d+/).map { String($0.0) } }
        }
        #expect(try ids("state:rejected") == ["#10", "#11"])
        #expect(try ids("label:\"check 6\"") == ["#1", "#2", "#3", "#6"])
        #expect(try ids("check", live: true) == ["#1", "#2", "#3", "#4", "#6", "#7"])
        #expect(try ids("thread:worker-3 or kind:map and state:waiting") == ["#1", "#2", "#3", "#4", "#7"])
        #expect(try ids("label:nothing").isEmpty)
    }

    @Test(arguments: [0, 1, 4, 9, 20])
    func aLimitCutsAndSaysSo(limit: Int) {
        let lines = text(TreeListing(nodeLimit: limit)).split(separator: "\n").dropFirst(2)
        let left = 9 - limit
        #expect(lines.count == min(9, limit) + (left > 0 ? 1 : 0))
        #expect(left <= 0 || lines.last == "… \(left) more (--limit \(limit))")
    }

    @Test func jsonHoldsEveryFieldOfEveryNode() throws {
        let (forest, now) = forest()
        var text = ""
        TreeJSON().write(forest, of: Script.process, now: now) { text += $0 }
        let tree = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let nodes = try #require(tree["nodes"] as? [[String: Any]])
        #expect(nodes.map { $0["id"] as? Int } == [1, 2, 3, 4, 5, 6, 7, 10, 11])
        let names: Set = [
            "id", "under", "parent", "chain", "inGroupOf", "calledFrom", "depth", "kind", "label", "state", "outcome",
            "outcomeSummary", "isLive",
            "marks", "thread",
            "threadID", "executor", "file", "line", "function", "frames", "createdAt", "seenAt", "queuedAt",
            "startedAt",
            "endedAt", "settledAt", "wait", "run", "total", "summary", "cancelledBy", "blockedIn", "blockedAt",
            "waitsFor", "heldBy",
        ]
        for node in nodes { #expect(Set(node.keys) == names) }
        let check = nodes[3]
        #expect(check["under"] as? Int == 3 && check["chain"] as? Int == 1 && check["parent"] is NSNull)
        #expect(check["thread"] as? String == "worker-3" && check["state"] as? String == "running")
        #expect(abs((check["run"] as? Double ?? 0) - 1) < 1e-9)
        #expect(abs((check["startedAt"] as? Double ?? 0) - 1_790_000_000.211) < 1e-3)
        #expect(nodes[0]["file"] as? String == "Shop/Order.swift" && nodes[0]["line"] as? Int == 9)
        #expect(nodes[8]["summary"] as? String == "declined: card expired")
        let process = try #require(tree["process"] as? [String: Any])
        #expect(process["pid"] as? Int == 4242 && process["run"] as? String == "000000000000002a")
        #expect((tree["totals"] as? [String: Any])?["live"] as? Int == 5 && tree["leftOut"] as? Int == 0)
    }

    /// The JSON names each mark that a node can have. The text has a note for each but `released` and `external`.
    @Test func everyMarkIsListed() throws {
        var forest = ChainForest(process: Script.process.key)
        var batch = EventBatch(process: Script.process.key, sequence: 1, time: 50)
        var live = NodeSnapshot(id: NodeID(1), kind: .then)
        (live.seen, live.started, live.cancelRequested, live.isExternal) = (10, 12, true, true)
        live.flags = [.settledAgain, .unhandled, .byViewer, .hasBlocked, .hasMisusedAwait]
        var settled = live
        (settled.id, settled.settlement, settled.settled) = (NodeID(2), .rejected, 20)
        var gone = settled
        gone.id = NodeID(3)
        gone.flags.insert(.released)
        batch.nodes = [live, settled, gone]
        forest.apply(batch)
        var json = ""
        TreeJSON().write(forest, of: Script.process, now: 60) { json += $0 }
        let tree = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        let nodes = try #require(tree["nodes"] as? [[String: Any]])
        let names = nodes.flatMap { $0["marks"] as? [String] ?? [] }
        #expect(Set(names) == Set(NodeMark.allCases.map(\.name)))
        var text = ""
        TreeText().write(forest, of: Script.process, now: 60) { text += $0 }
        for mark in NodeMark.allCases {
            if let note = mark.note { #expect(text.contains("[\(note)]"), "\(text)") }
        }
        #expect(NodeMark.allCases.filter { $0.note == nil } == [.released, .external])
    }

    /// Control, format, bidi and private-use characters, line ends, what JSON escapes, and wide characters.
    static let hostile = "\u{1B}]0;x\u{7}\u{9B}31m\r\n\t\"\\\u{202E}\u{2028}\u{FEFF}\u{E000}\u{7F}\u{0}é漢😀"

    @Test func hostileTextsAreShownAndNeverRaw() throws {
        var script = Script()
        script.make(1, .work, Self.hostile, site: "Shop/Order\u{1B}[2J.swift:9")
        script.reject(1, Self.hostile)
        var forest = ChainForest(process: Script.process.key)
        forest.apply(script.batch)
        var process = Script.process
        process.name = Self.hostile
        for glyphs in [Glyphs.unicode, .ascii] {
            var text = ""
            TreeText(glyphs: glyphs).write(forest, of: process, now: 1) { text += $0 }
            #expect(text.split(separator: "\n").count == 3)
            #expect(Self.isHarmless(text.replacing("\n", with: "")), "\(text.debugDescription)")
            #expect(text.contains(glyphs.charset == .ascii ? "\\e]0;x" : "␛]0;x"))
        }
        var json = ""
        TreeJSON().write(forest, of: process, now: 1) { json += $0 }
        #expect(Self.isHarmless(json.replacing("\n", with: "")), "\(json.debugDescription)")
        let tree = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        let node = try #require((tree["nodes"] as? [[String: Any]])?.first)
        #expect(node["label"] as? String == Self.hostile && node["summary"] as? String == Self.hostile)
        #expect((tree["process"] as? [String: Any])?["name"] as? String == Self.hostile)
    }

    /// Whether no character can act on a terminal, break a line or be invisible.
    static func isHarmless(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: false
            default: true
            }
        }
    }

    @Test(arguments: [(0, "0.0"), (1, "0.000000001"), (1_500_000_000, "1.5"), (7_000_000_000, "7.0")])
    func secondsAreExact(nanoseconds: Int, text: String) {
        #expect(JSONText.seconds(UInt64(nanoseconds)) == text)
    }

    /// The stacks of two suspended tasks.
    private func stacks(isReadFromOutside: Bool, _ listing: StackListing = StackListing()) -> (
        text: String, json: String
    ) {
        var script = Script()
        for node in 1...2 as ClosedRange<UInt64> {
            script.make(node, .task)
            script.at(Double(node))
            script.suspend(node)
        }
        var forest = ChainForest(process: Script.process.key)
        forest.apply(script.batch)
        var reading = FrameReading(time: 10_000_000, taskCount: 2, partCount: 1, readCount: 2)
        reading.stacks = ["reserve()\norder()", "charge()"]
        reading.entries = [.init(node: NodeID(1), stack: 0), .init(node: NodeID(2), stack: 1)]
        forest.apply(reading)
        var process = Script.process
        process.isReadFromOutside = isReadFromOutside
        let now: UInt64 = 11_500_000_000
        return (listing.text(forest, of: process, now: now), listing.json(forest, of: process, now: now))
    }

    @Test func stacksAreListedWithTheirTasks() {
        #expect(
            stacks(isReadFromOutside: true).text == """
                    TASKS    OLDEST  SUSPENDED IN
                        1      ≥11s  reserve()
                                     order()
                        1      ≥11s  charge()

                """)
        #expect(stacks(isReadFromOutside: true, StackListing(glyphs: .ascii)).text.contains("     >=11s  charge()\n"))
        let short = stacks(isReadFromOutside: false, StackListing(limit: 1)).text
        #expect(short.contains("      11s  reserve()\n"))
        #expect(short.hasSuffix("… 1 more (--limit 1)\n"))
    }

    @Test func stacksAreListedAsJSON() throws {
        let json = stacks(isReadFromOutside: true).json
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        let stacks = try #require(object["stacks"] as? [[String: Any]])
        #expect(stacks.compactMap { $0["tasks"] as? Int } == [1, 1])
        #expect(stacks.compactMap { $0["frames"] as? [String] } == [["reserve()", "order()"], ["charge()"]])
    }
}

// SPDX-License-Identifier: MIT
