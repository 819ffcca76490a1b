// SPDX-License-Identifier: MIT

import ChainModel
import ChainWire
import PromiseRuntime

extension Inspector {
    /// The addresses for viewers, in the form of `chainview attach` (`unix:/run/user/1000/chainview/4242.sock`); empty
    /// where the inspector does not listen.
    public var addresses: [String] { server.withLock { $0?.addresses ?? [] } }

    /// Why the inspector does not listen at some of the requested endpoints: an error for each, or one for all. They
    /// are on standard error, too.
    public var endpointErrors: [EndpointError] { server.withLock { $0?.errors ?? [] } }

    /// Collects the events recorded so far, so that the answer to a viewer contains them. The collecting thread
    /// publishes these events, so that no observer runs on the calling thread.
    func collectForViewer() {
        collector.pass(publishes: false)
        collector.recorder.wake.signal()
    }

    /// The counts that a hello has, without viewers.
    var totals: ProcessTotals { ProcessTotals(of: collector.withState { $0.forest.totals }) }

    /// Returns the program's answer to a greeting.
    func hello(viewerCount: Int) -> Hello {
        var totals = totals
        totals.viewerCount = UInt64(viewerCount)
        return Hello(process: info, capabilities: capabilities, time: runtime.clock.nanoseconds, totals: totals)
    }
}

/// The reason why an inspector does not listen for viewers.
public struct EndpointError: Error, Hashable, CustomStringConvertible {
    /// The endpoint; nil if the reason concerns all endpoints.
    public let endpoint: InspectorEndpoint?
    /// What happened, and what to do.
    public let description: String
}

extension InspectorOptions {
    var capabilities: Hello.Capabilities {
        var capabilities: Hello.Capabilities = []
        if capturesValues { capabilities.insert(.values) }
        if capturesErrorText { capabilities.insert(.errors) }
        if recording.isNarrowing { capabilities.insert(.isNarrowed) }
        return capabilities
    }

    func server(hasThread: Bool) -> ServerOptions {
        let own = SocketFolder.own
        var options = ServerOptions(folder: socketFolder.map { SocketFolder(path: $0) } ?? own[0])
        if socketFolder == nil { options.otherFolders = Array(own.dropFirst()) }
        options.endpoints = endpoints ?? (hasThread ? [.unix] : [])
        options.viewerLimit = min(max(viewerLimit, 0), 512)
        adjustServer?(&options)
        return options
    }
}
