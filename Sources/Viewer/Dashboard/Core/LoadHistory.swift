// SPDX-License-Identifier: MIT

import ChainEvents

/// Samples of the load of a program, one for each second of the last minute.
struct LoadHistory {
    /// The load in one second.
    struct Sample: Equatable {
        /// Peaks of unsettled, running and queued nodes.
        var inFlight = 0, running = 0, queued = 0
        /// Chains that failed.
        var failed = 0
        /// The age of the oldest live chain, in milliseconds.
        var oldest = 0

        fileprivate mutating func include(_ load: ProgramLoad) {
            inFlight = max(inFlight, load.inFlight)
            running = max(running, load.running)
            queued = max(queued, load.queued)
            oldest = max(oldest, Int(clamping: (load.oldest ?? 0) / 1_000_000))
        }

        /// Adds the loads of two programs; keeps the greater age.
        static func + (left: Sample, right: Sample) -> Sample {
            Sample(
                inFlight: left.inFlight + right.inFlight, running: left.running + right.running,
                queued: left.queued + right.queued, failed: left.failed + right.failed,
                oldest: max(left.oldest, right.oldest))
        }
    }

    /// How many samples are kept: one for each second.
    static let length = 60

    /// The samples, each at the index of its second since 1970 modulo ``length``; nil for a second without a sample.
    private var samples = [Sample?](repeating: nil, count: length)
    /// The latest second that was observed or has passed without a sample; 0 before the first observation.
    private(set) var second: UInt64 = 0
    /// The second of the first sample after the samples were last cleared.
    private(set) var first: UInt64 = 0
    /// How many of the program's failures are counted already, or were excluded.
    private var failedCount = 0
    /// Chains that failed, at the index of their second as ``samples``. Unlike the samples, they may go back to before
    /// the first observation.
    private var failures = [Int](repeating: 0, count: length)
    /// The second from which on all failures are counted; nil if none of the last minute is missing.
    private var countedSince: UInt64?
    /// Whether ``setFailures(_:)`` was not called since the samples were last cleared, or since a state was read.
    private(set) var needsFailures = true

    /// Chains that failed in the last minute: a count over ``length`` seconds, not an average. Nil while it is not known
    /// how many failed before the first observation.
    var failedLastMinute: Int? {
        guard second != 0, countedSince.map({ second - $0 + 1 >= UInt64(Self.length) }) ?? true else { return nil }
        return failures.reduce(0, +)
    }

    /// Includes the load at a moment, in nanoseconds since 1970. O(1).
    mutating func observe(_ load: ProgramLoad, at wall: UInt64) {
        let now = wall / 1_000_000_000
        // The samples are cleared before the first observation, after a gap of a minute, and when the clock was set
        // back. Failures during a gap are excluded, because they did not happen in this second.
        if isApart(now) {
            clear(at: now)
            failedCount = load.failedCount
        }
        // A second without a tick gets the present load.
        pass(to: now, load)
        let index = Int(now % UInt64(Self.length))
        var sample = samples[index] ?? Sample()
        sample.include(load)
        failures[index] += max(0, load.failedCount - failedCount)
        failedCount = max(failedCount, load.failedCount)
        samples[index] = sample
    }

    /// Lets the seconds up to a moment, in nanoseconds since 1970, pass without samples, because the load is not known.
    mutating func pass(until wall: UInt64) {
        let now = wall / 1_000_000_000
        guard second != 0 else { return }
        if isApart(now) {
            clear(at: now)
            countedSince = nil
        }
        pass(to: now, nil)
    }

    /// Returns whether a second does not continue the samples: there are no samples, all samples are older than a
    /// minute, or the clock was set back.
    private func isApart(_ now: UInt64) -> Bool {
        second == 0 || now < second || now - second >= UInt64(Self.length)
    }

    private mutating func clear(at now: UInt64) {
        samples = [Sample?](repeating: nil, count: Self.length)
        failures = [Int](repeating: 0, count: Self.length)
        (first, second, countedSince, needsFailures) = (now, now, now, true)
    }

    /// Replaces the samples of the seconds after ``second`` up to `now` with a sample of a load, or with nil if there
    /// is no load.
    private mutating func pass(to now: UInt64, _ load: ProgramLoad?) {
        let sample = load.map { load in
            var sample = Sample()
            sample.include(load)
            return sample
        }
        while second < now {
            second += 1
            let index = Int(second % UInt64(Self.length))
            failures[index] = 0
            samples[index] = sample
        }
    }

    /// Excludes failures that came with a snapshot, because they may be old. Those of the last minute are to be set.
    mutating func skip(failures: Int) {
        if second != 0 { failedCount += failures }
        needsFailures = true
    }

    /// Sets the chains that failed in the last minute, by whole seconds before ``second``; nil if they are not known.
    mutating func setFailures(_ byAge: [Int]?) {
        needsFailures = false
        countedSince = byAge == nil ? second : nil
        guard let byAge, second != 0 else { return }
        for (age, count) in byAge.prefix(Self.length).enumerated() {
            failures[Int((second &- UInt64(age)) % UInt64(Self.length))] = count
        }
    }

    /// Whether any sample of the last minute has queued nodes.
    var hasQueued: Bool { samples.contains { ($0?.queued ?? 0) > 0 } }

    /// Whether anything was in flight or failed in the last minute.
    var hasLoad: Bool { failures.contains { $0 > 0 } || samples.contains { ($0?.inFlight ?? 0) > 0 } }

    /// Returns the samples of the minute up to the second `last`, the oldest first; nil for a second without a sample.
    func samples(until last: UInt64) -> [Sample?] {
        (0..<UInt64(Self.length)).map { offset in
            let wanted = last &- UInt64(Self.length) &+ 1 &+ offset
            guard second > 0, wanted >= first, wanted <= second, second - wanted < UInt64(Self.length) else {
                return nil
            }
            let index = Int(wanted % UInt64(Self.length))
            var sample = samples[index]
            sample?.failed = failures[index]
            return sample
        }
    }
}

extension Program {
    /// Includes the load at a moment, in nanoseconds since 1970, in ``loadHistory``. If the program is lost or has
    /// ended, its load is not known, and the time passes without samples. The load of a paused recording is included,
    /// because the recording may be stepped.
    mutating func observeLoad(at wall: UInt64) {
        if connection.isLive || connection.replay != nil {
            loadHistory.observe(load, at: wall)
            if loadHistory.needsFailures, !forest.isResyncing { loadHistory.setFailures(recentFailures(at: wall)) }
        } else {
            loadHistory.pass(until: wall)
        }
    }

    /// Returns the kept chains that failed in the last minute, by their age in whole seconds. Nil if others may have
    /// been evicted. O(chains).
    ///
    /// Chains are evicted in the order in which they settled, those that failed last. So nothing of the last minute was
    /// evicted if an older chain is kept, or if few nodes are kept. A recording keeps as many nodes as it has room for,
    /// so there only an older chain, or the beginning of the recording, shows it.
    private func recentFailures(at wall: UInt64) -> [Int]? {
        let now = shownNow
        let counts = forest.totals.counts
        var isComplete = counts.nodeCount - counts.liveCount < forest.limits.settledNodeLimit / 2
        if let position = connection.replay { isComplete = position.time &- position.range.lowerBound < 1_000_000_000 }
        var byAge = [Int](repeating: 0, count: LoadHistory.length)
        for root in forest.roots {
            let chain = forest.chain(of: root)
            guard let settled = chain.settled else { continue }
            let time = wall - min(wall, now - min(now, settled))
            let age = wall / 1_000_000_000 - time / 1_000_000_000
            guard age < LoadHistory.length else {
                isComplete = true
                continue
            }
            if chain.outcome.isFailure { byAge[Int(age)] += 1 }
        }
        return isComplete && byAge.reduce(0, +) < forest.limits.failedChainLimit ? byAge : nil
    }

    /// Chains that failed in the last minute; nil if that is not known, as while a state is read, and of a program that is
    /// read from outside.
    var failedLastMinute: Int? {
        reading == nil && !forest.isReadFromOutside ? loadHistory.failedLastMinute : nil
    }
}

extension World {
    /// Returns the sums of all programs' samples of the last minute, the oldest first; nil for a second without a
    /// sample.
    func loadSamples() -> [LoadHistory.Sample?] {
        let last = wall / 1_000_000_000
        var sums = [LoadHistory.Sample?](repeating: nil, count: LoadHistory.length)
        for program in programs where program.wasReached {
            for (index, sample) in program.loadHistory.samples(until: last).enumerated() {
                guard let sample else { continue }
                sums[index] = sums[index].map { $0 + sample } ?? sample
            }
        }
        return sums
    }
}
