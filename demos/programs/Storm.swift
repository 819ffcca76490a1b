import PromiseRuntime

extension Demo {
    /// Hundreds of chains a second.
    static let storm = Demo("storm", "hundreds of short chains a second") { stage in
        struct Hail: Error {}
        stage.every(0.02) { tick in
            for drop in 0..<8 {
                let number = (tick - 1) * 8 + drop
                var dice = stage.dice(number)
                let isHail = dice.chance(3)
                stage.pause(dice.seconds(0.05...2), label: "drop \(number)")
                    .map(label: "falls") { if isHail { throw Hail() } }
                    .map(label: "splashes") { number }
                    .failed(label: "hail") { _ in }
            }
        }
    }
}
