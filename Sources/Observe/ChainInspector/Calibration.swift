// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainEvents

/// The conversion of ticks of the cycle counter to nanoseconds of a clock.
///
/// The collector adds an anchor (the ticks and the time of one moment) after it has fixed how far it will read each
/// ring. So every event lies before the last anchor, and nearly every event lies between two anchors. Between two kept
/// anchors time is linear: the same ticks always give the same time, and later ticks never an earlier time.
struct Calibration: Sendable {
    struct Anchor: Sendable {
        var ticks: UInt64
        var time: UInt64
    }

    /// The anchors, oldest first. The line through the first two anchors also holds for earlier events, because a
    /// thread may be stopped between reading the counter and publishing.
    private(set) var anchors: [Anchor] = []
    private static let anchorLimit = 64
    /// If the counter is behind the last anchor by more ticks than this, it was set back. The limit is 3 s at 3 GHz,
    /// and 6 minutes at 24 MHz, as on ARM.
    private static let resetStep: UInt64 = 1 << 33

    /// Adds an anchor. Ignores an anchor that has no later ticks than the last anchor, or an earlier time. If the
    /// counter was set back, as by a suspension to memory, drops the earlier anchors.
    mutating func add(_ anchor: Anchor) {
        if let last = anchors.last {
            if anchor.ticks < last.ticks, last.ticks - anchor.ticks > Self.resetStep, anchor.time >= last.time {
                anchors = []
            } else if anchor.ticks <= last.ticks || anchor.time < last.time {
                return
            }
        }
        if anchors.count == Calibration.anchorLimit { anchors.removeFirst() }
        anchors.append(anchor)
    }

    /// Returns the time of an event that was recorded before the last anchor was taken.
    func time(of ticks: UInt64) -> UInt64 {
        guard let last = anchors.last, ticks < last.ticks else { return anchors.last?.time ?? ticks }
        guard anchors.count > 1 else { return last.time }
        // Begins with the newest anchors, because nearly all events are after the last but one.
        var end = anchors.count - 1
        while end > 1, ticks < anchors[end - 1].ticks { end -= 1 }
        let (from, to) = (anchors[end - 1], anchors[end])
        let rate = Double(to.time - from.time) / Double(to.ticks - from.ticks)
        if ticks >= from.ticks { return min(to.time, from.time + UInt64(Double(ticks - from.ticks) * rate)) }
        let before = UInt64(Double(from.ticks - ticks) * rate)
        return from.time > before ? from.time - before : 1
    }

    /// Reads the counter and the clock at one moment. Of four attempts, uses the one with the shortest time between the
    /// reads of the counter before and after the clock.
    static func measure(_ clock: any ChainClock) -> Anchor {
        var best = Anchor(ticks: 0, time: 0)
        var bestWidth = UInt64.max
        for _ in 0..<4 {
            let before = chain_ticks()
            let time = clock.nanoseconds
            let after = chain_ticks()
            guard after >= before, after - before < bestWidth else { continue }
            bestWidth = after - before
            best = Anchor(ticks: before + bestWidth / 2, time: time)
        }
        return best
    }
}
