// SPDX-License-Identifier: MIT

import Calibration
import Dashboard
import Frames

/// Frames of a busy program while the user scrolls, sorts and filters.
struct FrameRun {
    var frame = Times(), fold = Times(), keys = Times(), upkeep = Times(), render = Times(), diff = Times()
    /// The slices of background work between frames.
    var slices = Times()

    /// After so many frames the user has pressed every key and sorted by every column.
    static let cycle = 360

    /// Runs a number of frames with their events, and with keys if the user is busy.
    init(_ scene: Scene, frames: Int = cycle, isBusy: Bool = true) {
        let stage = scene.stage
        scene.advance(frames: 1)  // its cold caches are the kernel's doing
        for number in 0..<frames {
            let batch = scene.batch()
            let folded = timing { stage.receive(batch) }
            let pressed = isBusy ? timing { Self.keys(of: number, on: stage) } : 0
            let kept = timing { stage.tick() }
            let drawn = stage.draw()
            fold.add(folded)
            keys.add(pressed)
            upkeep.add(kept)
            render.add(drawn.render)
            diff.add(drawn.diff)
            frame.add(folded + pressed + kept + drawn.render + drawn.diff)
            for slice in stage.work() { slices.add(slice.time) }
        }
        guard isBusy else { return }
        stage.press(.escape)
        stage.press(.escape)
    }

    /// The user scrolls all the time, sorts twice in three seconds, and filters every six.
    private static func keys(of number: Int, on stage: Stage) {
        // While a filter is typed, the wheel scrolls, because the arrows go through the history of filters.
        let isTyping = (90..<120).contains(number % 180)
        switch number % 100 {
        case let step where isTyping: stage.wheel(up: step >= 50)
        case 0: stage.perform(.home)
        case 50: stage.perform(.end)
        case let step where step % 10 < 6: stage.perform(step < 50 ? .down : .up)
        default: stage.perform(number % 100 < 50 ? .pageDown : .pageUp)
        }
        if number % 45 == 20 { stage.perform(.sort) }
        if number % 135 == 80 { stage.perform(.invertSort) }
        let text = Array((number / 180).isMultiple(of: 2) ? "order 12" : "declined")
        switch number % 180 {
        case 90: stage.type("/")
        case 93...114 where number % 3 == 0: stage.type(String(text[(number % 180 - 93) / 3]))
        case 120: stage.press(.enter)
        case 125, 126, 127: stage.perform(.nextMatch)
        case 130, 140: stage.perform(.dim)
        case 150: stage.press(.escape)
        default: break
        }
    }

    /// The mean cost of a frame without drawing, in milliseconds.
    var meanWithoutDrawing: Double { fold.mean + upkeep.mean + slices.sum / Double(frame.all.count) }

    /// Measures three cycles of frames, and prints the medians of their 99th percentiles, longest times and so on.
    static func report(_ name: String, _ scene: Scene, to peer: Peer, limits: Limits) {
        let pace = Pace(3, to: peer) { _ in FrameRun(scene) }
        pace.say("\(name).p99", "ms", limit: limits.p99) { $0.frame.p99 }
        pace.say("\(name).max", "ms", limit: limits.most) { $0.frame.most }
        pace.say("\(name).slice.max", "ms", limit: limits.slice) { $0.slices.most }
        pace.say("\(name).slices.a-frame", "ms") { $0.slices.sum / Double(cycle) }
        let parts: [(String, (FrameRun) -> Times)] = [
            ("fold", { $0.fold }), ("keys", { $0.keys }), ("upkeep", { $0.upkeep }), ("render", { $0.render }),
            ("diff", { $0.diff }),
        ]
        for (part, times) in parts {
            pace.say("\(name).of-which.\(part).mean", "ms") { times($0).mean }
            pace.say("\(name).of-which.\(part).max", "ms") { times($0).most }
        }
    }

    /// The greatest ratios of a frame and of a slice to the peer.
    struct Limits {
        var p99: Double
        var most: Double?
        var slice: Double?
    }
}

enum FrameFigures {
    static func many() {
        FrameRun.report(
            "screen.frame.1M", Scene(nodes: 1_000_000), to: .reads, limits: .init(p99: 0.2, most: 0.25, slice: 0.13))
    }

    static func few() { FrameRun.report("screen.frame.10k", Scene(nodes: 10_000), to: .sort, limits: .init(p99: 0.07)) }

    static func pictures() {
        picture("screen.picture.10k", of: Scene(nodes: 10_000))
        picture("screen.picture.1M", of: Scene(nodes: 1_000_000))
    }

    /// Measures viewport, render and diff alone, from one page to the next.
    static func picture(_ name: String, of scene: Scene) {
        let pace = Pace(3, to: .sort) { _ in
            var whole = Times(), window = Times(), render = Times(), diff = Times()
            for number in 0..<200 {
                scene.advance(frames: 1)
                scene.stage.perform(number < 100 ? .pageDown : .pageUp)
                let arranged = timing { scene.stage.updateViewport() }
                let drawn = scene.stage.draw()
                window.add(arranged)
                render.add(drawn.render)
                diff.add(drawn.diff)
                whole.add(arranged + drawn.render + drawn.diff)
            }
            return (whole: whole, window: window, render: render, diff: diff)
        }
        pace.say("\(name).p99", "ms", limit: 0.014) { $0.whole.p99 }
        pace.say("\(name).of-which.window.mean", "ms") { $0.window.mean }
        pace.say("\(name).of-which.render.mean", "ms") { $0.render.mean }
        pace.say("\(name).of-which.diff.mean", "ms") { $0.diff.mean }
    }

    /// Measures how much more a frame's events, its upkeep and the slices after it cost while the list is sorted and
    /// filtered. The events are the same.
    static func upkeep() {
        let plain = Scene(nodes: 1_000_000)
        // Run as long as the other scene, so that work that comes once in thirty seconds comes in both.
        _ = plain.restingCost()
        let arranged = Scene(nodes: 1_000_000)
        let resting = arranged.restingCost()
        arranged.stage.perform(.sort)
        _ = arranged.settle(resting: resting)
        arranged.stage.type("/order 12")
        arranged.stage.press(.enter)
        _ = arranged.settle(resting: resting)
        let pace = Pace(5, to: .reads) { _ in
            [plain, arranged].map { FrameRun($0, frames: 100, isBusy: false).meanWithoutDrawing }
        }
        pace.say("screen.upkeep.sort-and-filter", "ms", limit: 0.05) { $0[1] - $0[0] }
        pace.say("screen.upkeep.plain", "ms") { $0[0] }
    }
}
