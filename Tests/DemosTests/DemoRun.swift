import ChainTesting
import Demos
import PromiseRuntime

/// A story told under virtual time.
struct DemoRun {
    let run: RecordedRun
    let stage: DemoContext

    init(_ name: String, seed: UInt64 = 1, arguments: [String] = [], capturesValues: Bool = true) throws {
        run = RecordedRun(capturesValues: capturesValues)
        stage = DemoContext(runtime: run.runtime, seed: seed, arguments: arguments)
        guard let story = Demo.named(name) else { throw Missing(name: name) }
        try story.start(on: stage)
    }

    /// Goes on to so long after the beginning.
    func run(until moment: Duration) { run.run(until: moment) }

    struct Missing: Error { var name: String }
}
