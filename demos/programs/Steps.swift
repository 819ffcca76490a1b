import PromiseRuntime

extension Demo {
    /// TheRules, C5's example: 1, plus one, plus one, passed on, plus one.
    static let steps = Demo("steps", "four steps of 0.2 s each that count to 4") { stage in
        @Sendable func step(_ value: Int) -> Promise<Int> { stage.pause(0.2).map(label: "plus one") { value + 1 } }

        Promise(label: "steps") { resolve, _ in
            resolve(
                step(0)
                    .then(label: "second") { step($0) }
                    .then(label: "third") { step($0) }
                    .then(label: "fourth") { step($0) })
        }
        .done(label: "that makes four") { precondition($0 == 4) }
    }
}
