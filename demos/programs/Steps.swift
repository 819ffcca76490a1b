import PromiseRuntime

extension Demo {
    /// TheRules, C5: the example of a chain: 1, and three times plus one.
    static let steps = Demo("steps", "four steps of 0.2 s each that count to 4") { context in
        @Sendable func step(_ value: Int) -> Promise<Int> { context.pause(0.2).map(label: "plus one") { value + 1 } }

        Promise.scope("steps") {
            step(0)
                .then(label: "second") { step($0) }
                .then(label: "third") { step($0) }
                .then(label: "fourth") { step($0) }
        }
        .done(label: "that makes four") { precondition($0 == 4) }
    }
}
