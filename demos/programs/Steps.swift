import PromiseRuntime

extension Demo {
    /// Four steps of 2.5 s that result in 4, like the first example of TheRules, C5.
    static let steps = Demo(
        "steps", "four steps of 2.5 s each that count to 4",
        caption: "four steps of 2.5 s each that count to 4: try w (why it waits), Enter (details), 3 (timeline)"
    ) { context in
        @Sendable func step(_ value: Int) -> Promise<Int> { context.pause(2.5).map(label: "plus one") { value + 1 } }

        Promise.scope("steps") {
            step(0)
                .then(label: "second") { step($0) }
                .then(label: "third") { step($0) }
                .then(label: "fourth") { step($0) }
        }
        .done(label: "that makes four") { precondition($0 == 4) }
    }
}

// SPDX-License-Identifier: MIT
