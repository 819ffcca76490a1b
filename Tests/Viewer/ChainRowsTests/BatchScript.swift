import ChainEvents
import EventScripts

/// The events of a script, collected in one batch.
struct BatchScript: EventScript {
    private(set) var batch: EventBatch
    var time: UInt64

    init(sequence: UInt64 = 1, time: UInt64 = 10_000_000) {
        self.time = time
        batch = EventBatch(process: ScriptedForest.process, sequence: sequence, time: time)
    }

    mutating func record(_ event: ChainEvent, text: String?) { batch.append(event, text: text) }
}

// SPDX-License-Identifier: MIT
