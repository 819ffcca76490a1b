import ChainEvents
import ChainModel
import ChainRows
import Foundation
import Frames
import Testing

@testable import ChainListing
@testable import Dashboard

/// A chain has the same outcome everywhere on the screen and in `chainview ps`.
struct OutcomeTests {
    /// Adds a chain of a root and two operations after it. All roots have one call site.
    private func chain(_ script: inout Script, _ root: UInt64, _ label: String) {
        script.make(root, .work, label, site: "Shop/Order.swift:9")
        script.make(root + 1, .then, "charge", under: root)
        script.make(root + 2, .catch, "recover", under: root + 1)
    }

    /// Returns ten chains: two fulfilled, three recovered (two of them with two rejected nodes), one rejected at its
    /// end, one cancelled, one abandoned, two live.
    private func script() -> Script {
        var script = Script()
        for number in 0..<2 as Range<UInt64> {
            chain(&script, 10 + 10 * number, "good \(number)")
            script.fulfill(10 + 10 * number, "reserved")
            script.fulfill(11 + 10 * number, "112 € paid")
            script.skip(12 + 10 * number)
        }
        for number in 0..<3 as Range<UInt64> {
            let root = 100 + 10 * number
            chain(&script, root, "recovered \(number)")
            if number == 0 { script.fulfill(root, "reserved") } else { script.reject(root, "sold out") }
            script.reject(root + 1, "card declined")
            script.fulfill(root + 2, "paid by invoice")
        }
        chain(&script, 200, "bad")
        script.fulfill(200, "reserved")
        script.reject(201, "bank unreachable")
        script.skip(202, error: true)
        chain(&script, 210, "stopped")
        script.fulfill(210, "reserved")
        script.cancel(211, "root")
        script.skip(212, error: true)
        chain(&script, 220, "dropped")
        script.fulfill(220, "reserved")
        script.abandon(221, "resolver released")
        script.skip(222, error: true)
        chain(&script, 300, "live 0")
        script.queue(300)
        script.start(300)
        chain(&script, 310, "live 1")
        script.fulfill(310, "reserved")
        script.queue(311)
        return script
    }

    /// The number of chains of each status in ``script()``.
    private static let wanted: [ChainStatus: Int] = [
        .fulfilled: 2, .recovered: 3, .rejected: 1, .cancelled: 1, .abandoned: 1, .running: 1, .queued: 1,
    ]

    private func screen() -> Screen {
        var screen = Screen(160, 60)
        screen.feed(script())
        screen.tick(10_000)
        return screen
    }

    /// Returns the number of chains by the word in the column of states.
    private func words(_ screen: Screen) -> [String: Int] {
        var counts: [String: Int] = [:]
        for (line, row) in screen.state.tree.window.enumerated() {
            guard row.tree?.flags.contains(.root) ?? false else { continue }
            let text = screen.text.split(separator: "\n", omittingEmptySubsequences: false)[
                Layout(screen.state).content.row + line]
            counts[String(text.dropFirst(4).prefix { $0.isLetter }), default: 0] += 1
        }
        return counts
    }

    @Test func rowsGroupsTimelineHeaderAndListingsCountTheSame() throws {
        var screen = screen()
        let forest = try #require(screen.state.forest)
        let wanted = Dictionary(uniqueKeysWithValues: Self.wanted.map { ($0.key.word, $0.value) })

        // The forest's own counts, which the header shows.
        for outcome in ChainOutcome.allCases where outcome != .live {
            #expect(forest.totals.outcomes[outcome] == wanted[outcome.word] ?? 0, "\(outcome)")
        }
        #expect(forest.totals.outcomes[.live] == 2)
        #expect(forest.history.madeCount == 10)
        #expect(forest.history.failedCount == 2)

        // Rows. A live chain shows the state of its root or, once that has settled, of its live nodes.
        screen.type("_")
        #expect(words(screen) == wanted)

        // The group.
        screen.type("t")
        let site = CodeLocation(fileID: "Shop/Order.swift", line: 9)
        let group = try #require(screen.state.outline.group(of: site, in: forest))
        let statuses = Dictionary(uniqueKeysWithValues: group.statuses.map { ($0.status, $0.count) })
        #expect(statuses == Self.wanted)
        screen.type("t")

        // `ps` as text and as JSON.
        let now = forest.now
        var text = ""
        TreeText().write(forest, of: Script.process, now: now) { text += $0 }
        let lines = text.split(separator: "\n")
        #expect(lines[0].contains("2 failed"))
        #expect(lines[0].contains("3 recovered"))
        let roots = lines.filter { $0.contains("Order.swift:9") }
        var counts: [String: Int] = [:]
        for line in roots { counts[String(line.prefix { $0.isLetter }), default: 0] += 1 }
        #expect(counts == wanted)
        var json = ""
        TreeJSON().write(forest, of: Script.process, now: now) { json += $0 }
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        let totals = try #require(object["totals"] as? [String: Any])
        let outcomes = try #require(totals["outcomes"] as? [String: Int])
        let nodes = try #require(object["nodes"] as? [[String: Any]])
        var ofRoots: [String: Int] = [:]
        for node in nodes { if let outcome = node["outcome"] as? String { ofRoots[outcome, default: 0] += 1 } }
        #expect(ofRoots == outcomes.filter { $0.value > 0 })
        #expect(outcomes["recovered"] == 3)
        #expect(outcomes["live"] == 2)
    }

    @Test func theTimelineShowsTheSameOutcomes() throws {
        var screen = screen()
        screen.type("3")
        if screen.state.timeline.scope != .all { screen.type("a") }
        let rows = screen.text.split(separator: "\n", omittingEmptySubsequences: false)
            .dropFirst(Layout(screen.state).content.row)
        let forest = try #require(screen.state.forest)
        for root in forest.roots {
            let role = forest.chain(of: root).status.role
            let label = try #require(forest.label(of: root))
            let line = try #require(rows.first { $0.contains(label) })
            #expect(line.contains(Glyphs.unicode.state(role)), "\(line)")
        }
    }

    @Test func aRecoveredChainShowsTheValueOfItsEndInAmber() throws {
        let screen = screen()
        let line = try #require(screen.text.split(separator: "\n").first { $0.contains("recovered 1") })
        #expect(line.contains("recovered (2)"))
        #expect(line.contains("paid by invoice"))
        #expect(!line.contains("declined"))
        let frame = screen.frame
        let row = try #require((0..<frame.size.rows).first { frame.rowText($0).contains("recovered 1") })
        let words = frame.rowText(row).ranges(of: "recovered")
        #expect(words.count == 3, "the state, the label, and the outcome")
        for (number, word) in words.enumerated() where number != 1 {
            let column = frame.rowText(row).distance(from: frame.rowText(row).startIndex, to: word.lowerBound)
            let style = frame[row, column].style
            #expect(style.role == .recovered)
            #expect(Theme.dark.look(style, depth: .ansi256).foreground == 221)
        }
    }

    @Test func aChainThatFailedAtItsEndIsRejectedThoughItsRootWasFulfilled() throws {
        let screen = screen()
        let line = try #require(screen.text.split(separator: "\n").first { $0.contains(" bad") })
        #expect(line.contains("rejected"))
        #expect(line.contains("bank unreachable"))
        #expect(!line.contains("reserved"))
    }

    @Test func aCopiedRootHasTheOutcomeOfItsChain() throws {
        var screen = screen()
        for _ in 0..<40 where screen.selectedID != 110 { screen.type("j") }
        screen.type("y")
        guard case .copy(let text)? = screen.effects.last else {
            Issue.record("nothing copied: \(screen.effects)")
            return
        }
        #expect(text.contains("recovered work recovered 1"))
        #expect(text.hasSuffix(": paid by invoice"))
    }
}

// SPDX-License-Identifier: MIT
