// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainEvents
import ChainSystem

/// The runtimes that are or were recorded, to find a node by its id alone. The references are not weak, because
/// promises retain their runtime: each retain of an object that was ever referenced weakly takes a slow path.
enum RecordedRuntimes {
    struct Entry: @unchecked Sendable {
        // Sendable: retained only under the lock, which the runtime's deinit takes.
        let runtime: Unmanaged<ChainRuntime>
    }
    static let entries = Lock<[Entry]>([])

    /// Whether a recorder runs for any runtime.
    static var isAnyRecorded: Bool {
        entries.withLock { $0.contains { $0.runtime._withUnsafeGuaranteedRef { $0.hasRecorder } } }
    }

    static func insert(_ runtime: ChainRuntime) {
        let runtime = Unmanaged.passUnretained(runtime)
        entries.withLock { entries in
            if entries.contains(where: { $0.runtime.toOpaque() == runtime.toOpaque() }) { return }
            entries.append(Entry(runtime: runtime))
        }
    }

    /// Removes a runtime, in its deinit.
    static func remove(_ runtime: Unmanaged<ChainRuntime>) {
        entries.withLock { $0.removeAll { $0.runtime.toOpaque() == runtime.toOpaque() } }
    }

    /// The runtimes that are not being released, retained.
    private static var alive: [ChainRuntime] {
        entries.withLock { entries in
            entries.compactMap { chain_try_retain($0.runtime.toOpaque()) ? $0.runtime.takeRetainedValue() : nil }
        }
    }

    /// Records a blocked worker as an event of the promise with the blocking handler, if that promise is recorded.
    static func report(_ blocked: BlockedWorker) {
        guard blocked.node != .none else { return }
        for runtime in alive where runtime.isRecording {
            guard let promise = runtime.liveNode(blocked.node) else { continue }
            let milliseconds = blocked.duration.clampedNanoseconds / 1_000_000
            let note = blocked.isCompensated ? "" : "; no other thread can take its place"
            promise.report(
                .blocked, detail: blocked.executor.id,
                text: "blocks a worker of \(blocked.executor.name) for \(milliseconds) ms without using the processor"
                    + note)
            return
        }
    }
}
