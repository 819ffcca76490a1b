import ChainModel

/// How a collector works.
package struct CollectorOptions: Sendable {
    /// Nanoseconds between two looks at the rings; a half full ring is looked at earlier.
    package var interval: UInt64 = 20_000_000
    /// Nanoseconds between two looks at least while nobody subscribes and no cancellation goes on.
    package var idleInterval: UInt64 = 100_000_000
    /// Nanoseconds after which an empty batch is published where nothing happened.
    package var heartbeat: UInt64 = 1_000_000_000
    /// Nanoseconds between the beginnings of two resyncs at least, while events are being lost.
    package var resyncInterval: UInt64 = 250_000_000
    /// Events in one batch at most.
    package var batchLimit = 16_384
    /// Nodes told in one batch at most.
    package var chunkLimit = 4096
    /// Bytes of the label of a node that is told out of the registry; the rest is cut off.
    package var textLimit = 480
    /// Whether the program records some of its chains only.
    package var isNarrowed = false
    /// What the process's own forest keeps.
    package var forest = ForestLimits(changeLimit: 0)

    /// The defaults.
    package init() {}
}
