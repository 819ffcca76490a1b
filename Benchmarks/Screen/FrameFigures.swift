import Dashboard
import Frames

/// Frames of a busy program while the user scrolls, sorts and filters.
struct FrameRun {
    var frame = Times(), fold = Times(), keys = Times(), upkeep = Times(), render = Times(), diff = Times()
    /// The slices of background work between frames.
    var slices = Times()

    /// Runs a number of frames with their events, and with keys if the user is busy.
    init(_ scene: Scene, frames: Int, isBusy: Bool = true) {
        let stage = scene.stage
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

    func report(_ name: String, p99: Double, most: Double?) {
        say("\(name).p99", frame.p99, "ms", limit: p99)
        say("\(name).max", frame.most, "ms", limit: most)
        say("\(name).slice.max", slices.most, "ms", limit: most == nil ? nil : 4)
        say("\(name).slices.a-frame", slices.sum / Double(frame.all.count), "ms")
        let worst = frame.all.indices.max { frame.all[$0] < frame.all[$1] } ?? 0
        let parts = [("fold", fold), ("keys", keys), ("upkeep", upkeep), ("render", render), ("diff", diff)]
        for (part, times) in parts where times.milliseconds[worst] > frame.most / 10 {
            say("\(name).max.of-which.frame-\(worst).\(part)", times.milliseconds[worst], "ms")
        }
        for (part, times) in parts {
            say("\(name).of-which.\(part).mean", times.mean, "ms")
            say("\(name).of-which.\(part).max", times.most, "ms")
        }
    }
}

enum FrameFigures {
    static func many() { frames("1M", nodes: 1_000_000, p99: 3, most: 8) }

    static func few() { frames("10k", nodes: 10_000, p99: 1.5, most: nil) }

    static func pictures() {
        picture("screen.picture.10k", of: Scene(nodes: 10_000))
        picture("screen.picture.1M", of: Scene(nodes: 1_000_000))
    }

    private static func frames(_ name: String, nodes: Int, p99: Double, most: Double?) {
        let scene = Scene(nodes: nodes)
        FrameRun(scene, frames: 900).report("screen.frame.\(name)", p99: p99, most: most)
    }

    /// Measures viewport, render and diff alone, from one page to the next.
    static func picture(_ name: String, of scene: Scene) {
        var times = Times(), window = Times(), render = Times(), diff = Times()
        for number in 0..<300 {
            scene.advance(frames: 1)
            scene.stage.perform(number < 150 ? .pageDown : .pageUp)
            let arranged = timing { scene.stage.updateViewport() }
            let drawn = scene.stage.draw()
            window.add(arranged)
            render.add(drawn.render)
            diff.add(drawn.diff)
            times.add(arranged + drawn.render + drawn.diff)
        }
        say("\(name).p99", times.p99, "ms", limit: 0.3)
        for (part, times) in [("window", window), ("render", render), ("diff", diff)] {
            say("\(name).of-which.\(part).mean", times.mean, "ms")
        }
    }

    /// Measures how much more a frame's events, its upkeep and the slices after it cost while the list is sorted and
    /// filtered. The events are the same.
    static func upkeep() {
        let plain = Scene(nodes: 1_000_000)
        // Run as long as the other scene, so that work that comes once in thirty seconds comes in both.
        _ = plain.restingCost()
        let before = FrameRun(plain, frames: 300, isBusy: false)
        let arranged = Scene(nodes: 1_000_000)
        let resting = arranged.restingCost()
        arranged.stage.perform(.sort)
        _ = arranged.settle(resting: resting)
        arranged.stage.type("/order 12")
        arranged.stage.press(.enter)
        _ = arranged.settle(resting: resting)
        let after = FrameRun(arranged, frames: 300, isBusy: false)
        say("screen.upkeep.sort-and-filter", after.meanWithoutDrawing - before.meanWithoutDrawing, "ms", limit: 0.5)
        say("screen.upkeep.plain", before.meanWithoutDrawing, "ms")
    }
}
