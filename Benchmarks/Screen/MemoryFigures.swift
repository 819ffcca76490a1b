// SPDX-License-Identifier: MIT

import CMemory
import Calibration

/// The viewer's memory in bytes per node: forest, outline, the views' data, the last frame.
enum MemoryFigures {
    static func memory() {
        measure("screen.memory.fives", Traffic(plans: [Plan.line([.then, .map, .tap, .done])]), limit: 144)
        measure("screen.memory.mixed", Traffic(), limit: nil)
        measure("screen.memory.roots", Traffic(plans: [Plan.single]), limit: 200)
    }

    private static func measure(_ name: String, _ start: Traffic, limit: Double?) {
        var traffic = start
        let tables = traffic.tables()
        let before = Int(memory_in_use())
        let stage = Stage()
        stage.receive(tables)
        var made = 0
        // The chains of the simulated program are forgotten after each part, because they are not the viewer's memory.
        while made < 1_000_000 {
            traffic.begin(nodes: 10_000) { stage.receive($0) }
            traffic.forgetChains()
            made += 10_000
            stage.tick()
        }
        for _ in 0..<200 {
            stage.tick()
            stage.draw()
        }
        let bytes = Int(memory_in_use()) - before
        say(name, Double(bytes) / 1e6, "bytes", limit: limit)
        stage.perform(.sort)
        for _ in 0..<1_500 { stage.tick() }
        say("\(name).sorted", Double(Int(memory_in_use()) - before) / 1e6, "bytes")
        stage.type("/order 12")
        for _ in 0..<300 { stage.tick() }
        say("\(name).sorted-and-filtered", Double(Int(memory_in_use()) - before) / 1e6, "bytes")
        withExtendedLifetime(stage) {}
    }
}
