import ChainEvents
import Frames
import Testing

@testable import Dashboard

/// The time strip of a recording: its columns, what is drawn, where a click goes, and what it costs.
@Suite struct TimeStripTests {
    private static let second: UInt64 = 1_000_000_000
    private static let range: ClosedRange<UInt64> = 1...(120 * second + 1)

    /// Two minutes in steps of 100 ms: running handlers rise and fall, rejections at 30 s and 31 s, warnings from 60 to 70 s.
    private static let series = ReplaySeries(
        start: 1, interval: 100_000_000,
        entries: (0..<1_200).map { (index: Int) -> ReplaySeries.Entry in
            let rejected: UInt32 = index == 300 ? 2 : index == 310 ? 1 : 0
            let running = UInt32(min(index, 1_200 - index) / 60)
            let warnings: UInt32 = (600..<700).contains(index) ? 1 : 0
            return ReplaySeries.Entry(rejected: rejected, running: running, warnings: warnings)
        })

    private static func screen(_ columns: Int, _ rows: Int, options: State.Options = .init()) -> Screen {
        var screen = Screen(columns, rows, options: options, connected: false)
        var script = Script()
        script.make(1, .work, "order 17", site: "Shop/Order.swift:41")
        script.start(1)
        let position = ReplayPosition(time: 45 * second, range: range)
        screen.act(
            .replayed(
                SourceID(0),
                ReplayStep(process: Script.process, isFresh: true, batches: [script.batch], position: position)))
        screen.act(.series(series))
        screen.act(.marks([ReplayMark(time: 90 * second, name: "after"), ReplayMark(time: 10 * second, name: "boot")]))
        screen.tick(45_000)
        return screen
    }

    /// Shows another moment.
    private static func move(_ screen: inout Screen, to time: UInt64, of range: ClosedRange<UInt64> = range) {
        let position = ReplayPosition(time: time, range: range)
        screen.act(
            .replayed(
                SourceID(0), ReplayStep(process: Script.process, isFresh: false, batches: [], position: position)))
    }

    @Test(arguments: [Size(columns: 80, rows: 24), Size(columns: 120, rows: 40), Size(columns: 200, rows: 60)])
    func itIsDrawn(_ size: Size) {
        GoldenTests.check(Self.screen(size.columns, size.rows), "replay/strip-\(size)")
    }

    @Test func itIsDrawnInASCII() {
        GoldenTests.check(Self.screen(120, 40, options: .init(glyphs: .ascii)), "replay/strip-ascii-120x40")
        GoldenTests.check(Self.screen(40, 20, options: .init(glyphs: .ascii)), "replay/strip-ascii-40x20")
    }

    @Test func itTakesNoRoomWhereThereIsNone() {
        #expect(Layout(Self.screen(80, 13).state).strip == nil)
        #expect(Layout(Self.screen(80, 14).state).strip?.rows == 1)
        #expect(Layout(Self.screen(80, 30).state).strip?.rows == 2)
        #expect(Layout(Screen(80, 40).state).strip == nil, "of a live program")
    }

    /// Each rejection is in one column; levels hold until the next interval.
    @Test(arguments: [1, 7, 60, 100, 1_200, 5_000]) func columnsHoldAllThatWasCounted(_ width: Int) {
        var strip = TimeStrip()
        strip.show(Self.series)
        strip.update(range: Self.range, width: width)
        #expect(strip.columns.count == width)
        #expect(strip.columns.reduce(0) { $0 + $1.rejected } == 3)
        #expect(strip.columns.map(\.running).max() == 10)
        let column = TimeStrip.column(of: 65 * Self.second, in: Self.range, width)
        #expect(strip.columns[column].warnings == 1 && strip.columns[column].running >= 9)
        let before = TimeStrip.column(of: 15 * Self.second, in: Self.range, width)
        #expect(width < 7 || strip.columns[before].warnings == 0)
    }

    /// A column's moment is in the column, whatever the range.
    @Test(
        arguments: [
            1...1, 1...2, 5...104, 0...UInt64.max, (UInt64.max - 10)...UInt64.max, 1...(120 * second + 1),
        ] as [ClosedRange<UInt64>])
    func columnsAndMomentsAgree(_ range: ClosedRange<UInt64>) {
        for width in [1, 2, 10, 181] {
            for column in 0..<width {
                let moment = TimeStrip.moment(of: column, in: range, width)
                #expect(range.contains(moment))
                if range.upperBound - range.lowerBound >= 2 * UInt64(width) {
                    #expect(TimeStrip.column(of: moment, in: range, width) == column, "\(column) of \(width)")
                }
            }
            var strip = TimeStrip()
            strip.show(ReplaySeries(start: range.lowerBound, interval: .max, entries: [.init(running: 3), .init()]))
            strip.update(range: range, width: width)
            #expect(strip.columns[0].running == 3)
        }
    }

    /// The columns are made anew when the series, the width or the range changes, and not when the moment does.
    @Test func columnsAreMadeOnlyWhenNeeded() {
        var screen = Self.screen(120, 40)
        var known = screen.state.timeStrip.columns
        /// Whether the columns were made anew since the last call. The old ones are kept, so that their address is not
        /// reused.
        func isNew() -> Bool {
            let columns = screen.state.timeStrip.columns
            defer { known = columns }
            return known.withUnsafeBufferPointer(\.baseAddress) != columns.withUnsafeBufferPointer(\.baseAddress)
        }
        for milliseconds in 46..<96 {
            Self.move(&screen, to: UInt64(milliseconds) * 1_000_000_000)
            screen.tick(Double(milliseconds) * 1_000)
            _ = screen.text
        }
        #expect(!isNew())
        screen.act(.resized(Size(columns: 100, rows: 40)))
        #expect(isNew())
        Self.move(&screen, to: 45 * Self.second, of: 1...(200 * Self.second))
        #expect(isNew())
        screen.act(.series(ReplaySeries()))
        #expect(isNew())
        #expect(screen.state.timeStrip.columns.allSatisfy { $0 == TimeStrip.Column(isMarked: $0.isMarked) })
    }

    @Test func aClickAndADragMoveThere() throws {
        var screen = Self.screen(120, 40)
        let strip = try #require(Layout(screen.state).strip)
        let columns = TimeStripLayout(columns: 120)
        func mouse(_ action: Mouse.Action, _ column: Int, row: Int? = nil) -> [UInt64] {
            screen.effects = []
            screen.act(.mouse(Mouse(action, .left, row: row ?? strip.row, column: column)))
            return screen.effects.compactMap {
                if case .replay(SourceID(0), .scrub(let moment)) = $0 { moment } else { nil }
            }
        }
        #expect(mouse(.press, columns.start) == [1])
        #expect(mouse(.drag, columns.start + columns.width - 1) == [120 * Self.second + 1])
        // A drag may leave the strip.
        #expect(mouse(.drag, 119, row: 3) == [120 * Self.second + 1])
        let middle = try #require(mouse(.drag, columns.start + columns.width / 2).first)
        #expect(middle > 59 * Self.second && middle < 62 * Self.second)
        Self.move(&screen, to: middle)
        #expect(mouse(.drag, columns.start) == [1])
        // This moment is still shown, but the drag is sent, because a move away from it is on its way.
        #expect(mouse(.drag, columns.start + columns.width / 2) == [middle])
        #expect(mouse(.release, 50) == [] && mouse(.drag, 60) == [])
        #expect(screen.state.pointer.drag == nil)
        // The label stands for the beginning.
        #expect(mouse(.press, 0, row: strip.row + 1) == [1])
    }

    @Test func marksAreSetListedAndGoneTo() {
        var screen = Self.screen(120, 40)
        screen.type("M")
        screen.type(":mark the crash<Enter>")
        screen.type(":unmark boot<Enter>")
        screen.type(":at after<Enter>")
        let commands = screen.effects.compactMap { effect -> ReplayCommand? in
            if case .replay(SourceID(0), let command) = effect { command } else { nil }
        }
        #expect(commands == [.mark(nil), .mark("the crash"), .unmark("boot"), .seek(90 * Self.second)])
        screen.act(.marks([]))
        screen.type(":marks<Enter>")
        #expect(screen.message?.contains("M marks") == true)
        screen.type(":unmark<Enter>")
        #expect(screen.text.contains("say which mark"))
    }

    /// Types keys; returns the commands to the recording.
    private func commands(_ screen: inout Screen, _ keys: String) -> [ReplayCommand] {
        screen.effects = []
        screen.type(keys)
        return screen.effects.compactMap { if case .replay(_, let command) = $0 { command } else { nil } }
    }

    @Test func theListOfMarksGoesToThemAndRemovesThem() throws {
        var screen = Self.screen(120, 40)
        screen.type("'")
        // The last mark before the shown moment is selected.
        #expect(screen.state.mode == .marks(selected: 0))
        #expect(screen.text.contains(" 2 marks ") && screen.text.contains("9.999s   boot"))
        #expect(commands(&screen, "j<Enter>") == [.seek(90 * Self.second)] && screen.state.mode == .normal)
        #expect(commands(&screen, ":marks<Enter>Gd") == [.unmark("after")])
        screen.act(.marks([ReplayMark(time: 1, name: "\u{1B}[31mred")]))
        #expect(screen.text.contains(" 1 mark ") && !screen.text.contains("\u{1B}"))
        let box = MarksBox(screen.state, selected: 0)
        screen.effects = []
        screen.act(.mouse(Mouse(.press, .left, row: box.area.row + 1, column: box.area.column + 4)))
        #expect(screen.effects.last == .replay(SourceID(0), .seek(1)) && screen.state.mode == .normal)
        screen.type("'")
        screen.act(.mouse(Mouse(.press, .left, row: 1, column: 0)))
        #expect(screen.state.mode == .normal)
        screen.type("'")
        screen.act(.marks([]))
        #expect(screen.state.mode == .normal)
    }

    @Test func aLongListOfMarksIsScrolled() {
        var screen = Self.screen(60, 16)
        screen.act(.marks((1...100).map { ReplayMark(time: UInt64($0), name: "mark \($0)") }))
        screen.type("'g<PgDn><PgDn>")
        #expect(screen.text.contains("mark 23") && !screen.text.contains("mark 1 "))
        screen.type("G")
        #expect(screen.text.contains("mark 100"))
        screen.act(.resized(Size(columns: 40, rows: 10)))
        #expect(screen.text.contains("mark 100"))
    }

    @Test func namesWithBlanksAreCompletedAndMomentsAreNoNames() {
        var screen = Self.screen(120, 40)
        screen.act(.marks([ReplayMark(time: 7, name: "mark 1"), ReplayMark(time: 9, name: "end")]))
        #expect(commands(&screen, ":at mark<Tab><Enter>") == [.seek(7)])
        #expect(commands(&screen, ":unmark mark 1<Enter>") == [.unmark("mark 1")])
        #expect(commands(&screen, ":at mrak 1<Enter>") == [])
        #expect(screen.text.contains("no moment and no mark of that name: 12:04"))
        #expect(screen.state.typing.problem?.range == 3..<9)
        screen.type("<Esc>")
        // The end of the recording, not the mark of that name, which an old file of marks may have.
        #expect(commands(&screen, ":at end<Enter>") == [.seek(120 * Self.second + 1)])
        #expect(commands(&screen, ":mark end<Enter>") == [])
        #expect(screen.text.contains("end is a moment itself"))
    }

    @Test func aLiveProgramHasNoMarks() {
        var screen = Screen(100, 24)
        screen.type(":marks<Enter>")
        #expect(screen.text.contains("only moments of a recording have marks"))
    }
}

// SPDX-License-Identifier: MIT
