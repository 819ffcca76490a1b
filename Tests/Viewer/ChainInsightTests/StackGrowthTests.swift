import ChainModel
import Testing

@testable import ChainInsight

/// The growth of stacks, from counts at given times.
@Suite struct StackGrowthTests {
    private static let second: UInt64 = 1_000_000_000

    private static func stack(_ frames: String, _ count: Int, since: UInt64? = nil) -> TaskStack {
        TaskStack(
            frames: frames, count: count, cancelledCount: 0, oldest: NodeIndex(rawValue: 0), oldestSince: since)
    }

    /// Notes one count of a stack for each second from `start` on; 0 where it has no tasks.
    private static func note(_ counts: [Int], from start: UInt64 = 100, in growth: inout StackGrowth) {
        for (offset, count) in counts.enumerated() {
            let stacks = growth.folded(count > 0 ? [stack("charge()", count)] : [])
            growth.note(stacks, at: (start + UInt64(offset)) * second)
        }
    }

    private static func growth(_ counts: [Int]) -> StackGrowth {
        var growth = StackGrowth()
        note(counts, in: &growth)
        return growth
    }

    @Test func theChangeIsSinceTheFirstCounts() throws {
        let growth = Self.growth([5, 7, 4])
        #expect(growth.since == 100 * Self.second)
        #expect(growth.change(of: "charge()")?.total == -1)
        #expect(growth.change(of: "reserve()") == nil)
        #expect(StackGrowth().since == nil && StackGrowth().change(of: "charge()") == nil)
    }

    @Test func aStackThatCameLaterGrewFromNothing() {
        #expect(Self.growth([0, 0, 3]).change(of: "charge()")?.total == 3)
    }

    @Test func theRateCoversTheLastTwoMinutes() {
        #expect(Self.growth(Array(1...10)).change(of: "charge()")?.perMinute == nil, "nine seconds say nothing")
        #expect(Self.growth(Array(1...11)).change(of: "charge()")?.perMinute == 60)
        let growth = Self.growth(Array(repeating: 9, count: 60) + Array(1...121))
        #expect(growth.change(of: "charge()")?.perMinute == 60)
        #expect(growth.change(of: "charge()")?.total == 112)
    }

    @Test(arguments: [
        (Array(1...11), true), (Array(1...10), false),
        // It grew by less than three.
        (Array(repeating: 5, count: 10) + [7], false), (Array(repeating: 5, count: 10) + [8], true),
        // It fell.
        ([1, 2, 3, 2] + Array(3...12), false),
        // It fell over a minute ago.
        ([9, 2] + Array(2...63), true), ([9, 2] + Array(2...60), false),
        // It grew over a minute ago.
        (Array(1...9) + Array(repeating: 9, count: 61), false),
    ])
    func whatOnlyGrowsIsGrowing(counts: [Int], isGrowing: Bool) {
        #expect(Self.growth(counts).change(of: "charge()")?.isGrowing == isGrowing)
    }

    @Test func aGapEndsTheSeriesButNotTheGrowth() {
        var growth = Self.growth(Array(1...20))
        Self.note([30], from: 200, in: &growth)
        #expect(
            growth.change(of: "charge()") == StackGrowth.Change(total: 29, perMinute: nil, isGrowing: false))
        Self.note(Array(31...40), from: 201, in: &growth)
        #expect(growth.change(of: "charge()") == StackGrowth.Change(total: 39, perMinute: 60, isGrowing: true))
    }

    @Test func aTimeIsCountedOnce() {
        var growth = Self.growth([1, 2])
        Self.note([9], from: 101, in: &growth)
        #expect(growth.change(of: "charge()")?.total == 1)
    }

    /// A stack without tasks is forgotten, so that it takes no place, unless the growth begins with it.
    @Test func emptyStacksMakeRoom() {
        var growth = StackGrowth()
        growth.note([Self.stack("first()", 3)], at: Self.second)
        for step in 1...10_000 as ClosedRange<UInt64> {
            let stacks = growth.folded([Self.stack("transient \(step)", 1)])
            #expect(stacks[0].frames != "", "\(step)")
            growth.note(stacks, at: (1 + step) * Self.second)
        }
        #expect(growth.change(of: "first()")?.total == -3)
        #expect(growth.change(of: "transient 1") == nil)
    }

    @Test func stacksBeyondTheLimitAreCountedTogether() throws {
        let limit = StackGrowth.stackLimit
        let stacks = (0..<limit + 10).map { Self.stack("\($0)", 2, since: UInt64(limit + 100 - $0)) }
        var growth = StackGrowth()
        let folded = growth.folded(stacks)
        #expect(folded.count == limit + 1)
        let others = try #require(folded.last)
        #expect(others.frames.isEmpty && others.count == 20 && others.oldestSince == 91)
        growth.note(folded, at: Self.second)
        // A stack that may have been among the others gets no free place.
        let later = growth.folded(stacks.dropFirst(500) + [Self.stack("new", 5)])
        #expect(later.count == limit - 500 + 1 && later.last?.count == 25)
        growth.note(later, at: 2 * Self.second)
        #expect(growth.change(of: "")?.total == 5)
        #expect(growth.change(of: "0")?.total == -2)
    }
}

// SPDX-License-Identifier: MIT
