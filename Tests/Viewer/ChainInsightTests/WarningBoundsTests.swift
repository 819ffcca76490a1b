import ChainEvents
import ChainModel
import Testing

@testable import ChainInsight

/// Options, bounds and slices of the warnings.
extension WarningTableTests {
    @Test(arguments: WarningKind.allCases) func eachKindCanBeTurnedOff(kind: WarningKind) {
        var watched = Self.everything()
        #expect(watched.table.count(of: kind) > 0)
        watched.options.enabled.remove(kind)
        watched.pass(100)
        #expect(watched.table.count(of: kind) == 0)
        watched.options.enabled.insert(kind)
        watched.pass(2_000)
        #expect(watched.table.count(of: kind) > 0)
    }

    @Test func limitsCanBeSet() {
        var watched = Self.everything()
        let limited = Set(WarningLimit.all.flatMap { $0.kinds.map(\.rawValue) })
        #expect(limited.isSubset(of: watched.counts.keys))
        for limit in WarningLimit.all { watched.options[limit.kinds[0]] = .max / 2 }
        watched.pass(2_000)
        #expect(limited.isDisjoint(with: watched.counts.keys))
        #expect(watched.table.count(of: .abandoned) == 1)
    }

    /// Returns a program with a warning of every kind.
    static func everything() -> Watched {
        var watched = Watched()
        watched.options[.deepChain] = 5
        watched.options[.tooManyThreads] = 2
        watched.script.at(1)
        watched.script.make(1, .pending, external: true)
        watched.script.make(2, .pending)
        watched.script.record(.abandoned, 2)
        watched.script.make(3, .work)
        watched.script.reject(3)
        watched.script.record(.unhandled, 3)
        watched.script.make(4, .pending)
        watched.script.fulfill(4)
        watched.script.record(.settledAgain, 4)
        for node in 5...7 as ClosedRange<UInt64> {
            watched.script.make(node, .work)
            watched.script.start(node, on: ThreadID(node))
        }
        watched.script.record(.stalled, 5, thread: 5)
        watched.script.record(.awaitMisused, 1, 6)
        watched.script.record(.cancelRequested, 7)
        watched.script.make(8, .then, under: 9)
        watched.script.make(9, .promise)
        watched.script.adopt(9, 8)
        watched.script.make(10, .race)
        watched.script.make(11, .promise)
        watched.script.member(10, 11)
        watched.script.fulfill(10)
        watched.script.make(12, .work)
        watched.script.queue(12)
        for node in 20...30 as ClosedRange<UInt64> { watched.script.make(node, .then, under: node - 1) }
        for node in 31...32 as ClosedRange<UInt64> {
            watched.script.make(node, .task)
            watched.script.queue(node, on: 0)
        }
        watched.script.make(33, .task)
        watched.script.record(.suspended, 33, thread: 1)
        watched.script.make(34, .executor, "main")
        watched.script.make(35, .task)
        watched.script.make(36, .task)
        watched.script.record(.heldBy, 34, 35)
        watched.script.record(.waitsFor, 36, 34)
        watched.script.lose(9)
        watched.pass(62_000)
        return watched
    }

    @Test func everyKindAppears() {
        #expect(Set(Self.everything().counts.keys) == Set(WarningKind.allCases.map(\.rawValue)))
    }

    @Test(arguments: [1, 3, 17, 1_000_000]) func slicesFindWhatOneSweepFinds(budget: Int) {
        var watched = Self.everything()
        var other = Watched()
        other.script = watched.script
        other.options = watched.options
        other.table = WarningTable()
        for _ in 0..<4_000 {
            other.script.at(Double(watched.script.time) / 1_000_000)
            other.update()
            other.table.tick(other.script.forest, now: other.script.time, options: other.options, budget: budget)
        }
        watched.pass(100)
        #expect(other.counts == watched.counts)
        for kind in WarningKind.allCases where kind != .lostEvents && kind != .tooManyThreads && !kind.isFault {
            let (found, all) = (other.table.warnings(of: kind), watched.table.warnings(of: kind))
            // Only the order in which they were found may differ.
            #expect(found.map(\.id) == all.map(\.id) && found.map(\.since) == all.map(\.since), "\(kind)")
        }
    }

    @Test func manyWarningsAreCountedAndTheOldestKept() {
        var watched = Watched()
        for node in 1...3_000 as ClosedRange<UInt64> {
            watched.script.at(Double(node) / 10)
            watched.script.make(node, .work)
            watched.script.queue(node)
        }
        watched.pass(5_000)
        #expect(watched.table.count(of: .longQueueWait) == 3_000)
        #expect(watched.nodes(.longQueueWait) == Array(1...1_000))
        for node in 1...1_000 as ClosedRange<UInt64> { watched.script.start(node, on: ThreadID(node)) }
        watched.update()
        #expect(watched.table.count(of: .longQueueWait) == 2_000)
        watched.pass(700)
        #expect(watched.table.count(of: .longQueueWait) == 2_000)
        #expect(watched.nodes(.longQueueWait) == Array(1_001...2_000))
    }

    @Test func manyFaultsAreCountedAndTheLatestKept() {
        var watched = Watched()
        for node in 1...1_500 as ClosedRange<UInt64> {
            watched.script.at(Double(node))
            watched.script.make(node, .work)
            watched.script.reject(node)
            watched.script.record(.unhandled, node)
            if node % 100 == 0 { watched.update() }
        }
        watched.pass(1_000)
        #expect(watched.table.count(of: .unhandledRejection) == 1_500)
        #expect(watched.nodes(.unhandledRejection) == Array(501...1_500))
    }

    @Test func manyEarlierFaultsAreCounted() {
        var watched = Watched()
        for node in 1...1_500 as ClosedRange<UInt64> {
            watched.script.make(node, .pending)
            watched.script.record(.abandoned, node)
        }
        watched.pass(1_000)
        #expect(watched.table.count(of: .abandoned) == 1_500)
        #expect(watched.nodes(.abandoned).count == 1_000)
    }

    @Test func missedFaultsAreFoundByASweep() {
        var watched = Watched(limits: ForestLimits(changeLimit: 3))
        watched.pass(600)
        for node in 1...9 as ClosedRange<UInt64> {
            watched.script.make(node, .pending)
            watched.script.record(.abandoned, node)
        }
        watched.pass(700)
        #expect(watched.table.count(of: .abandoned) == 9)
    }

    @Test func withoutChangesNothingIsSwept() {
        var watched = Self.everything()
        watched.pass(20_000)
        #expect(watched.table.sweep == nil)
        #expect(watched.table.isIdle)
        let revision = watched.table.revision
        watched.pass(100_000)
        #expect(watched.table.revision == revision)
    }

    @Test func everyKindHasTextsAndAWeight() {
        #expect(Set(WarningKind.byWeight) == Set(WarningKind.allCases))
        #expect(WarningKind.byWeight.count == WarningKind.allCases.count)
        #expect(Set(WarningKind.allCases.map(\.index)) == Set(0..<WarningKind.allCases.count))
        for kind in WarningKind.allCases {
            #expect(kind.headline.count <= 64, "\(kind)")
            #expect(kind.explanation.hasSuffix("."))
            #expect(kind.advice(for: .then).hasSuffix(".") && kind.advice(for: .task).hasSuffix("."))
        }
    }
}

// SPDX-License-Identifier: MIT
