import ChainInspector
import PromiseRuntime
import Workloads

/// A runtime whose events an inspector records, into rings that are large enough for what is counted here and that
/// nobody reads meanwhile.
func recordedRuntime() -> (runtime: Runtime, inspector: Inspector) {
    let runtime = Runtime(executor: InlineExecutor.shared)
    var options = InspectorOptions()
    options.collectsByHand = true
    options.ringCapacity = 1 << 16
    guard let inspector = try? Inspector.start(runtime: runtime, options: options) else {
        fatalError("a new runtime is recorded by nobody")
    }
    return (runtime, inspector)
}

/// How often three links ask whether somebody records, which is how many events they tell if so.
func eventsOfThreeLinks() -> Int {
    let (runtime, inspector) = recordedRuntime()
    runtime.run { Workloads.threeLinks(1) }
    inspector.stop()
    return Int(inspector.loss.madeCount)
}
