// SPDX-License-Identifier: MIT

import ChainModel

extension InspectorOptions {
    /// How much the process's own forest keeps. Settled promises past a limit are evicted.
    public struct Retention: Hashable, Sendable {
        /// How many promises of wholly settled chains are kept. The chains that settled first are evicted first, but
        /// the last 1,000 that failed or have a fault are evicted last, as long as they have at most half of this
        /// number of promises.
        public var settledNodeLimit = 100_000
        /// How many settled promises without children are kept in live chains. The promises that settled first are
        /// evicted first, and their parents keep a count of the evicted promises.
        public var settledLeafLimit = 20_000
        /// How long settled chains and promises are kept at most; a negative duration counts as 0. Does not apply to
        /// the last 1,000 chains that failed or have a fault.
        public var ageLimit: Duration = .seconds(600)
        /// A live chain with more promises than this loses its settled beginning, so that `queue = queue.then { … }`
        /// does not grow for ever.
        public var chainNodeLimit = 200_000
        /// How many promises are kept in all. Past this limit new promises are refused and counted.
        public var nodeLimit = 4_000_000

        /// Makes the defaults, which take some 500 MB where all limits are reached.
        public init() {}

        /// The limits of the forest, which lists no changes, because nothing reads its list of changes.
        var limits: ForestLimits {
            ForestLimits(
                settledNodeLimit: settledNodeLimit, settledLeafLimit: settledLeafLimit,
                ageLimit: ageLimit.clampedNanoseconds, chainNodeLimit: chainNodeLimit, nodeLimit: nodeLimit,
                changeLimit: 0)
        }
    }
}
