import Testing

/// Optimised code may retain an object only after an atomic store that unlocks it, unless `chain_retain_barrier()` stands
/// before the store: its comment says why.
struct BarrierTests {
    /// Releasing stores that end no exclusive access to references: they set flags, counts and positions, or publish
    /// what the storing thread still owns. By file, as reviewed.
    private let reviewed = [
        "Sources/Runtime/PromiseRuntime/Core/ChainRuntime.swift": 3,
        "Sources/Runtime/PromiseRuntime/Core/TaskNodes.swift": 2,
        "Sources/Runtime/PromiseRuntime/Chain/BlockingWait.swift": 1,
        "Sources/Observe/ChainInspector/Flight/RingFile.swift": 2,
        "Sources/Observe/ChainInspector/Server/AttachServer.swift": 3,
        "Sources/Observe/ChainInspector/Server/ServerLoop.swift": 3,
        "Sources/Observe/ChainInspector/Server/ServerLoop+Viewers.swift": 1,
        "Sources/Observe/ChainInspector/Ring.swift": 1,
        "Sources/Observe/ChainInspector/CollectorThread.swift": 1,
        "Sources/Observe/ChainInspector/RingReading.swift": 1,
        "Sources/Observe/ChainInspector/RingWriting.swift": 3, "Sources/Observe/ChainInspector/RingBlock.swift": 1,
    ]

    @Test func storesThatUnlockHaveABarrier() {
        var barrierCount = 0
        var found: [String: Int] = [:]
        for file in Repository.sources where file.isSwift && file.path.hasPrefix("Sources/") {
            for (index, line) in file.lines.enumerated() where line.contains(/\.store\(.*ordering: \.releasing\)/) {
                if index > 0, file.lines[index - 1].contains("chain_retain_barrier()") {
                    barrierCount += 1
                } else {
                    found[file.path, default: 0] += 1
                }
            }
        }
        #expect(barrierCount == 2, "the promise's lock bit, and the lock of a queue of jobs")
        for (path, count) in found where reviewed[path] != count {
            Issue.record(
                """
                \(path) has \(count) releasing stores without chain_retain_barrier(), reviewed are \
                \(reviewed[path] ?? 0): a store that unlocks something needs the barrier on the line before it
                """)
        }
    }
}

// SPDX-License-Identifier: MIT
