import PromiseRuntime

extension Demo {
    /// Hundreds of chains a second.
    static let storm = Demo(
        "storm", "hundreds of short chains a second",
        caption: "hundreds of short chains a second, grouped by call site: try t (group), 4 (call sites), 6 (events)",
        isGrouped: true
    ) { context in
        struct Hail: Error {}
        context.every(0.02) { tick in
            for drop in 0..<8 {
                let number = (tick - 1) * 8 + drop
                var random = context.random(number)
                let isHail = random.chance(3)
                context.pause(random.seconds(0.05...2), label: "drop \(number)")
                    .map(label: "falls") { if isHail { throw Hail() } }
                    .map(label: "splashes") { "rain" }
                    .catch(label: "bounces") { _ in "hail" }
            }
        }
    }
}

// SPDX-License-Identifier: MIT
