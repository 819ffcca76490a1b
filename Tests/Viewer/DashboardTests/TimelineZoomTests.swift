import ChainEvents
import ChainModel
import Frames
import Testing

@testable import Dashboard

/// Which stretch of time the timeline shows.
@Suite struct TimelineZoomTests {
    // MARK: Zoom and pan

    @Test func everyScaleIsReachedAndLeft() {
        var screen = TimelineTests.order(16, 120, 40)
        let fit = TimelineTests.axis(screen)
        screen.type("-")
        #expect(screen.message == "the whole time is shown")
        var scales: [UInt64] = [fit.scale]
        while screen.message != "this is the closest zoom" {
            screen.type("+")
            if TimelineTests.axis(screen).scale != scales.last { scales.append(TimelineTests.axis(screen).scale) }
            #expect(scales.count < 50)
        }
        #expect(scales == [fit.scale] + TimeAxis.scales.filter { $0 < fit.scale }.reversed())
        for _ in scales { screen.type("-") }
        #expect(TimelineTests.axis(screen) == fit)
    }

    @Test func zoomKeepsTheSelectedNodeWhereItIs() {
        var screen = TimelineTests.order(16, 120, 40)
        screen.type("jjjjjjj")
        let node = screen.state.selectedNode!
        let view = screen.state.programs[0].forest.node(node.node)
        let moment = (view.started ?? view.created) + Script.process.wallOffset
        let column = TimelineTests.axis(screen).column(of: moment)
        for _ in 0..<8 {
            screen.type("+")
            #expect(TimelineTests.axis(screen).column(of: moment) == column)
        }
    }

    @Test func panStopsAtBothEnds() {
        var screen = TimelineTests.order(16, 120, 40)
        screen.type("l")
        #expect(screen.message == "the whole time is shown; + zooms in")
        screen.type("+++")
        for _ in 0..<100 { screen.type("h") }
        #expect(screen.message == "this is the beginning")
        #expect(TimelineTests.axis(screen).left == Screen.wall(2_200))
        for _ in 0..<100 { screen.type("<Right>") }
        #expect(screen.message == "this is the end")
        #expect(TimelineTests.axis(screen).column(of: Screen.wall(3_007)) < TimelineTests.axis(screen).columns)
        screen.type("f")
        #expect(screen.message == "the whole time is shown")
    }

    @Test func followsNowUntilPanned() {
        var screen = TimelineTests.order(17, 120, 40)
        screen.selectLastRunningNode()
        screen.type("++++")
        let start = TimelineTests.axis(screen).left
        screen.tick(5_000)
        #expect(TimelineTests.axis(screen).left > start, "it follows")
        #expect(TimelineTests.axis(screen).column(of: Screen.wall(5_000)) < TimelineTests.axis(screen).columns)
        screen.type("h")
        let left = TimelineTests.axis(screen).left
        screen.tick(6_000)
        #expect(TimelineTests.axis(screen).left == left, "it stands still")
        screen.type("f")
        screen.tick(6_010)
        #expect(TimelineTests.axis(screen).column(of: Screen.wall(6_010)) < TimelineTests.axis(screen).columns)
        #expect(TimelineTests.axis(screen).column(of: Screen.wall(6_010)) > TimelineTests.axis(screen).columns - 8)
    }

    @Test func ticksAreReadable() {
        let labels: [(UInt64, UInt64, String)] = [
            (0, 5, "0"), (2_000, 1_000, "0.002ms"), (20_000, 20_000, "0.02ms"), (1_500_000, 100_000, "1.5ms"),
            (250_000_000, 50_000_000, "250ms"), (1_250_000_000, 50_000_000, "1.25s"),
            (1_200_000_000, 200_000_000, "1.2s"), (3_000_000_000, 1_000_000_000, "3s"),
            (90_000_000_000, 30_000_000_000, "1m30s"), (1_001_000_000, 1_000_000, "1.001s"),
            (3_730_000_000_000, 10_000_000_000, "1h02m10s"), (3_720_000_000_000, 60_000_000_000, "1h02m"),
            (90_300_000_000_000, 300_000_000_000, "1d01h05m"), (90_000_000_000_000, 3_600_000_000_000, "1d01h"),
            (90_305_000_000_000, 5_000_000_000, "1d01h05m05s"),
        ]
        for (duration, distance, text) in labels { #expect(TimeAxis.label(duration, distance: distance) == text) }
        for scale in TimeAxis.scales {
            let distance = TimeAxis(left: 0, scale: scale, columns: 100).tickDistance(columnsApart: 10)
            for hours in [0, 1, 24, 50, 1_000, 30_000] as [UInt64] {
                let first = hours * 3_600_000_000_000 / distance
                let texts = (first...first + 10).map { TimeAxis.label($0 * distance, distance: distance) }
                #expect(Set(texts).count == texts.count, "\(texts)")
            }
        }
        for scale in TimeAxis.scales {
            for shift in [0, 3, 1_000_007] as [UInt64] {
                let axis = TimeAxis(left: 1_790_000_000_000_000_000 + shift, scale: scale, columns: 100)
                let distance = axis.tickDistance(columnsApart: 10)
                let ticks = axis.ticks(every: distance, from: axis.left - shift)
                #expect(ticks.count <= 11)
                #expect(zip(ticks, ticks.dropFirst()).allSatisfy { axis.column(of: $1) - axis.column(of: $0) >= 9 })
            }
        }
    }
}

extension Screen {
    /// Selects the last node that runs in the chain on the screen.
    fileprivate mutating func selectLastRunningNode() {
        type("G")
        for _ in 0..<50
        where !(state.selectedNode.map { state.programs[0].forest.node($0.node).activity == .running } ?? false) {
            type("k")
        }
    }
}

// SPDX-License-Identifier: MIT
