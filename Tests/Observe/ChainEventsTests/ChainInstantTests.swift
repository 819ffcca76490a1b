import ChainEvents
import Testing

struct ChainInstantTests {
    @Test func anInstantCountsFromTheOriginOfItsClock() {
        let instant = ChainInstant(offset: .seconds(3))
        #expect(instant.nanoseconds == 3_000_000_000 && instant.offset == .seconds(3))
        #expect(instant.advanced(by: .milliseconds(5)).nanoseconds == 3_005_000_000)
        #expect(instant.advanced(by: .seconds(-1)).offset == .seconds(2))
        #expect(instant.duration(to: ChainInstant(offset: .seconds(1))) == .seconds(-2))
        #expect(ChainInstant(offset: .seconds(1)) < instant)
    }

    @Test func instantsStayInTheirRange() {
        let first = ChainInstant(offset: .zero)
        #expect(first.nanoseconds == 1 && first.advanced(by: .seconds(-5)) == first)
        #expect(ChainInstant(offset: .seconds(Int64.min)) == first)
        let last = ChainInstant(nanoseconds: .max)
        #expect(last.advanced(by: .seconds(Int64.max)) == last)
        #expect(last.duration(to: last) == .zero && last.duration(to: first) < .zero)
    }
}

// SPDX-License-Identifier: MIT
