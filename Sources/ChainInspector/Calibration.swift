import CChainRuntime
import ChainEvents

/// Turns ticks of the cycle counter into nanoseconds of a clock.
///
/// The collector adds an anchor (ticks and time of one moment) after it has fixed how far it will read each ring, so
/// every event lies between two anchors, in which time is linear: the same ticks always give the same time, and later
/// ticks never an earlier one.
struct Calibration: Sendable {
    struct Anchor: Sendable {
        var ticks: UInt64
        var time: UInt64
    }

    /// Oldest first. Events older than the first (a thread was stopped between reading the counter and publishing)
    /// continue the first segment backwards.
    private(set) var anchors: [Anchor] = []
    private static let anchorLimit = 64

    /// Adds what is known of a later moment; one that goes back is ignored.
    mutating func add(_ anchor: Anchor) {
        if let last = anchors.last, anchor.ticks <= last.ticks || anchor.time < last.time { return }
        if anchors.count == Calibration.anchorLimit { anchors.removeFirst() }
        anchors.append(anchor)
    }

    /// The time of an event that was recorded before the last anchor was taken.
    func time(of ticks: UInt64) -> UInt64 {
        guard let last = anchors.last, ticks < last.ticks else { return anchors.last?.time ?? ticks }
        guard anchors.count > 1 else { return last.time }
        // Nearly always the newest segment.
        var end = anchors.count - 1
        while end > 1, ticks < anchors[end - 1].ticks { end -= 1 }
        let (from, to) = (anchors[end - 1], anchors[end])
        let rate = Double(to.time - from.time) / Double(to.ticks - from.ticks)
        if ticks >= from.ticks { return min(to.time, from.time + UInt64(Double(ticks - from.ticks) * rate)) }
        let before = UInt64(Double(from.ticks - ticks) * rate)
        return from.time > before ? from.time - before : 1
    }

    /// Reads counter and clock at one moment, as nearly as may be had in a few attempts.
    static func measure(_ clock: any ChainClock) -> Anchor {
        var best = Anchor(ticks: 0, time: 0)
        var bestWidth = UInt64.max
        for _ in 0..<4 {
            let before = chain_ticks()
            let time = clock.now
            let after = chain_ticks()
            guard after >= before, after - before < bestWidth else { continue }
            bestWidth = after - before
            best = Anchor(ticks: before + bestWidth / 2, time: time)
        }
        return best
    }
}
