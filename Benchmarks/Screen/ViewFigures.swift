// SPDX-License-Identifier: MIT

import Calibration
import Dashboard

/// The frames of each view, with the details beside it, on a busy program.
enum ViewFigures {
    static func views() {
        let scene = Scene(nodes: 10_000)
        for view in ViewID.allCases where view != .overview {
            scene.stage.perform(.show(view))
            // Enough ticks for the first count and the first search to end.
            scene.advance(frames: 60)
            let pace = Pace(5, to: .sort) { _ in
                var upkeep = Times(), render = Times()
                for number in 0..<60 {
                    scene.stage.receive(scene.batch())
                    scene.stage.perform(number % 20 < 10 ? .down : .up)
                    upkeep.add(timing { scene.stage.tick() })
                    render.add(scene.stage.draw().render)
                }
                return (upkeep: upkeep, render: render)
            }
            pace.say("screen.view.\(view.name).render.mean", "ms", limit: 0.009) { $0.render.mean }
            pace.say("screen.view.\(view.name).render.p99", "ms") { $0.render.p99 }
            pace.say("screen.view.\(view.name).upkeep.mean", "ms") { $0.upkeep.mean }
        }
    }
}
