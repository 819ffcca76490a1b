extension BatchRecorder.Options {
    /// For a recording in memory, from which moments of the last minutes are shown. Keyframes are rare, because they
    /// take the room of events, and 500,000 events are applied within 100 ms.
    package static var history: BatchRecorder.Options {
        var options = BatchRecorder.Options()
        (options.keyframeEvents, options.greatestInterval) = (500_000, 120_000_000_000)
        return options
    }
}
