import PromiseRuntime
import Testing

/// The ways in which a scope of asynchronous code ends; nothing is left of it after each (TheRules, S2).
enum ScopeEnd: CaseIterable, Sendable {
    case returned, thrown, taskCancelled, nodeCancelled, nested, outlived, detached, work, workCancelled
}

@Suite(.nothingLeft) struct ScopeLeakTests {
    @Test(arguments: ScopeEnd.allCases)
    func s2NothingIsLeft(of end: ScopeEnd) async throws {
        let alive = Box(0)
        let isolated = IsolatedRuntime()
        let runtime = isolated.runtime
        #expect(runtime.startRecording(into: LineSink()))
        // A task of its own, because some cases cancel it.
        await Task { try? await runtime.run { try await scope(end, in: runtime, Canary(alive)) } }.value
        try await soon("the release of the scopes") { runtime.liveNodeCount == 0 && alive.value == 0 }
    }

    private func scope(_ end: ScopeEnd, in runtime: ChainRuntime, _ captured: Canary) async throws {
        try await withChain("scope") {
            captured.touch()
            switch end {
            case .returned: _ = Promise<Int>.resolve(1)
            case .thrown: throw Failure()
            case .taskCancelled:
                withUnsafeCurrentTask { $0?.cancel() }
                try Task.checkCancellation()
            case .nodeCancelled:
                for shard in 0..<ChainRuntime.registryShardCount {
                    for node in runtime.liveNodes(inShard: shard) { node.cancel() }
                }
                #expect(Task.isCancelled)
            case .nested:
                async let child: Void = withChain("child") { captured.touch() }
                await withTaskGroup { group in
                    group.addTask { await withChain("in a group") { captured.touch() } }
                }
                await child
            case .outlived: _ = Task { await withChain("later") { captured.touch() } }
            case .detached: await Task.detached { await withChain("elsewhere") { captured.touch() } }.value
            case .work: try await Promise(async: { await withChain("inner") { captured.touch() } }).value
            case .workCancelled:
                let work = Promise<Void>(async: {
                    try await withChain("inner") { try await Promise.delay(.seconds(60)).value }
                })
                work.cancel()
                _ = try await work.asResult().value
            }
        }
    }
}

// SPDX-License-Identifier: MIT
