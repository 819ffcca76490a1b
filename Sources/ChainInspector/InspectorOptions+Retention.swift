import ChainModel

extension InspectorOptions {
    /// How much the process's own forest keeps. A settled promise past a limit is evicted, and counted in the dump.
    public struct Retention: Hashable, Sendable {
        /// How many promises of wholly settled chains are kept; the chains that settled first are evicted first.
        public var settledNodeLimit = 100_000
        /// How many settled promises without children are kept in chains that are still live; the first settled are
        /// evicted first, and their parents keep a count of them.
        public var settledLeafLimit = 20_000
        /// How long settled chains and promises are kept at most; none below 0.
        public var ageLimit: Duration = .seconds(600)
        /// From how many promises on a live chain loses its settled beginning, so that `queue = queue.then { … }` does
        /// not grow for ever.
        public var chainNodeLimit = 200_000
        /// How many promises are kept at all. Past it new ones are refused and counted.
        public var nodeLimit = 4_000_000

        /// The defaults take some 500 MB where all limits are reached.
        public init() {}

        /// For the forest; nothing asks it for changes.
        var limits: ForestLimits {
            ForestLimits(
                settledNodeLimit: settledNodeLimit, settledLeafLimit: settledLeafLimit,
                ageLimit: ageLimit.clampedNanoseconds, chainNodeLimit: chainNodeLimit, nodeLimit: nodeLimit,
                changeLimit: 0)
        }
    }
}
