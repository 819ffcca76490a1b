// SPDX-License-Identifier: MIT

import Calibration
import ChainEvents
import ChainModel

/// How many events a second are applied: by a forest alone, and by a dashboard.
enum FoldFigures {
    static func few() { forest("screen.fold.10k", nodes: 10_000, Traffic(), to: .sort, limit: 2) }

    static func many() { forest("screen.fold.1M", nodes: 1_000_000, Traffic(), to: .reads, limit: 5.4) }

    /// Measures steps of random chains, so that each step misses the cache.
    static func scattered() {
        forest("screen.fold.scattered", nodes: 1_000_000, Traffic(share: 1), to: .reads, limit: nil)
    }

    static func fewWithView() { view("screen.fold-with-view.10k", nodes: 10_000, to: .sort, limit: 7.3) }

    static func manyWithView() { view("screen.fold-with-view.1M", nodes: 1_000_000, to: .reads, limit: 26) }

    /// Measures the forest alone.
    private static func forest(_ name: String, nodes: Int, _ start: Traffic, to peer: Peer, limit: Double?) {
        var traffic = start
        var forest = ChainForest(process: Traffic.process)
        forest.apply(traffic.tables())
        traffic.begin(nodes: nodes) { forest.apply($0) }
        var changes = ForestChanges()
        func nanosecondsEach() -> Double {
            each {
                traffic.batch(events: Scene.eventsPerFrame)
            } apply: { batch in
                let time = timing { forest.apply(batch) }
                forest.evictSettled(now: traffic.now)
                forest.consumeChanges(into: &changes)
                return time
            }
        }
        // The first rounds do not count: in them, fewer nodes are evicted than made.
        for _ in 0..<2 { _ = nanosecondsEach() }
        report(name, Pace(7, to: peer) { _ in nanosecondsEach() }, limit: limit)
    }

    /// Measures all that a dashboard does for events: forest, outline, the views' statistics, upkeep and the visible
    /// rows.
    private static func view(_ name: String, nodes: Int, to peer: Peer, limit: Double) {
        let scene = Scene(nodes: nodes)
        let pace = Pace(7, to: peer) { _ in
            each {
                scene.traffic.batch(events: Scene.eventsPerFrame)
            } apply: { batch in
                timing {
                    scene.stage.receive(batch)
                    scene.stage.tick()
                    scene.stage.work()
                }
            }
        }
        report(name, pace, limit: limit)
    }

    /// Makes a hundred batches, applies them, and returns the nanoseconds for an event.
    private static func each(_ make: () -> EventBatch, apply: (EventBatch) -> UInt64) -> Double {
        let batches = (0..<100).map { _ in make() }
        let time = batches.reduce(0) { $0 + apply($1) }
        return Double(time) / Double(batches.reduce(0) { $0 + $1.events.count })
    }

    /// Prints the rate, and compares the time for an event.
    private static func report(_ name: String, _ pace: Pace<Double>, limit: Double?) {
        pace.say(name, "M/s") { 1e3 / $0 }
        pace.compare(name, limit: limit) { $0 }
    }
}
