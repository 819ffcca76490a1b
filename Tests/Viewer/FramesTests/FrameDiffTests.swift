import SeededNumbers
import Testing

@testable import Frames

@Suite struct FrameDiffTests {
    @Test(arguments: [UInt64](1...40))
    func applyingADifferenceGivesTheNewFrame(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var size = Size(columns: 1 + random.next(30), rows: 1 + random.next(8))
        var old = Frame(size: size)
        for _ in 0..<40 {
            if random.next(10) == 0 { size = Size(columns: random.next(30), rows: random.next(8)) }
            var new = old.size == size ? old : Frame(size: size)
            if size.columns > 0, size.rows > 0 { for _ in 0..<random.next(5) { random.draw(into: &new) } }
            let diff = FrameDiff(from: old, to: new)
            #expect(diff.applied(to: old) == new)
            #expect(FrameDiff(from: new, to: new).isEmpty)
            for run in diff.runs {
                #expect(!run.cells.isEmpty && run.column + run.cells.count <= size.columns)
                #expect(!run.cells.first!.isContinuation && run.cells.last!.width != 2)
            }
            old = new
        }
    }

    @Test func aDifferenceHoldsOnlyChanges() {
        var old = Frame(size: Size(columns: 40, rows: 3))
        old.write("0123456789", row: 1, column: 0)
        var new = old
        new.write("x", row: 1, column: 2)
        new.write("y", row: 1, column: 5)
        new.write("z", row: 1, column: 30)
        let runs = FrameDiff(from: old, to: new).runs
        #expect(runs.map(\.row) == [1, 1])
        #expect(runs.map(\.column) == [2, 30])
        #expect(runs.map(\.cells.count) == [4, 1])
        #expect(FrameDiff(from: old, to: new, gapLimit: 0).runs.count == 3)
    }

    @Test func halvesOfOldWideCharactersAreRewritten() {
        var old = Frame(size: Size(columns: 8, rows: 1))
        old.write("a日b", row: 0, column: 0)
        var new = old
        new.write("x", row: 0, column: 2)
        let runs = FrameDiff(from: old, to: new).runs
        #expect(runs.count == 1 && runs[0].column == 1 && runs[0].cells.map(\.text) == [" ", "x"])
    }

    @Test func aChangeOfStyleAloneCounts() {
        var old = Frame(size: Size(columns: 8, rows: 2))
        old.write("text", row: 0, column: 0)
        var new = old
        new.restyle(row: 0) { $0.selected }
        #expect(FrameDiff(from: old, to: new).runs.map(\.cells.count) == [8])
    }

    @Test func aWholeFrameWritesEveryCell() {
        var frame = Frame(size: Size(columns: 6, rows: 3))
        frame.write("漢字!", row: 1, column: 0, style: .label)
        let whole = FrameDiff(whole: frame)
        #expect(whole.runs.map(\.cells.count) == [6, 6, 6])
        var other = Frame(size: frame.size)
        other.fill(row: 0, column: 0, rows: 3, columns: 6, style: .rejected)
        #expect(whole.applied(to: other) == frame)
        #expect(FrameDiff(whole: Frame(size: Size(columns: 0, rows: 3))).isEmpty)
    }
}

extension FrameDiff {
    /// Returns the frame that results on a screen that showed `old`.
    fileprivate func applied(to old: Frame) -> Frame {
        var frame = old.size == size ? old : Frame(size: size, charset: old.charset)
        for run in runs {
            let start = run.row * size.columns + run.column
            frame.cells.replaceSubrange(start..<start + run.cells.count, with: run.cells)
        }
        return frame
    }
}

// SPDX-License-Identifier: MIT
