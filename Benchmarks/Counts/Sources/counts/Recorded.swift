// SPDX-License-Identifier: MIT

import ChainInspector
import PromiseRuntime
import Workloads

/// A runtime with an inspector. Its rings hold all events of a measurement and are drained by hand. One for all
/// measurements, because a thread with rings of several inspectors has to search for the right one.
enum Recorded {
    static let runtime = ChainRuntime(executor: InlineExecutor.shared)
    static let inspector = start(runtime)
    /// A runtime with an inspector that leaves out all chains of this program.
    static let narrowed = ChainRuntime(executor: InlineExecutor.shared)
    private static let narrowedInspector = start(
        narrowed, RecordingFilter(sampling: 2, only: [.label("*")], except: [.module("Workloads")]))

    private static func start(_ runtime: ChainRuntime, _ filter: RecordingFilter = RecordingFilter()) -> Inspector {
        var options = InspectorOptions()
        options.collection = .manual
        options.ringCapacity = 1 << 16
        options.recording = filter
        guard let inspector = try? Inspector.start(runtime: runtime, options: options) else {
            fatalError("a new runtime is recorded by none")
        }
        return inspector
    }

    /// Empties the rings, and then does work in the runtime.
    static func run<Result>(_ body: () -> Result) -> Result {
        inspector.collectNow()
        return runtime.run(body)
    }

    /// Does work in the runtime with an inspector that leaves it out.
    static func runLeftOut<Result>(_ body: () -> Result) -> Result {
        precondition(narrowedInspector.eventCounts.madeCount == 0)
        return narrowed.run(body)
    }

    /// Returns the number of checks for recording in three links, which is the number of their events.
    static func eventsOfThreeLinks() -> Int {
        run { Workloads.threeLinks(1) }
        inspector.collectNow()
        return Int(inspector.eventCounts.madeCount)
    }
}
