import ChainBus
import ChainEvents
import ChainInspector
import ChainSource
import PromiseRuntime
import Testing

@testable import chainview

/// The source of a demo.
struct InProcessSourceTests {
    @Test func onlyTheFirstStartMakesItLive() throws {
        var options = InspectorOptions()
        (options.endpoints, options.collection) = ([], .manual)
        let runtime = ChainRuntime(executor: InlineExecutor.shared)
        let source = InProcessSource(try Inspector.start(name: "shop", runtime: runtime, options: options))
        let statuses = Mailbox<SourceStatus>(limit: 100, wake: {})
        let subscription = source.status.subscribe(statuses)
        defer { subscription.dispose() }
        source.start()
        source.start()
        source.stop()
        source.start()
        let seen = statuses.drain().elements
        #expect(seen.count == 3 && seen.first == .idle && seen.last == .ended(.stopped), "\(seen)")
        guard case .live(let info)? = seen.dropFirst().first else { throw NeverLive() }
        #expect(info.name == "shop")
    }

    private struct NeverLive: Error {}
}

// SPDX-License-Identifier: MIT
