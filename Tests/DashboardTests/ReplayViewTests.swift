import ChainEvents
import ChainModel
import Frames
import Testing

@testable import Dashboard

/// What views and figures show of a recording after jumps and steps.
@Suite struct ReplayViewTests {
    /// Two orders of one call site, each with a step.
    static var orders: Script {
        var script = Script(time: 1_000)
        for (order, step) in [(1, "charge card"), (3, "pack parcel")] as [(UInt64, String)] {
            script.make(order, .work, "order \(order)", site: "Shop/Order.swift:41")
            script.make(order + 1, .then, step, under: order)
        }
        return script
    }

    private static func screen(_ script: Script, at time: Double = 34_200, columns: Int = 100) -> Screen {
        var screen = Screen(columns, 24, connected: false)
        screen.act(ReplayTests.step(script, at: time, fresh: true))
        screen.tick(time)
        return screen
    }

    @Test func failuresAreCountedInSteps() {
        var screen = Self.screen(Self.orders, at: 900, columns: 160)
        #expect(screen.text.contains("0 failed/min"))
        var step = Script(sequence: 2, time: 1_500)
        step.reject(3, "declined")
        step.skip(4, error: true)
        screen.act(ReplayTests.step(step, at: 1_500, fresh: false))
        screen.tick(1_500)
        #expect(screen.text.contains("1 failed/min"), "\(screen.text)")
        for time in [40_000, 61_400] as [Double] {
            screen.act(ReplayTests.step(Script(sequence: UInt64(time), time: time), at: time, fresh: false))
            screen.tick(time)
        }
        #expect(screen.text.contains("0 failed/min"), "\(screen.text)")
    }

    private static func queue(_ nodes: ClosedRange<UInt64>, at time: Double) -> Script {
        var script = Script(sequence: UInt64(time), time: time)
        for node in nodes {
            script.make(node, .work, "order \(node)")
            script.queue(node)
        }
        return script
    }

    private static func queuedCount(_ screen: Screen) -> Int {
        screen.state.threads.rows.count { if case .queued = $0 { true } else { false } }
    }
}
