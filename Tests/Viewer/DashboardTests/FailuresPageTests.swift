import Testing

@testable import Dashboard

/// The page of failures in the view of warnings.
@Suite struct FailuresPageTests {
    /// Returns a script in which orders fail for two reasons.
    private static func script(sequence: UInt64 = 1, _ orders: Range<UInt64>, at time: Double) -> Script {
        var script = Script(sequence: sequence, time: time)
        for order in orders {
            let first = order * 10
            script.make(first + 1, .promise, "order \(order)", site: "Shop/Order.swift:12", external: true)
            script.make(first + 2, .map, "charge order \(order)", under: first + 1, site: "Shop/Order.swift:20")
            script.make(first + 3, .done, under: first + 2, site: "Shop/Order.swift:21")
            script.fulfill(first + 1)
            if order % 4 == 0 {
                script.fulfill(first + 2)
                script.fulfill(first + 3)
            } else {
                script.reject(first + 2, order % 4 == 1 ? "BankError.declined" : "timed out after 2s")
                script.skip(first + 3, error: true)
            }
        }
        return script
    }

    private static func screen(_ columns: Int, _ rows: Int, options: State.Options = .init()) -> Screen {
        var screen = Screen(columns, rows, options: options)
        screen.feed(script(1..<13, at: 1_000))
        screen.feed(script(sequence: 2, 13..<15, at: 61_000))
        screen.tick(70_000)
        screen.type("5E")
        return screen
    }

    @Test(arguments: [(120, 16), (80, 12), (50, 10)])
    func isDrawn(columns: Int, rows: Int) {
        GoldenTests.check(Self.screen(columns, rows), "warnings/failures-\(columns)x\(rows)")
    }

    @Test func enterLeadsToTheNodesWhileTheyAreKept() {
        var screen = Self.screen(120, 30)
        #expect(screen.state.warnings.rows.count == 2)
        screen.type("j<Enter>")
        #expect(screen.state.view == .chains)
        #expect(screen.state.filter.text == "site=Order.swift:20 kind:map error:BankError.declined")
        #expect(screen.state.matchCount == 4)
    }

    @Test func failuresStayWhenTheirNodesAreEvicted() {
        var options = State.Options()
        options.limits.settledNodeLimit = 60
        var screen = Self.screen(120, 30, options: options)
        for sequence in 3..<28 as Range<UInt64> {
            var script = Script(sequence: sequence, time: 100_000 + Double(sequence))
            for node in 0..<20 as Range<UInt64> {
                script.make(sequence * 1_000 + node, .work, site: "Shop/Night.swift:1", external: true)
                script.reject(sequence * 1_000 + node, "lost")
            }
            screen.feed(script)
        }
        screen.tick(200_000)
        let counts = screen.state.warnings.rows.map { row in
            if case .failure(let failure, _, _) = row { failure.count } else { 0 }
        }
        #expect(counts == [500, 7, 4])
        screen.type("jj<Enter>")
        #expect(screen.message == "none of its nodes is kept any more; Esc clears the filter")
    }

    @Test func theFooterOffersTheKeysOfFailures() {
        var screen = Self.screen(120, 30)
        screen.type("j")
        #expect(screen.frame.rowText(29).contains("E warnings") && !screen.frame.rowText(29).contains("dismiss"))
        #expect(!screen.frame.rowText(29).contains("mute kind"))
    }

    @Test func keysAreAnswered() {
        var screen = Self.screen(120, 30)
        for key in ["x", "X", "c", "l", "h", "y", "w"] {
            screen.type(key)
            #expect(screen.message != nil, "\(key)")
        }
        screen.type("e")
        #expect(screen.effects.contains { if case .openEditor = $0 { true } else { false } })
        screen.type("E")
        #expect(!screen.state.warnings.showsFailures && screen.message == "the warnings again")
        screen.type("E/declined<Enter>")
        #expect(screen.state.warnings.rows.count == 1)
        screen.type("/<^U>nowhere<Enter>j")
        #expect(screen.text.contains("nothing matches “nowhere”; Esc clears the filter"))
        var empty = Screen(80, 10)
        empty.feed(Script())
        empty.type("5E")
        #expect(empty.text.contains("no chain has failed"))
        empty.type("<Enter>")
        #expect(empty.message != nil)
    }
}

// SPDX-License-Identifier: MIT
