// SPDX-License-Identifier: MIT

import ChainModel

/// The intervals and limits of a collector.
package struct CollectorOptions: Sendable {
    /// Nanoseconds between two reads of the rings. While there are prompt subscriptions, at most ``heartbeat``. A half
    /// full ring causes an earlier read.
    package var interval: UInt64 = 20_000_000
    /// Nanoseconds between two reads while there are no prompt subscriptions, and no unfinished cancellation was added
    /// or found a node in the last five seconds. Without any subscription, ``interval`` if that is longer.
    package var idleInterval: UInt64 = 100_000_000
    /// Nanoseconds without events after which an empty batch is published.
    package var heartbeat: UInt64 = 1_000_000_000
    /// The minimum number of nanoseconds between the beginnings of two walks over the registry after losses. After a
    /// walk that took long there are more.
    package var resyncInterval: UInt64 = 250_000_000
    /// The most events in one batch.
    package var batchLimit = 16_384
    /// The most nodes in one batch of the state.
    package var chunkLimit = 4096
    /// The most nodes in one batch of a keyframe: few enough that a recorder need not cut the batch.
    package var keyframeChunkLimit = 1024
    /// The most bytes of the label of a node from the registry; a longer label is cut.
    package var textLimit = 480
    /// Whether the program records only some of its chains.
    package var isNarrowed = false
    /// The retention of the process's own forest.
    package var forest = ForestLimits(changeLimit: 0)
    /// How the system is asked for blocked threads.
    package var stallProbe = StallProbe.system

    package init() {}
}
