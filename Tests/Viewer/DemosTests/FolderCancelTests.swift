import ChainEvents
import ChainInspector
import ChainModel
import Demos
import Dispatch
import Foundation
import PromiseRuntime
import TestWaits
import Testing

/// A cancellation of a folder of `files` from a dashboard, on real threads and in real time.
struct FolderCancelTests {
    /// So many files that reading takes two minutes: enough time to cancel on a busy machine.
    private static let fileCounts = ["east": 400, "west": 12]

    /// A cancelled folder starts no more work, nothing of it stays live, and its rows name the canceller.
    @Test func cancellingAFolderStopsItsWork() throws {
        let harbour = try Harbour("cancelled")
        for (folder, count) in Self.fileCounts {
            for number in 0..<count {
                let file = URL(fileURLWithPath: "\(harbour.path)/\(folder)/\(folder)-\(number)")
                try Data("boat".utf8).write(to: file)
            }
        }
        let runtime = ChainRuntime()
        let view = try View(of: runtime)
        defer { view.inspector.stop() }
        try #require(Demo.named("files")).start(
            in: DemoContext(runtime: runtime, speed: 0.05, arguments: [harbour.path]))

        #expect(view.wait { $0.begunCount(of: "east-") >= 3 })
        let folder = try #require(view.forest.node(labelled: "east/"))
        let reply = view.inspector.perform(
            ViewerCommand(id: 1, process: view.inspector.info.key, request: .cancel(.node(folder), by: "ada")))
        guard case .accepted = reply.outcome else {
            Issue.record("\(reply.outcome)")
            return
        }
        // Each of the four threads may have been about to start one more.
        #expect(view.wait { forest in forest.index(of: folder).map { forest.state(of: $0) } == .cancelled })
        let begun = view.forest.begunCount(of: "east-")
        #expect(view.wait { $0.totals.counts.liveCount == 0 })

        #expect(view.forest.begunCount(of: "east-") <= begun + 4 && begun + 4 < 400)
        #expect(view.forest.begunCount(of: "west-") == 12, "the other folder is read to its end")
        let index = try #require(view.forest.index(of: folder))
        #expect(view.forest.state(of: index) == .cancelled)
        #expect(view.forest.summary(of: index) == "cancelled by ada")
        #expect(view.forest.node(index).marks.contains(.byViewer))
    }
}

/// A viewer's forest of a runtime that an inspector records.
private final class View {
    let inspector: Inspector
    private(set) var forest: ChainForest
    private let subscription: BatchSubscription

    init(of runtime: ChainRuntime) throws {
        var options = InspectorOptions()
        options.endpoints = []
        inspector = try Inspector.start(name: "files", runtime: runtime, options: options)
        forest = ChainForest(process: inspector.info.key)
        subscription = inspector.subscribe()
    }

    /// Waits until the condition holds. Returns false if it does not hold when time is up.
    func wait(_ condition: (ChainForest) -> Bool) -> Bool {
        TestWaits.wait {
            while let batch = subscription.next() { forest.apply(batch) }
            return condition(forest)
        }
    }
}

extension ChainForest {
    /// All nodes.
    private var all: [NodeIndex] {
        var found: [NodeIndex] = []
        var waiting = Array(roots)
        while let index = waiting.popLast() {
            found.append(index)
            var child = firstChild(of: index)
            while let current = child {
                waiting.append(current)
                child = nextSibling(of: current)
            }
        }
        return found
    }

    fileprivate func node(labelled label: String) -> NodeID? {
        all.first { self.label(of: $0) == label }.map { id(of: $0) }
    }

    /// Returns how many nodes with a prefix of the label have started.
    fileprivate func begunCount(of prefix: String) -> Int {
        all.count { label(of: $0)?.hasPrefix(prefix) == true && node($0).started != nil }
    }
}

// SPDX-License-Identifier: MIT
