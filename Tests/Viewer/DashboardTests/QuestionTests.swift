import ChainEvents
import Foundation
import Frames
import Testing

@testable import Dashboard

/// Questions of an engineer on call about an unknown program. Each takes at most four keys, and the answer is on the
/// screen.
@Suite struct QuestionTests {
    /// Returns a screen with a shop that has run for half an hour: 60 orders, pending or done, and out of sight the
    /// nodes that the questions are about.
    private static func shop(_ options: State.Options = .init()) -> Screen {
        var screen = Screen(120, 40, options: options)
        var script = Script(time: 1_000)
        script.make(900, .promise, "webhook", site: "Shop/Hooks.swift:31", external: true)
        script.make(910, .promise, "stock level", site: "Shop/Stock.swift:12", external: true)
        script.make(911, .work, "stock report", site: "Shop/Stock.swift:20")
        script.queue(911)
        script.start(911, on: 3)
        script.block(911, for: 910, on: 3)
        screen.feed(script)
        for number in 1...60 {
            let base = UInt64(number) * 10
            var script = Script(sequence: UInt64(number) + 1, time: 1_700_000 + Double(number) * 100)
            script.make(base, .work, "order \(number)", site: "Shop/Orders.swift:41")
            script.make(base + 1, .then, "charge card", under: base, site: "Shop/Charge.swift:60")
            script.make(base + 2, .map, "receipt", under: base + 1, site: "Shop/Orders.swift:44")
            script.queue(base)
            script.at(script.time + 1)
            script.start(base)
            script.at(script.time + 1)
            script.fulfill(base)
            script.queue(base + 1)
            script.at(script.time + 1)
            script.start(base + 1)
            if number >= 50 {
                // The handler has returned; the bank calls back later.
                script.end(base + 1)
            } else {
                script.at(script.time + 90)
                if number == 33 {
                    script.reject(base + 1, "BankError.declined: card 4711")
                    script.skip(base + 2, error: true)
                } else if number == 21 {
                    script.cancel(base + 1, "ana from billing")
                    script.skip(base + 2, error: true)
                } else {
                    script.fulfill(base + 1)
                    script.queue(base + 2)
                    script.start(base + 2)
                    script.fulfill(base + 2)
                }
            }
            screen.feed(script)
        }
        script = Script(sequence: 90, time: 1_708_000)
        // A step of one chain follows a node of another chain.
        script.make(1_000, .promise, "invoice 7", site: "Shop/Invoices.swift:9", external: true)
        script.make(1_001, .then, "pay", under: 1_000, site: "Shop/Invoices.swift:11")
        script.make(1_010, .work, "ask the bank", site: "Shop/Bank.swift:77")
        script.fulfill(1_000)
        script.queue(1_001)
        script.start(1_001)
        script.end(1_001)
        script.adopt(1_001, 1_010)
        script.queue(1_010)
        script.at(1_708_004)
        script.start(1_010, on: 2)
        screen.feed(script)
        screen.tick(1_720_000)
        return screen
    }

    /// Types the keys of a question, and returns the text of the screen. Checks that the keys are at most four, and
    /// that the README names the same.
    private func ask(_ question: String, _ keys: [String], _ screen: inout Screen) throws -> String {
        #expect(keys.count <= 4)
        let readme = try String(
            contentsOf: URL(filePath: #filePath).appending(path: "../../../../README.md").standardizedFileURL,
            encoding: .utf8)
        let names = keys.map { "`\($0)`" }.joined(separator: " ")
        #expect(readme.contains("| \(question) | \(names) |"))
        for key in keys { screen.type(key.count > 1 ? "<\(key)>" : key) }
        screen.tick(screen.milliseconds + 40)
        return screen.text
    }

    /// Returns the first row with a label.
    private func row(_ label: String, _ text: String) -> String {
        // Below the header and the tabs, which name the selected node.
        text.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(2).first { $0.contains(label) }.map(
            String.init) ?? ""
    }

    @Test func whatIsInFlight() throws {
        var screen = Self.shop()
        #expect(screen.frame.rowText(0).contains("2 running"))
        let text = try ask("What is in flight?", ["A"], &screen)
        #expect(row("ask the bank", text).contains("running"))
        #expect(row("order 50", text).contains("pending") && text.contains("/live"), "\(text)")
        #expect(!text.contains("order 33"))
    }

    @Test func whatThisChainWaitsFor() throws {
        var screen = Self.shop()
        screen.type("/invoice<Enter><Esc>j")
        #expect(screen.selectedID == 1_001)
        let text = try ask("What does this chain wait for?", ["w"], &screen)
        #expect(text.contains("pay → ask the bank: runs on worker-2 for 11"), "\(screen.frame.rowText(39))")
        #expect(screen.selectedID == 1_010)
    }

    @Test func onWhichThreadSinceWhenQueuedOrRunning() throws {
        var screen = Self.shop()
        screen.type("/bank<Enter><Esc>")
        #expect(screen.selectedID == 1_010)
        let bank = row("ask the bank", screen.text)
        #expect(bank.contains("running") && bank.contains("worker-2") && bank.contains("11s"))
        let text = try ask("On which thread, since when, queued or running?", ["Enter"], &screen)
        #expect(text.contains("queued on pool") && text.contains("started on worker-2"))
    }

    @Test func whatFailedWhyAndWhereInTheSource() throws {
        var screen = Self.shop()
        let text = try ask(
            "What failed, why, and where in the source?", ["F", "Enter"], &screen)
        #expect(screen.selectedID == 331)
        #expect(row("rejected", text).contains("charge card"))
        #expect(text.contains("BankError.declined: card 4711"))
        #expect(text.contains("Shop/Charge.swift:60"))
    }

    @Test func theCancellerIsShown() throws {
        var screen = Self.shop()
        let text = try ask("What cancelled it?", ["6", "V", "V"], &screen)
        #expect(row("cancelled", text).contains("ana from billing"), "\(text)")
    }

    /// The session's recording has the answer; here the keys ask for it only.
    @Test func whatHappenedJustBefore() throws {
        var screen = Self.shop(.init(keepsHistory: true))
        screen.effects = []
        _ = try ask("What happened just before?", ["<", ","], &screen)
        let commands = screen.effects.compactMap { if case .replay(_, let command) = $0 { command } else { nil } }
        #expect(commands == [.move(-1_000_000_000), .previousEvent])
    }

    @Test func whichThreadIsBlockedAndByWhat() throws {
        var screen = Self.shop()
        let text = try ask("Which thread is blocked, and by what?", ["2"], &screen)
        let lane = row("worker-3", text)
        #expect(lane.contains("blocked") && lane.contains("stock level"), "\(text)")
    }

    @Test func whichCallSiteIsSlow() throws {
        var screen = Self.shop()
        let text = try ask("Which call site is slow?", ["4"], &screen)
        let rows = text.split(separator: "\n").filter { $0.contains(".swift:") }
        // First the sites with a node in flight for half an hour; then one with nodes in flight for 15 s, which usually
        // take 91 ms.
        let slow = ["Hooks.swift:31", "Stock.swift", "Stock.swift", "Charge.swift:60", "Bank.swift:77"]
        #expect(zip(rows, slow).allSatisfy { $0.contains($1) }, "\(text)")
        #expect(rows.count > slow.count)
    }

    @Test func whichStepTakesTheTime() throws {
        var screen = Self.shop()
        screen.tick(1_709_000)
        _ = try ask("Which step takes the time of all orders?", ["7"], &screen)
        #expect(screen.state.profile.rows.first { $0.isHottest }?.label == "charge card")
        let text = screen.text
        #expect(row("charge card", text).contains("98%"), "\(text)")
    }

    @Test func whatWillNeverFinish() throws {
        var screen = Self.shop()
        #expect(screen.frame.rowText(1).contains("5 Warnings 5"), "\(screen.frame.rowText(1))")
        let text = try ask("What will never finish?", ["5"], &screen)
        #expect(text.contains("never-settled") && text.contains("webhook") && text.contains("Hooks.swift:31"))
    }
}

// SPDX-License-Identifier: MIT
