import Dashboard

/// The frames of each view, with the details beside it, on a busy program.
enum ViewFigures {
    static func views() {
        let views: [(name: String, intent: Intent)] = [
            ("chains", .chains), ("threads", .threads), ("timeline", .timeline), ("sites", .sites),
            ("warnings", .warnings), ("events", .events), ("profile", .profile),
        ]
        let scene = Scene(nodes: 10_000)
        for view in views {
            scene.stage.perform(view.intent)
            // Enough ticks for the first count and the first search to end.
            scene.advance(frames: 60)
            var upkeep = Times(), render = Times()
            for number in 0..<300 {
                scene.stage.receive(scene.batch())
                scene.stage.perform(number % 20 < 10 ? .down : .up)
                upkeep.add(timing { scene.stage.tick() })
                render.add(scene.stage.draw().render)
            }
            say("screen.view.\(view.name).render.mean", render.mean, "ms", limit: 0.3)
            say("screen.view.\(view.name).render.p99", render.p99, "ms")
            say("screen.view.\(view.name).upkeep.mean", upkeep.mean, "ms")
        }
    }
}
