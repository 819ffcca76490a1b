import Dispatch
import PromiseRuntime
import Synchronization

extension Demo {
    /// What goes wrong quietly in other programs.
    static let stuck = Demo(
        "stuck", "one that never settles, one whose resolver is dropped, one that blocks its thread"
    ) {
        stage in
        neverAnswered(stage)
        forgotten(stage)
        blocked(stage)
    }

    /// Somebody keeps the resolver and never uses it.
    private static func neverAnswered(_ stage: DemoContext) {
        let (answer, resolver) = Promise<String>.pending(label: "answer from the other office")
        answer.map(label: "read it") { $0.count }.failed(label: "complain") { _ in }
        kept.withLock { $0.append(resolver) }
    }

    /// The resolver goes out of scope in the handler that should have kept it.
    private static func forgotten(_ stage: DemoContext) {
        stage.pause(2, label: "call back in 2 s").then(label: "forget to") {
            let (call, _) = Promise<String>.pending(label: "call")
            return call
        }
        .failed(label: "hear of it") { _ in }
    }

    /// A handler that waits for what nobody will signal for a long while, on a thread of a pool of two.
    private static func blocked(_ stage: DemoContext) {
        let desk = stage.pool("desk", width: 2)
        let isReal = stage.runtime.clock.followsCycleCounter
        Promise(label: "wait at the desk", on: desk) {
            if isReal { _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .seconds(60)) }
        }
        .done(label: "go home") {}
    }

    private static let kept = Mutex<[Resolver<String>]>([])
}
