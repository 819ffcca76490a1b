// SPDX-License-Identifier: MIT

import Calibration
import ChainEvents
import Dashboard

/// A dashboard and the simulated program that it shows.
final class Scene {
    let stage = Stage()
    var traffic: Traffic
    /// A large chain beside the others; nil for none.
    var growth: Growth?
    /// The events of a frame, at 100,000 events and 30 frames a second.
    static let eventsPerFrame = 3_333

    /// Makes a program with `nodes` nodes in flight, and runs it until as many nodes are evicted as made.
    init(nodes: Int, traffic: Traffic = Traffic()) {
        self.traffic = traffic
        stage.receive(self.traffic.tables())
        self.traffic.begin(nodes: nodes) { stage.receive($0) }
        advance(frames: 2)
        // Long enough to fill the 100,000 nodes of settled chains that are kept.
        advance(frames: 180)
    }

    /// Runs frames with their events.
    func advance(frames: Int) {
        for _ in 0..<frames {
            stage.receive(batch())
            stage.tick()
            stage.draw()
            stage.work()
        }
    }

    /// Returns the events of the program for a frame.
    func batch() -> EventBatch {
        var batch = traffic.batch(events: Self.eventsPerFrame)
        growth?.advance(in: &batch)
        return batch
    }

    /// Runs a frame without events.
    func rest() {
        stage.tick()
        stage.draw()
    }

    /// Returns the cost of a frame without events, in nanoseconds.
    func restingCost() -> UInt64 {
        // Settled chains move down first, because this cost would hide the costs that are compared with the result.
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

    /// Runs frames until the background work is done. Returns in nanoseconds all work beyond that of resting frames,
    /// without the slices for the views' statistics, and the longest frame or slice of any kind.
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
        // The next frame counts, too, because it may free storage.
        slice = max(slice, timing { rest() })
        return (work, slice)
    }
}
