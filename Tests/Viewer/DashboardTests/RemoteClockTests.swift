import ChainEvents
import Testing

@testable import Dashboard

@Suite struct RemoteClockTests {
    private static let second: UInt64 = 1_000_000_000
    /// The time of day at which the program began.
    private static let begin = 1_000 * second
    /// The viewer's own clock at that moment.
    private static let own = 50 * second

    /// Returns the clock of a program, and the viewer's time of day and own clock by the seconds since the program
    /// began. The viewer's time of day is `ahead` nanoseconds ahead.
    private func clock(ahead: Int64 = 0) -> (RemoteClock, (Double) -> (wall: UInt64, own: UInt64)) {
        var clock = RemoteClock()
        clock.begin(ProcessDescription(key: ProcessKey(rawValue: 1), pid: 1, name: "", wallOffset: Self.begin))
        return (
            clock,
            { seconds in
                let passed = UInt64(seconds * 1e9)
                return (UInt64(Int64(Self.begin + passed) + ahead), Self.own + passed)
            }
        )
    }

    private func tick(_ clock: inout RemoteClock, _ time: (wall: UInt64, own: UInt64)) {
        clock.tick(wall: time.wall, own: time.own)
    }

    @Test func goesByTheTimesOfDay() {
        var (clock, at) = clock()
        clock.ingest(2_900_000_000)
        tick(&clock, at(3))
        #expect(clock.now == 3 * Self.second)
        clock.ingest(3 * Self.second + 900_000_000)
        tick(&clock, at(4))
        #expect(clock.now == 4 * Self.second, "what takes a tenth to arrive changes nothing")
    }

    @Test func aTimeOfDayThatIsSetMovesNothing() {
        var (clock, at) = clock()
        clock.ingest(2_900_000_000)
        tick(&clock, at(3))
        let later = at(4)
        clock.tick(wall: later.wall + 3_600 * Self.second, own: later.own)
        #expect(clock.now == 4 * Self.second)
        clock.tick(wall: later.wall - 900 * Self.second, own: later.own + Self.second)
        #expect(clock.now == 5 * Self.second)
    }

    @Test(arguments: [-60, -3, 3, 60] as [Int64]) func theProgramsTimesCountWhenTheTimesOfDayDiffer(_ ahead: Int64) {
        var (clock, at) = clock(ahead: ahead * 1_000_000_000)
        clock.ingest(2_990_000_000)
        tick(&clock, at(3))
        #expect(clock.now == 2_990_000_000)
        tick(&clock, at(3.5))
        #expect(clock.now == 3_490_000_000)
        // A batch that took longer to arrive does not set the clock back.
        clock.ingest(3_600_000_000)
        tick(&clock, at(4))
        #expect(clock.now == 3_990_000_000)
        // One that took less time sets it forward.
        clock.ingest(4_999_000_000)
        tick(&clock, at(5))
        #expect(clock.now == 4_999_000_000)
    }

    @Test func theTimeIsZeroBeforeTheFirstBatch() {
        var (clock, at) = clock(ahead: 60 * 1_000_000_000)
        tick(&clock, at(3))
        #expect(clock.now == 0)
    }

    @Test func neverGoesBack() {
        var (clock, at) = clock()
        clock.ingest(3 * Self.second)
        tick(&clock, at(3))
        clock.begin(ProcessDescription(key: ProcessKey(rawValue: 1), pid: 1, name: "", wallOffset: Self.begin))
        clock.ingest(4 * Self.second)
        tick(&clock, at(5))
        #expect(clock.now == 5 * Self.second)
        clock.begin(ProcessDescription(key: ProcessKey(rawValue: 1), pid: 1, name: "", wallOffset: Self.begin))
        clock.ingest(1 * Self.second)
        tick(&clock, at(6))
        #expect(clock.now == 5 * Self.second)
    }

    @Test func aProgramWithALaterTimeOfDayIsShown() {
        var clock = RemoteClock()
        clock.begin(ProcessDescription(key: ProcessKey(rawValue: 1), pid: 1, name: "", wallOffset: 9_000 * Self.second))
        clock.tick(wall: Self.begin, own: Self.own)
        #expect(clock.now == 0)
        clock.ingest(7 * Self.second)
        clock.tick(wall: Self.begin + Self.second, own: Self.own + Self.second)
        clock.tick(wall: Self.begin + 2 * Self.second, own: Self.own + 2 * Self.second)
        #expect(clock.now == 8 * Self.second)
    }

    @Test func withoutATimeOfDayTheClockIsThatOfTheTicks() {
        var clock = RemoteClock()
        clock.begin(ProcessDescription(key: ProcessKey(rawValue: 1), pid: 1, name: "", wallOffset: 0))
        clock.tick(wall: Self.begin, own: 5)
        #expect(clock.now == 5)
    }
}

// SPDX-License-Identifier: MIT
