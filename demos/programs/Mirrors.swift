import PromiseRuntime

extension Demo {
    /// A race; its losers run on.
    static let mirrors = Demo(
        "mirrors", "a download raced between mirrors, whose losers run on",
        caption:
            "every 4 s a download is raced between mirrors, and the losers run on: try w (why it waits), 3 (timeline)"
    ) { context in
        context.every(4) { number in
            Promise.scope("download \(number)") {
                var random = context.random(number)
                let mirrors = ["Lisbon", "Oslo", "Prague", "Turin"].map { city in
                    mirror(city, connects: random.seconds(0.2...1), sends: random.seconds(0.5...3), context)
                }
                return Promise.race(mirrors, label: "the first of 4").map(label: "unpack") { "unpacked \($0)" }
            }
        }
    }

    private static func mirror(
        _ city: String, connects: Double, sends: Double, _ context: DemoContext
    ) -> Promise<String> {
        .scope(city) {
            context.pause(connects, label: "connect")
                .then(label: "fetch") { context.pause(sends, label: "4.1 MB") }
                .map(label: "verify") { "4.1 MB from \(city)" }
        }
    }
}

// SPDX-License-Identifier: MIT
