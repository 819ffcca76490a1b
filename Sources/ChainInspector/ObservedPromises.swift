import ChainEvents
import PromiseRuntime

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A runtime as the collector sees it.
struct ObservedPromises: ObservedRuntime {
    private let runtime: Runtime

    init(_ runtime: Runtime) { self.runtime = runtime }

    func executorName(_ id: ExecutorID) -> String? { ExecutorNames.name(of: id) }

    var shardCount: Int { Runtime.registryShardCount }

    func liveNodes(shard: Int) -> [LiveNode] {
        runtime.liveNodes(inShard: shard).map { LiveNode(snapshot: $0.snapshot(), callSite: $0.callSite) }
    }

    func cancel(_ id: NodeID, by viewer: String) -> Bool {
        guard let promise = runtime.liveNode(id) else { return false }
        promise.cancel(by: .viewer(viewer))
        return true
    }
}

/// The number of this process.
func processID() -> Int32 { getpid() }

/// The file name of the program that runs.
func programName() -> String {
    let path = CommandLine.arguments.first ?? ""
    return path.split(separator: "/").last.map(String.init) ?? "?"
}
