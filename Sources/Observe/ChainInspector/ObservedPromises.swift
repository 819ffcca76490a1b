// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainEvents
import PromiseRuntime

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A `ChainRuntime` for the collector.
struct ObservedPromises: ObservedRuntime {
    private let runtime: ChainRuntime
    let capturesValues: Bool
    private let capturesErrors: Bool

    init(_ runtime: ChainRuntime, options: InspectorOptions) {
        self.runtime = runtime
        capturesValues = options.capturesValues
        capturesErrors = options.capturesErrorText
    }

    func executorName(_ id: ExecutorID) -> String? { ExecutorNames.name(of: id) }

    var shardCount: Int { ChainRuntime.registryShardCount }

    func liveNodes(shard: Int) -> [LiveNode] {
        runtime.liveNodes(inShard: shard).map { LiveNode(snapshot: $0.snapshot(), callSite: $0.callSite) }
    }

    func cancel(_ id: NodeID, by viewer: String) -> Bool {
        guard let promise = runtime.liveNode(id) else { return false }
        promise.cancel(by: .viewer(viewer))
        return true
    }

    func detail(of id: NodeID) -> LiveDetail? {
        guard let promise = runtime.liveNode(id) else { return nil }
        let facts = promise.facts()
        var detail = LiveDetail(
            executor: facts.executor, label: facts.label, handlers: facts.handlers,
            callbackCount: facts.callbackCount, followers: facts.followers, combinators: facts.combinators,
            blockedThreads: facts.blockedThreads.map { ($0.thread, $0.node) }, parent: facts.parent,
            followed: facts.followed, valueType: facts.valueType, isFulfilled: facts.isFulfilled)
        (detail.spanEntries, detail.isSpan) = (facts.spanEntries, promise.kind == .span)
        if facts.isFulfilled, capturesValues {
            detail.value = promise.renderedValue?.cut(toBytes: NodeDetail.textByteLimit)
        }
        if let error = facts.error {
            // The runtime's own errors hold only labels, call sites and reasons, which events contain, too.
            let isOurs = error is PromiseCancelledError || error is PromiseAbandonedError
            detail.error = ErrorText(
                of: error, includesTexts: capturesErrors || isOurs, byteLimit: NodeDetail.textByteLimit)
        }
        return detail
    }
}

func processID() -> Int32 { getpid() }

/// Returns the file name of the running program; `?` if it is unknown. `CommandLine` is not used, because it ends the
/// process in Swift 6.1 and 6.2 if `/proc` is missing.
func programName() -> String {
    let name = String(cString: chain_program_name())
    return name.isEmpty ? "?" : name
}
