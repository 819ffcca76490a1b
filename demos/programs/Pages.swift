import PromiseRuntime

extension Demo {
    /// Async functions as promises: each feed is a task, which is cancelled if it is too slow.
    static let pages = Demo(
        "pages", "async functions as promises: three feeds make a page, a slow one is left out",
        caption: "three feeds make a page, a slow one is left out: try Enter (details), 3 (timeline), 4 (call sites)"
    ) { context in
        context.every(3) { number in Page(number: number, context: context).load() }
    }
}

private struct Page: Sendable {
    let number: Int
    let context: DemoContext

    func load() {
        Promise.scope("page \(number)") {
            var random = context.random(number)
            let feeds = ["news", "sport", "weather"].map { name in
                feed(name, connects: random.seconds(0.1...0.5), sends: random.seconds(0.3...2.2))
            }
            return Promise.all(feeds, label: "3 feeds").map(label: "lay out") { $0.joined(separator: ", ") }
        }
    }

    private func feed(_ name: String, connects: Double, sends: Double) -> Promise<String> {
        context.task(label: name) { try await text(of: name, connects: connects, sends: sends) }
            .timeout(context.paced(2), label: "within 2 s")
            .catch(only: PromiseTimeoutError.self, label: "leave it out") { _ in "no \(name)" }
    }

    /// Asynchronous work without promises. Cancelling its task ends it at the `await` that it has reached.
    private func text(of name: String, connects: Double, sends: Double) async throws -> String {
        try await context.sleep(connects)
        async let headlines = download("\(name) of page \(number)", sends)
        async let pictures = download("pictures", sends * 0.8)
        return try await "\(headlines) with \(pictures)"
    }

    private func download(_ part: String, _ seconds: Double) async throws -> String {
        try await context.sleep(seconds)
        return part
    }
}

// SPDX-License-Identifier: MIT
