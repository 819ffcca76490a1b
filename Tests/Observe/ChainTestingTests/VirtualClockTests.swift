import ChainEvents
import ChainTesting
import PromiseRuntime
import Synchronization
import Testing

@Suite struct VirtualClockTests {
    /// A list of lines, which timers extend.
    final class Log: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func note(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private let clock = VirtualClock()
    private let log = Log()

    /// Sets a timer that notes its name and the second at which it fires.
    private func set(_ name: String, at seconds: Int) -> any ClockTimer {
        clock.schedule(at: VirtualClock.start.advanced(by: .seconds(seconds))) { [clock, log] in
            log.note("\(name) at \(clock.elapsed.components.seconds)")
        }
    }

    @Test func aClockStandsStill() {
        #expect(clock.now == VirtualClock.start)
        #expect(clock.now == VirtualClock.start)
        #expect(clock.elapsed == .zero)
        #expect(!clock.followsCycleCounter)
    }

    @Test func timersFireByDeadlineThenInTheOrderOfSetting() {
        let timers = [set("late", at: 3), set("first", at: 1), set("second", at: 1), set("middle", at: 2)]
        clock.advance(by: .seconds(3))
        #expect(log.all == ["first at 1", "second at 1", "middle at 2", "late at 3"])
        #expect(timers.count == 4)
    }

    @Test func onlyDueTimersFire() {
        _ = set("due", at: 1)
        _ = set("not yet", at: 2)
        clock.advance(by: .milliseconds(1999))
        #expect(log.all == ["due at 1"])
        #expect(clock.elapsed == .milliseconds(1999))
        clock.advance(by: .milliseconds(1))
        #expect(log.all == ["due at 1", "not yet at 2"])
    }

    @Test func cancelledTimersDoNotFire() {
        let timer = set("cancelled", at: 1)
        timer.cancel()
        timer.cancel()
        #expect(clock.nextDeadline == nil)
        #expect(!clock.advanceToNextTimer())
        #expect(log.all.isEmpty)
        #expect(clock.elapsed == .zero)
    }

    @Test func oneTimerMayCancelTheOther() {
        let other = Mutex<(any ClockTimer)?>(nil)
        let holder = Box(other: other)
        _ = clock.schedule(after: .nanoseconds(1)) { holder.cancel() }
        holder.set(clock.schedule(after: .nanoseconds(1)) { [log] in log.note("cancelled one") })
        clock.advance(by: .seconds(1))
        #expect(log.all.isEmpty)
    }

    @Test func timersSetOnTheWayFireOnTheWay() {
        _ = clock.schedule(after: .seconds(1)) { [clock, log] in
            log.note("first")
            _ = clock.schedule(after: .seconds(1)) { log.note("second at \(clock.elapsed)") }
            _ = clock.schedule(after: .seconds(9)) { log.note("too late") }
        }
        clock.advance(by: .seconds(5))
        #expect(log.all == ["first", "second at 2.0 seconds"])
        #expect(clock.elapsed == .seconds(5))
    }

    @Test func advancingToTheNextTimerGoesNoFurther() {
        _ = set("one", at: 1)
        _ = set("with it", at: 1)
        _ = set("two", at: 2)
        #expect(clock.advanceToNextTimer())
        #expect(log.all == ["one at 1", "with it at 1"])
        #expect(clock.advanceToNextTimer())
        #expect(log.all.last == "two at 2")
        #expect(!clock.advanceToNextTimer())
        #expect(clock.elapsed == .seconds(2))
    }

    @Test func aTimerThatSetsItselfAgainDoesNotBlockTheCaller() {
        repeatForEver()
        for _ in 0..<3 { #expect(clock.advanceToNextTimer()) }
        #expect(log.all == ["again", "again", "again"])
        #expect(clock.elapsed == .zero)
    }

    private func repeatForEver() {
        let (clock, log) = (clock, log)
        @Sendable func again() {
            _ = clock.schedule(at: clock.now) {
                log.note("again")
                again()
            }
        }
        again()
    }

    @Test func pastDeadlinesFireAtTheNextAdvance() {
        clock.advance(by: .seconds(10))
        _ = set("past", at: 3)
        #expect(log.all.isEmpty)
        clock.advance(by: .zero)
        #expect(log.all == ["past at 10"])
    }

    @Test func aClockNeverGoesBack() {
        clock.advance(by: .seconds(-5))
        #expect(clock.now == VirtualClock.start)
    }

    @Test func threadsMaySetTimersAtOnce() async {
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask { [clock, log] in
                    for step in 0..<100 {
                        _ = clock.schedule(after: .nanoseconds(step)) { log.note("\(number)") }
                    }
                }
            }
        }
        clock.advance(by: .seconds(1))
        #expect(log.all.count == 800)
    }

    private final class Box: Sendable {
        private let other: Mutex<(any ClockTimer)?>
        init(other: consuming Mutex<(any ClockTimer)?>) { self.other = other }
        func set(_ timer: any ClockTimer) { other.withLock { $0 = timer } }
        func cancel() { other.withLock { $0 }?.cancel() }
    }
}

// SPDX-License-Identifier: MIT
