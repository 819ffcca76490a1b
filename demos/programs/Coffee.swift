import PromiseRuntime

extension Demo {
    /// A cold chain: described once, launched for each cup. The dashboard shows all of its steps from the start.
    static let coffee = Demo(
        "coffee", "a recipe described once with Chain, launched for each cup",
        caption: "a recipe described once, launched for each cup: try t (group), 7 (profile)"
    ) { context in
        let recipe = Barista(context: context).recipe
        context.every(2) { number in
            recipe.launch(with: Cup(number: number, random: context.random(number)), label: "cup \(number)")
        }
    }
}

private struct Cup: Sendable, CustomStringConvertible {
    var number: Int
    var random: SeededRandom

    var description: String { "cup \(number)" }
}

private struct NoWater: Error, CustomStringConvertible {
    var description: String { "the tank is empty" }
}

private struct Barista: Sendable {
    let context: DemoContext

    var recipe: Chain<Cup, String> {
        Chain(taking: Cup.self)
            .all([beans, water], label: "prepare")
            .then(label: "brew") { parts in
                context.pause(1.2).map { parts.joined(separator: ", ") }
            }
            .map(label: "serve") { "espresso of \($0)" }
    }

    private var beans: Chain<Cup, String> {
        Chain(taking: Cup.self, label: "beans")
            .then(label: "grind") { cup in
                var random = cup.random
                return context.pause(random.seconds(0.4...0.9))
            }
            .map(label: "weigh") { "18 g" }
    }

    /// Each third cup finds the tank empty.
    private var water: Chain<Cup, String> {
        Chain(taking: Cup.self, label: "water")
            .map(label: "look into the tank") { cup in
                if cup.number % 3 == 0 { throw NoWater() }
            }
            .recover(label: "fill the tank") { _ in context.pause(0.8) }
            .then(label: "heat") { context.pause(0.6) }
            .map(label: "measure") { "93 °C" }
    }
}

// SPDX-License-Identifier: MIT
