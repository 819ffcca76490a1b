import ChainEvents
import Dashboard

/// A dashboard and the program that it looks at.
final class Scene {
    let stage = Stage()
    var traffic: Traffic
    /// A large chain beside the others.
    var growth: Growth?
    /// At 100,000 events a second and 30 frames.
    static let eventsPerFrame = 3_333

    /// A program with so many nodes in flight, which has gone on until as many nodes are forgotten as made.
    init(nodes: Int, traffic: Traffic = Traffic()) {
        self.traffic = traffic
        stage.receive(self.traffic.tables())
        self.traffic.begin(nodes: nodes) { stage.receive($0) }
        goOn(frames: 2)
        // 100,000 nodes of settled chains are kept.
        goOn(frames: 180)
    }

    /// Lets frames go by with their events.
    func goOn(frames: Int) {
        for _ in 0..<frames {
            stage.receive(batch())
            stage.tick()
            stage.draw()
            stage.work()
        }
    }

    /// What the program says in a frame.
    func batch() -> EventBatch {
        var batch = traffic.batch(events: Self.eventsPerFrame)
        growth?.goOn(in: &batch)
        return batch
    }

    /// Lets a frame go by in which the program says nothing.
    func rest() {
        stage.tick()
        stage.draw()
    }

    /// What a frame costs in which nothing is said, in nanoseconds.
    func restingCost() -> UInt64 {
        // What has settled goes down first: its cost would hide what is measured against this one.
        for _ in 0..<200 {
            rest()
            stage.work()
        }
        var times = Times()
        for _ in 0..<30 {
            times.add(timing { rest() })
            stage.work()
        }
        return UInt64(times.median * 1e6)
    }

    /// Frames until what was begun is done: all work beyond that of resting frames, which count for the views, too, and
    /// the longest frame or slice of whatever, in nanoseconds.
    func settle(resting: UInt64) -> (work: UInt64, slice: UInt64) {
        var (work, slice): (UInt64, UInt64) = (0, 0)
        for _ in 0..<2_000 where stage.hasWork {
            let slices = stage.work()
            let cost = timing { rest() }
            work += cost - min(cost, resting)
            for part in slices {
                if !part.isForViews { work += part.time }
                slice = max(slice, part.time)
            }
            slice = max(slice, cost)
        }
        // What comes of it in the next frame, as what is given back.
        slice = max(slice, timing { rest() })
        return (work, slice)
    }
}
