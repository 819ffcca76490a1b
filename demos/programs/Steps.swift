import PromiseRuntime

extension Demo {
    /// Four steps of 0.2 s that result in 4, like the first example of TheRules, C5.
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
