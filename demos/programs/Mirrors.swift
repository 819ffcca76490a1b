import PromiseRuntime

extension Demo {
    /// A race whose losers run on.
    static let mirrors = Demo("mirrors", "a download raced between mirrors, whose losers run on") { stage in
        stage.every(4) { number in
            var dice = stage.dice(number)
            let mirrors = ["Lisbon", "Oslo", "Prague", "Turin"].map { city in
                mirror(city, connects: dice.seconds(0.2...1), sends: dice.seconds(0.5...3), stage)
            }
            Promise.race(mirrors, label: "download \(number)")
                .map(label: "unpack") { "unpacked \($0)" }
                .anyway(label: "done") { _ in }
        }
    }

    private static func mirror(
        _ city: String, connects: Double, sends: Double, _ stage: DemoContext
    ) -> Promise<String> {
        Promise(label: city) { resolve, _ in
            resolve(
                stage.pause(connects, label: "connect")
                    .then(label: "fetch") { stage.pause(sends, label: "4.1 MB") }
                    .map(label: "verify") { "4.1 MB from \(city)" })
        }
    }
}
