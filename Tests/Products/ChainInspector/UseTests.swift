import ChainBus
import ChainEvents
import ChainInspector
import PromiseRuntime
import Testing

// Code as users of ChainInspector write it: this target sees public declarations only.

struct ChainInspectorUseTests {
    @Test("an inspector with every option, its dump and its batches")
    func inspector() throws {
        var options = InspectorOptions()
        options.interval = .milliseconds(50)
        options.ringCapacity = 1024
        options.retention.settledNodeLimit = 1_000
        options.retention.ageLimit = .seconds(60)
        options.capturesValues = true
        options.collection = .manual
        options.endpoints = []
        options.socketFolder = "/nowhere"
        options.viewerLimit = 2
        let runtime = ChainRuntime(executor: InlineExecutor.shared)
        let inspector = try Inspector.start(name: "shop", runtime: runtime, options: options)
        defer { inspector.stop() }
        let batches = inspector.subscribe()
        let (promise, resolver) = runtime.run { Promise<Int>.pending(label: "order 17") }
        inspector.collectNow()
        #expect(inspector.dump().contains("order 17"))
        #expect(batches.next() != nil)
        #expect(inspector.eventCounts.lostCount == 0 && inspector.addresses.isEmpty)
        let command = ViewerCommand(id: 1, process: inspector.info.key, request: .describe(promise.id))
        #expect(inspector.perform(command).command == 1)
        resolver.fulfill(1)
        batches.dispose()
    }

    @Test("where viewers attach")
    func endpoints() {
        let endpoints: [InspectorEndpoint] = [.unix, .unixPath("/run/shop.sock"), .tcp(port: 0)]
        #expect(Set(endpoints).count == 3)
    }
}

// SPDX-License-Identifier: MIT
