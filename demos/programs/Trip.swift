import PromiseRuntime

extension Demo {
    /// A photo, the place where it was taken, and the weather there.
    static let trip = Demo("trip", "photo, where is it, map, ask, locate (refused, recovered from), weather") {
        stage in
        stage.every(6) { number in Trip(stage: stage, number: number).start() }
    }
}

private struct Trip: Sendable {
    struct LocationRefused: Error, CustomStringConvertible {
        var description: String { "the user said no to location" }
    }

    let stage: DemoContext
    let number: Int

    func start() {
        var dice = stage.dice(number)
        let isAllowed = number > 1 && dice.chance(50)
        Promise(label: "trip \(number)") { resolve, _ in
            resolve(
                photo()
                    .then(label: "where is it?") { place(of: $0) }
                    .then(label: "show on the map") { map($0) }
                    .then(label: "ask to locate") { place in
                        locate(isAllowed).catch(only: LocationRefused.self, label: "take the photo's place") { _ in
                            place
                        }
                    }
                    .then(label: "weather") { weather($0) }
                    .anyway(label: "put the camera away") { _ in })
        }
        .done(label: "off we go") { _ in }
    }

    private func photo() -> Promise<String> { stage.pause(0.6).map(label: "photo") { "IMG_\(2040 + number).jpg" } }

    private func place(of photo: String) -> Promise<String> {
        Promise.any(
            [
                after(0.9, "its tags") { "Lisbon" },
                after(1.6, "a landmark in it") { "Lisboa, Belém" },
            ], label: "whoever knows first")
    }

    private func after(_ seconds: Double, _ label: String, _ find: @escaping @Sendable () -> String) -> Promise<String>
    {
        Promise(label: label) { resolve, _ in resolve(stage.pause(seconds, label: "look").map(label: "found", find)) }
    }

    private func map(_ place: String) -> Promise<String> {
        Promise.sequence(["streets", "water", "names"], label: "layers") { layer in
            stage.pause(0.3, label: layer).map(label: "drawn") { layer }
        }
        .map(label: "draw") { _ in place }
    }

    private func locate(_ isAllowed: Bool) -> Promise<String> {
        stage.pause(0.8, label: "the user thinks").map(label: "locate") {
            guard isAllowed else { throw LocationRefused() }
            return "38.7° N, 9.1° W"
        }
    }

    private func weather(_ place: String) -> Promise<String> {
        stage.pause(0.7).map(label: "forecast") { "\(place): 21 °C, light wind" }.timeout(stage.paced(3))
    }
}
