// SPDX-License-Identifier: MIT

extension BatchRecorder.Options {
    /// Options for a recording in memory that shows moments of the last minutes. Keyframes are rare, because they take
    /// room from events. Rare keyframes suffice, because 500,000 events are applied within 100 ms.
    package static var history: BatchRecorder.Options {
        var options = BatchRecorder.Options()
        (options.keyframeEvents, options.greatestInterval) = (500_000, 120_000_000_000)
        return options
    }
}
