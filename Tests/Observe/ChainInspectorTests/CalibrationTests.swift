import CChainRuntime
import Foundation
import Testing

@testable import ChainInspector

@Suite struct CalibrationTests {
    @Test func isLinearBetweenAnchors() {
        var calibration = Calibration()
        calibration.add(.init(ticks: 1_000, time: 500))
        calibration.add(.init(ticks: 3_000, time: 1_500))
        calibration.add(.init(ticks: 4_000, time: 2_500))
        #expect(calibration.time(of: 1_000) == 500)
        #expect(calibration.time(of: 2_000) == 1_000)
        #expect(calibration.time(of: 3_000) == 1_500)
        #expect(calibration.time(of: 3_500) == 2_000)
        #expect(calibration.time(of: 4_000) == 2_500)
        // Older than the first anchor, and newer than the last.
        #expect(calibration.time(of: 800) == 400)
        #expect(calibration.time(of: 0) == 1)
        #expect(calibration.time(of: 9_000) == 2_500)
    }

    /// A machine that was suspended to memory begins its counter anew.
    @Test func aCounterThatWasSetBackIsCalibratedAgain() {
        var calibration = Calibration()
        calibration.add(.init(ticks: 1 << 40, time: 1_000))
        calibration.add(.init(ticks: 1 << 40 + 1_000, time: 2_000))
        // Counters of two processors may differ a little.
        calibration.add(.init(ticks: 1 << 40, time: 2_500))
        #expect(calibration.anchors.count == 2)
        calibration.add(.init(ticks: 500, time: 9_000))
        calibration.add(.init(ticks: 1_500, time: 10_000))
        #expect(calibration.time(of: 1_000) == 9_500)
    }

    @Test(arguments: [
        (true, "tsc", true), (true, "kvm-clock", true), (true, "hyperv_clocksource_tsc_page", true), (true, "", true),
        (true, "hpet", false), (true, "acpi_pm", false), (true, "refined-jiffies", false), (false, "tsc", false),
        (false, "", false),
    ])
    func anInvariantCounterIsTrustedUnlessTheSystemAvoidsIt(isInvariant: Bool, clocksource: String, expected: Bool) {
        #expect(chain_counter_is_trusted(isInvariant, clocksource) == expected)
    }

    #if os(Linux) && arch(x86_64)
        @Test func theProcessorsAnswerAgreesWithTheKernels() throws {
            let flags =
                try String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8).split(separator: "\n")
                .first { $0.hasPrefix("flags") }?.split(separator: " ") ?? []
            // The kernel's names for an invariant counter, on processors of Intel and AMD.
            let isInvariant = flags.contains("nonstop_tsc") && flags.contains("constant_tsc")
            let path = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
            let clocksource = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            let name = clocksource.trimmingCharacters(in: .whitespacesAndNewlines)
            #expect(chain_ticks_are_cycles() == chain_counter_is_trusted(isInvariant, name))
        }
    #endif

    @Test func neverGoesBack() {
        var calibration = Calibration()
        var random = SystemRandomNumberGenerator()
        var (ticks, time, last): (UInt64, UInt64, UInt64) = (1_000_000, 5_000, 0)
        calibration.add(.init(ticks: ticks, time: time))
        for _ in 0..<2_000 {
            let from = ticks
            ticks += UInt64.random(in: 1...60_000_000, using: &random)
            // The clock drifts against the counter, and may stand.
            time += UInt64.random(in: 0...30_000_000, using: &random)
            calibration.add(.init(ticks: ticks, time: time))
            for moment in (0..<20).map({ _ in UInt64.random(in: from...ticks, using: &random) }).sorted() {
                let converted = calibration.time(of: moment)
                #expect(converted >= last && converted <= time)
                last = converted
            }
        }
    }

    @Test func ignoresAnAnchorThatGoesBack() {
        var calibration = Calibration()
        calibration.add(.init(ticks: 1_000, time: 500))
        calibration.add(.init(ticks: 900, time: 600))
        calibration.add(.init(ticks: 2_000, time: 400))
        #expect(calibration.anchors.count == 1)
    }

    @Test func agreesWithTheClockItIsCalibratedTo() {
        let clock = RealClock()
        // Repeated, because the thread may lose its processor between any two readings.
        let agrees = wait {
            var calibration = Calibration()
            calibration.add(Calibration.measure(clock))
            let before = clock.nanoseconds
            let ticks = chain_ticks()
            let after = clock.nanoseconds
            calibration.add(Calibration.measure(clock))
            let converted = calibration.time(of: ticks)
            return converted + 1_000_000 >= before && converted <= after + 1_000_000
        }
        #expect(agrees)
    }
}

// SPDX-License-Identifier: MIT
