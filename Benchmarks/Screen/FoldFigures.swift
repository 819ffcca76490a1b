import ChainEvents
import ChainModel

/// How many events a second are applied: by a forest alone, and by a dashboard.
enum FoldFigures {
    static func few() { forest("screen.fold.10k", nodes: 10_000, Traffic(), limit: 8) }

    static func many() { forest("screen.fold.1M", nodes: 1_000_000, Traffic(), limit: 8) }

    /// Measures steps of random chains, so that each step misses the cache.
    static func scattered() { forest("screen.fold.scattered", nodes: 1_000_000, Traffic(share: 1), limit: nil) }

    static func fewWithView() { view("screen.fold-with-view.10k", nodes: 10_000, limit: 5) }

    static func manyWithView() { view("screen.fold-with-view.1M", nodes: 1_000_000, limit: 3) }

    /// Measures the forest alone.
    private static func forest(_ name: String, nodes: Int, _ start: Traffic, limit: Double?) {
        var traffic = start
        var forest = ChainForest(process: Traffic.process)
        forest.apply(traffic.tables())
        traffic.begin(nodes: nodes) { forest.apply($0) }
        var changes = ForestChanges()
        var rates: [Double] = []
        for round in 0..<8 {
            let batches = (0..<100).map { _ in traffic.batch(events: Scene.eventsPerFrame) }
            var time: UInt64 = 0
            for batch in batches {
                time += timing { forest.apply(batch) }
                forest.evictSettled(now: traffic.now)
                forest.consumeChanges(into: &changes)
            }
            // The first rounds do not count: in them, fewer nodes are evicted than made.
            guard round > 1 else { continue }
            rates.append(Double(batches.reduce(0) { $0 + $1.events.count }) / Double(time) * 1e3)
        }
        say(name, rates.sorted()[rates.count / 2], "M/s", limit: limit, isAtLeast: true)
    }

    /// Measures all that a dashboard does for events: forest, row model, the views' statistics, upkeep and the visible
    /// rows.
    private static func view(_ name: String, nodes: Int, limit: Double) {
        let scene = Scene(nodes: nodes)
        var rates: [Double] = []
        for _ in 0..<6 {
            let batches = (0..<100).map { _ in scene.traffic.batch(events: Scene.eventsPerFrame) }
            var time: UInt64 = 0
            for batch in batches {
                time += timing {
                    scene.stage.receive(batch)
                    scene.stage.tick()
                    scene.stage.work()
                }
            }
            rates.append(Double(batches.reduce(0) { $0 + $1.events.count }) / Double(time) * 1e3)
        }
        say(name, rates.sorted()[rates.count / 2], "M/s", limit: limit, isAtLeast: true)
    }
}
