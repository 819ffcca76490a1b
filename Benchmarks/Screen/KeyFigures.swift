// SPDX-License-Identifier: MIT

import Calibration
import ChainEvents
import ChainModel
import Dashboard

/// The times from a key to its frame, and of the work in slices that the key begins.
enum KeyFigures {
    static func keys() {
        keys(
            "1M", of: Scene(nodes: 1_000_000), to: .reads,
            limits: Limits(move: 0.025, key: 0.12, slice: 0.12, sort: 3.2, filter: 7))
    }

    /// The greatest ratios to the peer: of a key to its frame, of a slice of the work that a key begins, and of that work.
    struct Limits {
        var move: Double, key: Double, slice: Double, sort: Double, filter: Double
    }

    static func keys(_ name: String, of scene: Scene, to peer: Peer, limits: Limits) {
        moves("screen.key.\(name)", scene, peer, limits)
        let resting = scene.restingCost()
        report("screen.sort.\(name)", scene, peer, limits, work: limits.sort) { sorts(scene, resting) }
        report("screen.filter.\(name)", scene, peer, limits, work: limits.filter) { filters(scene, resting) }
    }

    private static func moves(_ name: String, _ scene: Scene, _ peer: Peer, _ limits: Limits) {
        let all: [Intent] = [
            .down, .down, .up, .pageDown, .pageDown, .pageUp, .end, .up, .pageUp, .home, .right, .down, .left, .left,
            .pageDown, .end, .home,
        ]
        let pace = Pace(3, to: peer) { _ in
            var times = Times()
            for round in 0..<170 {
                if round % 10 == 0 { scene.advance(frames: 1) }
                let stage = scene.stage
                times.add(
                    timing {
                        stage.perform(all[round % all.count])
                        stage.draw()
                    })
            }
            return times
        }
        pace.say("\(name).move.p99", "ms", limit: limits.move) { $0.p99 }
        pace.say("\(name).move.max", "ms") { $0.most }
    }

    /// The times of keys, of all the work that each begins, and of its slices.
    private struct KeyTimes {
        var key = Times(), work = Times(), slice = Times()
    }

    private static func report(
        _ name: String, _ scene: Scene, _ peer: Peer, _ limits: Limits, work: Double, _ measure: () -> KeyTimes
    ) {
        let pace = Pace(3, to: peer) { _ in
            scene.rest()  // its cold caches are the kernel's doing
            return measure()
        }
        pace.say("\(name).key.max", "ms", limit: limits.key) { $0.key.most }
        pace.say("\(name).slice.max", "ms", limit: limits.slice) { $0.slice.most }
        pace.say("\(name).work.max", "ms", limit: work) { $0.work.most }
    }

    private static func sorts(_ scene: Scene, _ resting: UInt64) -> KeyTimes {
        var times = KeyTimes()
        for round in 0..<9 {
            let pressed = timing {
                scene.stage.perform(round == 8 ? .invertSort : .sort)
                scene.stage.draw()
            }
            let rest = scene.settle(resting: resting)
            times.key.add(pressed)
            times.work.add(pressed - min(pressed, resting) + rest.work)
            times.slice.add(rest.slice)
        }
        return times
    }

    private static func filters(_ scene: Scene, _ resting: UInt64) -> KeyTimes {
        var times = KeyTimes()
        for text in ["order 123", "declined", "running"] {
            scene.stage.type("/")
            for character in text {
                let pressed = timing {
                    scene.stage.type(String(character))
                    scene.stage.draw()
                }
                let rest = scene.settle(resting: resting)
                times.key.add(pressed)
                times.work.add(pressed - min(pressed, resting) + rest.work)
                times.slice.add(rest.slice)
            }
            scene.stage.press(.escape)
            _ = scene.settle(resting: resting)
        }
        return times
    }

    /// Measures a state of 1,000,000 nodes that has just come.
    static func firstScreen() {
        var traffic = Traffic()
        var forest = ChainForest(process: Traffic.process)
        let tables = traffic.tables()
        traffic.begin(nodes: 1_000_000) { forest.apply($0) }
        let batches = snapshots(of: forest, traffic.now)
        let pace = Pace(3, to: .reads) { _ in FirstScreen(tables, batches) }
        pace.say("screen.first.1M.screen", "ms", limit: 0.45) { $0.screen.sum }
        pace.say("screen.first.1M.slice.max", "ms", limit: 0.07) { $0.rest.most }
        pace.say("screen.first.1M.slice.sum", "ms") { $0.rest.sum }
        pace.say("screen.first.1M.fold-of-4096.max", "ms", limit: 0.045) { $0.fold.most }
        pace.say("screen.first.1M.fold.sum", "ms") { $0.fold.sum }
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

    /// The times of a new dashboard that gets a state: of its batches, of the first frame, and of the work after it.
    private struct FirstScreen {
        var fold = Times(), screen = Times(), rest = Times()

        init(_ tables: EventBatch, _ batches: [EventBatch]) {
            let stage = Stage()
            stage.receive(tables)
            func frame() {
                stage.tick()
                stage.draw()
            }
            for batch in batches { fold.add(timing { stage.receive(batch) }) }
            screen.add(timing(frame))
            for _ in 0..<400 {
                for slice in stage.work() { rest.add(slice.time) }
                rest.add(timing(frame))
            }
        }
    }
}
