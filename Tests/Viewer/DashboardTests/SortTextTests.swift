import ChainEvents
import ChainRows
import Testing

@testable import Dashboard

/// The order of texts, and of siblings.
@Suite struct SortTextTests {
    @Test func labelsThatBeginAlikeAreSorted() {
        var screen = Screen(100, 20)
        var script = Script(time: 10)
        let names = ["users", "orders/12", "orders/7", "carts", "users/me"]
        for (index, name) in names.enumerated() { script.make(UInt64(index + 1), .promise, "GET /api/v1/\(name)") }
        screen.feed(script)
        screen.state.sortTree(by: .node)
        #expect(screen.visibleIDs == [4, 3, 2, 1, 5])
        script = Script(sequence: 2, time: 20)
        script.make(6, .promise, "GET /api/v1/items")
        script.make(7, .promise, "DELETE /api/v1/items")
        screen.feed(script)
        screen.tick(5_000)
        screen.tick(5_100)
        #expect(screen.visibleIDs == [7, 4, 6, 3, 2, 1, 5])
        screen.state.sortTree(by: .node, inverted: true)
        #expect(screen.visibleIDs == [5, 1, 2, 3, 6, 4, 7])
    }

    /// Up to a limit of their number. A sort without siblings restores the program's order.
    @Test(arguments: [300, 3_000, 5_000] as [UInt64]) func manySiblingsAreSorted(_ count: UInt64) {
        var screen = Screen(100, 20)
        var script = Script(time: 10)
        script.make(1, .work, "a load")
        for node in 2...(count + 1) { script.make(node, .work, "part \((node * 7_919) % count)", by: 1) }
        screen.feed(script)
        screen.type("<Right>")
        func parts() -> [Int] {
            screen.tick(screen.milliseconds + 1_100)
            return (0..<20).compactMap { row in
                let text = screen.frame.rowText(row).split(separator: "part ").dropFirst().first
                return text.flatMap { Int($0.prefix(while: \.isNumber)) }
            }
        }
        let inOrder = (2...15).map { Int(($0 * 7_919) % count) }
        #expect(parts().starts(with: inOrder.prefix(10)))
        screen.type(":sort node asc siblings<Enter>")
        #expect(parts().starts(with: count < 5_000 ? Array(0..<10) : Array(inOrder.prefix(10))))
        screen.type(":sort node asc<Enter>")
        #expect(parts().starts(with: inOrder.prefix(10)))
    }

    @Test func siblingsAreSortedOnlyIfAsked() {
        var screen = Screen(120, 30)
        var script = Script()
        script.make(1, .promise, "parent", external: true)
        for (number, name) in [(2, "b"), (3, "c"), (4, "a")] as [(UInt64, String)] {
            script.make(number, .work, name, by: 1)
        }
        screen.feed(script)
        screen.state.sortTree(by: .node)
        #expect(screen.visibleIDs == [1, 2, 3, 4])
        screen.state.sortTree(by: .node, siblings: true)
        #expect(screen.visibleIDs == [1, 4, 2, 3])
        screen.state.sortTree(by: .node, inverted: true, siblings: true)
        #expect(screen.visibleIDs == [1, 3, 2, 4])
        screen.state.sortTree(by: .start)
        #expect(screen.visibleIDs == [1, 2, 3, 4])
    }
}

// SPDX-License-Identifier: MIT
