import CChainRuntime
import ChainSystem
import Testing

struct SystemTimeTests {
    /// A wall clock may be set to any time.
    @Test(arguments: [
        (-5, 999_999_999, 0), (Int64.min, 0, 0), (1, 5, 1_000_000_005), (18_446_744_073, 709_551_614, UInt64.max - 1),
        (18_446_744_073, 999_999_999, .max), (18_446_744_074, 0, .max), (1 << 47, 0, .max),
    ])
    func timesAreClamped(seconds: Int64, rest: Int64, nanoseconds: UInt64) {
        #expect(chain_nanoseconds(seconds, rest) == nanoseconds)
    }

    @Test func theMonotonicClockGoesOn() {
        let begin = SystemTime.monotonic
        while SystemTime.monotonic == begin {}
        #expect(SystemTime.monotonic > begin && SystemTime.wall > 1_700_000_000_000_000_000)
    }
}

// SPDX-License-Identifier: MIT
