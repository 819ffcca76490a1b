/// How long something took, over many times: what is shown of a histogram. Durations in nanoseconds, to 1 %.
public struct DurationFigures: Hashable, Sendable {
    /// How many times it was measured.
    public var count: UInt64 = 0
    /// Half of the times it took at most this long.
    public var p50: UInt64 = 0
    /// Nine times of ten it took at most this long.
    public var p90: UInt64 = 0
    /// 99 times of a hundred it took at most this long.
    public var p99: UInt64 = 0
    /// The longest, exactly.
    public var max: UInt64 = 0
    /// How many times fell between two of ``barBounds``: those below the first, those from one to the next, and those
    /// from the last on. Empty where nothing was measured.
    public var bars: [UInt64] = []

    /// Nothing measured.
    public init() {}

    /// Where ``bars`` end, in nanoseconds: half decades from 0.1 ms to 100 s, so that all call sites can be compared.
    public static let barBounds: [UInt64] = [
        100_000, 316_228, 1_000_000, 3_162_278, 10_000_000, 31_622_777, 100_000_000, 316_227_766, 1_000_000_000,
        3_162_277_660, 10_000_000_000, 31_622_776_602, 100_000_000_000,
    ]
}
