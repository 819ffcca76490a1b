import ChainTesting
import Demos
import PromiseRuntime

/// A demo under virtual time.
struct DemoRun {
    let recorded: RecordedRun
    let context: DemoContext

    init(_ name: String, seed: UInt64 = 1, arguments: [String] = [], capturesValues: Bool = true) throws {
        recorded = RecordedRun(capturesValues: capturesValues)
        context = DemoContext(runtime: recorded.runtime, seed: seed, arguments: arguments)
        guard let demo = Demo.named(name) else { throw UnknownDemo(name: name) }
        try demo.start(in: context)
    }

    /// Runs the demo until a moment, counted from its start.
    func run(until moment: Duration) { recorded.run(until: moment) }

    struct UnknownDemo: Error { var name: String }
}

// SPDX-License-Identifier: MIT
