import PromiseRuntime

extension Demo {
    /// A photo, the town where it was taken, and the weather there.
    static let trip = Demo(
        "trip", "photo, where is it, map, ask, locate (refused, recovered from), weather",
        caption: "every 6 s a photo's place and weather, with a refusal: try Enter (details), 3 (timeline)"
    ) { context in
        context.every(6) { number in Trip(context: context, number: number).start() }
    }
}

private struct Trip: Sendable {
    struct LocationRefused: Error, CustomStringConvertible {
        var description: String { "the user said no to location" }
    }

    let context: DemoContext
    let number: Int

    func start() {
        var random = context.random(number)
        let isAllowed = number > 1 && random.chance(50)
        Promise.scope("trip \(number)") {
            photo()
                .then(label: "where is it?") { town(in: $0) }
                .then(label: "show on the map") { map($0) }
                .then(label: "ask to locate") { town in
                    locate(isAllowed).catch(only: LocationRefused.self, label: "use the photo's town") { _ in town }
                }
                .then(label: "weather") { weather($0) }
        }
    }

    private func photo() -> Promise<String> { context.pause(0.6).map(label: "photo") { "IMG_\(2040 + number).jpg" } }

    private func town(in photo: String) -> Promise<String> {
        Promise.any(
            [
                search(0.9, "its tags") { "Lisbon" },
                search(1.6, "a landmark in it") { "Lisboa, Belém" },
            ], label: "the first answer")
    }

    private func search(_ seconds: Double, _ label: String, _ find: @escaping @Sendable () -> String) -> Promise<String>
    {
        .scope(label) { context.pause(seconds, label: "look").map(label: "found", find) }
    }

    private func map(_ town: String) -> Promise<String> {
        Promise.sequence(["streets", "water", "names"], label: "layers") { layer in
            context.pause(0.3, label: layer).map(label: "drawn") { layer }
        }
        .map(label: "draw") { _ in town }
    }

    private func locate(_ isAllowed: Bool) -> Promise<String> {
        context.pause(0.8, label: "the user thinks").map(label: "locate") {
            guard isAllowed else { throw LocationRefused() }
            return "38.7° N, 9.1° W"
        }
    }

    private func weather(_ town: String) -> Promise<String> {
        context.pause(0.7).map(label: "forecast") { "\(town): 21 °C, light wind" }.timeout(context.paced(3))
    }
}

// SPDX-License-Identifier: MIT
