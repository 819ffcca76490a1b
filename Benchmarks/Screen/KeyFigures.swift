import ChainEvents
import ChainModel
import Dashboard

/// The times from a key to its frame, and of the work in slices that the key begins.
enum KeyFigures {
    static func keys() { keys("1M", of: Scene(nodes: 1_000_000)) }

    /// The most milliseconds of the work that one key begins.
    struct Limits {
        var sort = 80.0, filter = 80.0
    }

    static func keys(_ name: String, of scene: Scene, limits: Limits = Limits()) {
        moves("screen.key.\(name)", scene)
        let resting = scene.restingCost()
        sorts("screen.sort.\(name)", scene, resting, limit: limits.sort)
        filters("screen.filter.\(name)", scene, resting, limit: limits.filter)
    }

    static func moves(_ name: String, _ scene: Scene) {
        var times = Times()
        let all: [Intent] = [
            .down, .down, .up, .pageDown, .pageDown, .pageUp, .end, .up, .pageUp, .home, .right, .down, .left, .left,
            .pageDown, .end, .home,
        ]
        for round in 0..<340 {
            if round % 10 == 0 { scene.advance(frames: 1) }
            let stage = scene.stage
            times.add(
                timing {
                    stage.perform(all[round % all.count])
                    stage.draw()
                })
        }
        say("\(name).move.p99", times.p99, "ms", limit: 4)
        say("\(name).move.max", times.most, "ms")
    }

    private static func sorts(_ name: String, _ scene: Scene, _ resting: UInt64, limit: Double) {
        var key = Times(), work = Times(), slice = Times()
        for round in 0..<9 {
            let pressed = timing {
                scene.stage.perform(round == 8 ? .invertSort : .sort)
                scene.stage.draw()
            }
            let rest = scene.settle(resting: resting)
            key.add(pressed)
            work.add(pressed - min(pressed, resting) + rest.work)
            slice.add(rest.slice)
        }
        say("\(name).key.max", key.most, "ms", limit: 4)
        say("\(name).slice.max", slice.most, "ms", limit: 4)
        say("\(name).work.max", work.most, "ms", limit: limit)
    }

    private static func filters(_ name: String, _ scene: Scene, _ resting: UInt64, limit: Double) {
        var key = Times(), work = Times(), slice = Times()
        for text in ["order 123", "declined", "running"] {
            scene.stage.type("/")
            for character in text {
                let pressed = timing {
                    scene.stage.type(String(character))
                    scene.stage.draw()
                }
                let rest = scene.settle(resting: resting)
                key.add(pressed)
                work.add(pressed - min(pressed, resting) + rest.work)
                slice.add(rest.slice)
            }
            scene.stage.press(.escape)
            _ = scene.settle(resting: resting)
        }
        say("\(name).key.max", key.most, "ms", limit: 4)
        say("\(name).slice.max", slice.most, "ms", limit: 4)
        say("\(name).work.max", work.most, "ms", limit: limit)
    }

    /// Measures a state of 1,000,000 nodes that has just come.
    static func firstScreen() {
        var traffic = Traffic()
        var forest = ChainForest(process: Traffic.process)
        let tables = traffic.tables()
        traffic.begin(nodes: 1_000_000) { forest.apply($0) }
        firstScreen("screen.first.1M", tables, snapshots(of: forest, traffic.now))
    }

    private static func snapshots(of forest: ChainForest, _ now: UInt64) -> [EventBatch] {
        var batches: [EventBatch] = []
        var next: NodeID? = NodeID.none
        while let first = next {
            let part = forest.snapshot(from: first, limit: 4_096)
            var batch = EventBatch(process: Traffic.process, sequence: 1, time: now)
            batch.nodes = part.nodes
            batches.append(batch)
            next = part.next
        }
        return batches
    }

    private static func firstScreen(_ name: String, _ tables: EventBatch, _ batches: [EventBatch]) {
        let stage = Stage()
        stage.receive(tables)
        var fold = Times(), rest = Times()
        for batch in batches { fold.add(timing { stage.receive(batch) }) }
        let screen = timing {
            stage.tick()
            stage.draw()
        }
        for _ in 0..<400 {
            for slice in stage.work() { rest.add(slice.time) }
            rest.add(
                timing {
                    stage.tick()
                    stage.draw()
                })
        }
        say("\(name).screen", Double(screen) / 1e6, "ms", limit: 16)
        say("\(name).slice.max", rest.most, "ms", limit: 4)
        say("\(name).slice.sum", rest.sum, "ms")
        say("\(name).fold-of-4096.max", fold.most, "ms", limit: 4)
        say("\(name).fold.sum", fold.sum, "ms")
    }
}
