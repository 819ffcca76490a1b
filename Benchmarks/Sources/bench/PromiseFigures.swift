import PromiseRuntime

/// What promises cost with nobody recording. The limit is half of what three of
/// SwiftNIO's futures took on a machine of two cores.
let promiseFigures = [
    Figure(name: "promise.three-links.inline", limit: 365) {
        let runtime = Runtime(executor: InlineExecutor.shared)
        return runtime.run {
            nanosecondsEach(20_000) {
                let (promise, resolver) = Promise<Int>.pending()
                use(promise.map { $0 + 1 }.map { $0 + 1 }.map { $0 + 1 })
                resolver.fulfill(1)
            }
        }
    }
]
