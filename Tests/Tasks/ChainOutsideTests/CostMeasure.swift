import ChainSystem
import TestWaits
import Testing

@testable import ChainOutside

struct CostMeasure {
    @Test func cost() throws {
        for count in [1, 16, 64, 256] {
            let probe = try Probe("threads", count)
            let reader = try OutsideReader(probe.pid)
            _ = wait { reader.refresh().isTaskKnown }
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            let start = Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
            for _ in 0..<200 { _ = reader.surroundings(now: SystemTime.monotonic) }
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            let end = Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
            print(
                "COST \(ThreadFiles.ids(of: probe.pid).count) threads: \((end - start) / 200) us of processor time a look"
            )
        }
    }

    @Test func foreign() throws {
        guard let text = ProcFile.text("/tmp/h-threads-pids") else { return }
        for pid in text.split(whereSeparator: \.isWhitespace).compactMap({ Int32($0) }) {
            let reader = try OutsideReader(pid)
            var seen = Surroundings(time: 0)
            _ = wait(limit: .seconds(5)) {
                seen = reader.refresh(); return seen.isTaskKnown && seen.locks.count > 1
            }
            seen = reader.lookAgain()
            print(
                "FOREIGN \(pid) \(reader.images.program) known \(seen.isTaskKnown) named \(reader.runtime.isNamed) tasks \(reader.followed.count)"
            )
            for thread in seen.threads { print("  ", thread) }
            for executor in seen.executors { print("  ", executor) }
            for lock in seen.locks { print("  ", lock) }
        }
    }
}

// SPDX-License-Identifier: MIT
