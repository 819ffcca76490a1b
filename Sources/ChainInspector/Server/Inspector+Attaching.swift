import ChainEvents
import ChainModel
import ChainWire
import PromiseRuntime

extension Inspector {
    /// Where viewers can attach, as `chainview attach` takes it (`unix:/run/user/1000/chainview/4242.sock`); empty where
    /// nobody can.
    public var addresses: [String] { server.withLock { $0?.addresses ?? [] } }

    /// Why nobody can attach where it was asked for, one sentence each; they were said on standard error, too.
    public var attachFailures: [String] { server.withLock { $0?.failures ?? [] } }

    /// Collects what was recorded by now, before a viewer is answered. Publishing is left to the collecting thread, so
    /// that no observer runs here.
    func collectForViewer() {
        collector.pass(publishes: false)
        collector.recorder.wake.signal()
    }

    /// How the program introduces itself to a viewer.
    func hello(viewerCount: Int) -> Hello {
        let totals = collector.withState { $0.forest.totals }
        return Hello(
            process: info, capabilities: capabilities, time: runtime.clock.now,
            totals: ProcessTotals(
                chainCount: UInt64(totals.chainCount), nodeCount: UInt64(totals.nodeCount),
                liveCount: UInt64(totals.counts.liveCount), runningCount: UInt64(totals.counts[.running]),
                rejectedCount: UInt64(totals.counts[.rejected]), viewerCount: UInt64(viewerCount)))
    }
}

extension InspectorOptions {
    var capabilities: Hello.Capabilities {
        var capabilities: Hello.Capabilities = []
        if capturesValues { capabilities.insert(.values) }
        if capturesErrorText { capabilities.insert(.errors) }
        if recording.isNarrowing { capabilities.insert(.isNarrowed) }
        return capabilities
    }

    func server(collectsByHand: Bool) -> ServerOptions {
        var options = ServerOptions(folder: socketFolder.map { SocketFolder(path: $0) } ?? .own)
        options.hasFallback = socketFolder == nil
        options.endpoints = endpoints ?? (collectsByHand ? [] : [.unix])
        options.viewerLimit = min(max(viewerLimit, 0), 512)
        adjustServer?(&options)
        return options
    }
}
