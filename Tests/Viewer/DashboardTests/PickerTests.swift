import ChainEvents
import Foundation
import Frames
import GoldenSupport
import Testing

@testable import ChainListing
@testable import Dashboard

/// The list of programs to attach to: as a table, and as a picker.
struct PickerTests {
    private static let wall: UInt64 = 1_790_000_100_000_000_000

    private static func process(
        _ pid: Int32, _ name: String, age: Double = 5, live: UInt64 = 3, readOnly: Bool = false, problem: String? = nil
    ) -> ListedProcess {
        let info = ProcessDescription(
            key: ProcessKey(rawValue: UInt64(pid)), pid: pid, name: name, wallOffset: 0,
            startTime: wall - UInt64(age * 1e9), isReadOnly: readOnly)
        let totals = ProcessTotals(
            chainCount: 12, nodeCount: 1_480, liveCount: live, runningCount: 2, rejectedCount: 1, viewerCount: 0)
        return ListedProcess(
            target: "\(pid)", pid: pid, info: problem == nil ? info : nil, totals: totals, problem: problem)
    }

    private static let few = [
        process(4242, "checkout", age: 83), process(4711, "shop", live: 12_345, readOnly: true),
        process(5000, "hung", problem: "it does not answer"),
    ]

    private func picker(
        _ processes: [ListedProcess] = few, _ columns: Int = 100, _ rows: Int = 12, glyphs: Glyphs = .unicode
    ) -> Picker {
        var picker = Picker(size: Size(columns: columns, rows: rows), glyphs: glyphs)
        picker.take(processes)
        return picker
    }

    /// Presses keys; returns the last outcome.
    private func type(_ keys: String, into picker: inout Picker) -> Picker.Outcome? {
        var outcome: Picker.Outcome?
        for key in keys { outcome = picker.press(key == "\r" ? KeyPress(.enter) : .character(key)) ?? outcome }
        return outcome
    }

    /// Nothing is known of its tasks before they are read.
    @Test func aProgramThatIsReadFromOutsideHasNoCounts() {
        var process = Self.process(6000, "unprepared", live: 0)
        process.info?.isReadFromOutside = true
        process.totals = ProcessTotals()
        var picker = picker([process] + Self.few)
        picker.take([process] + Self.few, at: Self.wall)
        let lines = picker.render(wall: Self.wall).plainText().split(separator: "\n")
        let row = lines.first { $0.contains("unprepared") } ?? ""
        #expect(row.contains("6000") && row.contains("not prepared"), "\(row)")
        #expect(!row.contains("·") && !row.contains(" 0"), "\(row)")
    }

    @Test(arguments: [(200, 12), (100, 12), (60, 8), (24, 5)])
    func theListLooksAsItShould(columns: Int, rows: Int) {
        var picker = picker(Self.few, columns, rows)
        // A list a second; in the last ten, more is in flight, and two chains fail.
        for second in 1...60 as ClosedRange<UInt64> {
            var processes = Self.few
            if second > 50 {
                processes[0].totals.liveCount = second
                processes[0].totals.rejectedCount += 2
            }
            picker.take(processes, at: Self.wall - (60 - second) * 1_000_000_000)
        }
        let frame = picker.render(wall: Self.wall)
        #expect(Golden.complaint(about: frame.golden(), named: "picker/\(columns)x\(rows)") == nil)
    }

    @Test func anEmptyPickerShowsWhatToTry() {
        let frame = picker([]).render(wall: Self.wall)
        #expect(Golden.complaint(about: frame.golden(), named: "picker/empty") == nil)
        #expect(Picker(size: frame.size).render(wall: 0).plainText().contains("looking for programs"))
        let small = picker([], 100, 20, glyphs: .ascii).render(wall: Self.wall).plainText()
        #expect(small.contains("chainview demo") && small.contains("CHAINVIEW=1") && small.contains("chainview run"))
        #expect(small.utf8.allSatisfy { $0 < 0x80 })
    }

    @Test(arguments: [
        ("\r", 4242), ("j\r", 4711), ("jk\r", 4242), ("2\r", 4711), ("G1\r", 4242), ("kkk\r", 4242), ("jg\r", 4242),
    ])
    func keysChoose(keys: String, pid: Int32) {
        var picker = picker()
        guard case .chosen(let process)? = type(keys, into: &picker) else { Issue.record("\(keys)"); return }
        #expect(process.pid == pid)
    }

    @Test(arguments: [30, 40, 50, 60, 100]) func theFooterSaysHowToQuit(columns: Int) {
        var picker = picker(Self.few, columns)
        #expect(picker.render(wall: Self.wall).rowText(11).contains("q quit"))
        _ = type("/s\r", into: &picker)
        #expect(picker.render(wall: Self.wall).rowText(11).contains("q quit"))
    }

    @Test func leavingIsOneKey() {
        for key in [KeyPress.character("q"), KeyPress(.escape), .control("c")] {
            var picker = picker()
            #expect(picker.press(key) == .quit)
        }
    }

    @Test(arguments: [KeyPress.character("x"), .character("?"), .character("0"), KeyPress(.tab), .control("f")])
    func everyOtherKeySaysWhichKeysThereAre(_ key: KeyPress) {
        var picker = picker()
        #expect(picker.press(key) == nil)
        let line = picker.render(wall: Self.wall).rowText(11)
        #expect(line.contains("\(key) is not bound") && line.contains("q quits"), "\(line)")
        _ = picker.press(.character("j"))
        #expect(!picker.render(wall: Self.wall).rowText(11).contains("not bound"))
    }

    @Test func aMessageSaysWhyThereIsNothingToChoose() {
        var picker = picker()
        #expect(type("3\r", into: &picker) == nil)
        #expect(picker.render(wall: Self.wall).rowText(11).contains("it does not answer"))
        #expect(type("7", into: &picker) == nil)
        #expect(picker.render(wall: Self.wall).rowText(11).contains("there is no row 7"))
        var empty = self.picker([])
        #expect(type("j1\r", into: &empty) == nil)
        #expect(empty.render(wall: Self.wall).rowText(11).contains("nothing to attach to"))
    }

    @Test func theSelectionIsAProgramNotARow() {
        var picker = picker()
        _ = type("j", into: &picker)
        picker.take([Self.process(17, "new")] + Self.few)
        #expect(picker.processes.map(\.pid) == [4242, 17, 4711, 5000])
        picker.take([Self.few[1], Self.process(17, "new")])
        #expect(type("\r", into: &picker) == .chosen(Self.few[1]))
        picker.take([Self.process(17, "new")])
        #expect(picker.render(wall: Self.wall).rowText(11).contains("the selected program is gone"))
        picker.take([])
        #expect(type("\r", into: &picker) == nil)
    }

    @Test func aKeyNeverAttachesToAProgramThatTookAnothersRow() {
        var picker = picker()
        _ = type("j", into: &picker)
        picker.take([Self.few[0]])
        #expect(picker.press(KeyPress(.enter)) == nil)
        #expect(!picker.render(wall: Self.wall).rowText(11).contains("is gone"))
        #expect(picker.press(KeyPress(.enter)) == .chosen(Self.few[0]))
        // After a move Enter attaches at once, because the user has chosen the row.
        picker.take([Self.few[1], Self.process(17, "new")])
        #expect(picker.processes.map(\.pid) == [17, 4711])
        #expect(type("j\r", into: &picker) == .chosen(Self.few[1]))
        picker.take([Self.process(17, "new")])
        #expect(picker.click(Mouse(.press, .left, row: 2, column: 9)) == nil)
        #expect(picker.click(Mouse(.press, .left, row: 2, column: 9)) == .chosen(Self.process(17, "new")))
    }

    @Test func busyProgramsComeFirstAndColumnsSort() {
        let all = [Self.process(1, "idle", live: 0), Self.process(2, "zebra"), Self.process(3, "ant", live: 900)]
        var picker = picker(all)
        #expect(picker.processes.map(\.name) == ["ant", "zebra", "idle"])
        _ = type("S", into: &picker)
        #expect(picker.processes.map(\.name) == ["idle", "ant", "zebra"])
        _ = type("s", into: &picker)
        #expect(picker.render(wall: Self.wall).rowText(11).contains("sorted by program: from A to Z"))
        #expect(picker.processes.map(\.name) == ["ant", "idle", "zebra"])
        _ = type("sss", into: &picker)
        #expect(picker.render(wall: Self.wall).rowText(11).contains("sorted by failed/min"))
    }

    /// A program says how many failed chains it keeps, and not when they failed.
    @Test func failuresAreCountedOnceTheyAreKnown() throws {
        var process = Self.process(1, "shop")
        func figure(_ picker: Picker) throws -> String {
            let frame = picker.render(wall: Self.wall)
            let title = try #require(frame.rowText(1).range(of: "failed/min"))
            let (head, row) = (frame.rowText(1), Array(frame.rowText(2)))
            let start = head.distance(from: head.startIndex, to: title.lowerBound)
            return String(row[start..<start + "failed/min".count]).filter { $0 != " " }
        }
        var failed = picker([process])
        for second in 1...59 as ClosedRange<UInt64> {
            failed.take([process], at: Self.wall + second * 1_000_000_000)
            #expect(try figure(failed) == "")
        }
        process.totals.rejectedCount += 2
        failed.take([process], at: Self.wall + 60_000_000_000)
        #expect(try figure(failed) == "2")
        process.totals.rejectedCount = 0
        var new = picker([process])
        new.take([process], at: Self.wall)
        process.totals.rejectedCount = 2
        new.take([process], at: Self.wall + 1_000_000_000)
        #expect(try figure(new) == "2", "no chain had failed before")
    }

    @Test func aFilterShowsSomeOfThem() {
        var picker = picker((1...44).map { Self.process($0, $0 % 2 == 0 ? "shop" : "stock") })
        func head() -> String { picker.render(wall: Self.wall).rowText(0) }
        #expect(head().contains("44 programs to attach to"))
        _ = type("/SHOP", into: &picker)
        #expect(head().contains("22 of 44 programs") && picker.render(wall: Self.wall).rowText(11).contains("/SHOP"))
        // While it is typed, letters are text; Enter keeps it, and Enter attaches.
        _ = type("qs", into: &picker)
        #expect(picker.processes.isEmpty && type("\r\r", into: &picker) == nil)
        #expect(picker.render(wall: Self.wall).rowText(11).contains("no program holds SHOPqs; Esc shows all"))
        #expect(picker.press(KeyPress(.escape)) == nil && head().contains("44 programs to attach to"))
        _ = type("/stox", into: &picker)
        _ = picker.press(KeyPress(.backspace))
        guard case .chosen(let process)? = type("\r\r", into: &picker) else { Issue.record("nothing chosen"); return }
        #expect(
            process.name == "stock" && picker.press(KeyPress(.escape)) == nil
                && picker.press(KeyPress(.escape)) == .quit)
    }

    @Test func everyKeyAnswers() {
        var picker = picker()
        for key in [KeyPress.character("r"), .character("?"), KeyPress(.tab), .control("d")] {
            #expect(picker.press(key) == nil)
            #expect(picker.render(wall: Self.wall).rowText(11).contains("is not bound"), "\(key)")
        }
    }

    @Test func longListsScroll() {
        var picker = picker((1...50).map { Self.process($0, $0 < 10 ? "p0\($0)" : "p\($0)") }, 80, 10)
        func shown() -> [String] { (2..<9).map { picker.render(wall: Self.wall).rowText($0) } }
        #expect(shown().first?.contains(" p01 ") ?? false)
        _ = picker.press(KeyPress(.end))
        #expect(shown().last?.contains(" p50 ") ?? false && shown().last?.hasPrefix("›") ?? false)
        _ = picker.press(KeyPress(.pageUp))
        #expect(shown().contains { $0.hasPrefix("›") && $0.contains(" p43 ") })
        picker.resize(Size(columns: 80, rows: 5))
        #expect((2..<4).contains { picker.render(wall: Self.wall).rowText($0).hasPrefix("›") })
        _ = picker.press(KeyPress(.home))
        #expect(picker.render(wall: Self.wall).rowText(2).hasPrefix("›"))
    }

    @Test func theMouseChooses() {
        var picker = picker()
        #expect(picker.click(Mouse(.press, .left, row: 3, column: 9)) == nil)
        #expect(picker.render(wall: Self.wall).rowText(3).hasPrefix("›"))
        #expect(picker.click(Mouse(.press, .left, row: 9, column: 9)) == nil)
        #expect(picker.click(Mouse(.press, .left, row: 3, column: 9)) == .chosen(Self.few[1]))
        #expect(picker.click(Mouse(.wheelUp, row: 3, column: 9)) == nil)
        #expect(picker.render(wall: Self.wall).rowText(2).hasPrefix("›"))
    }

    @Test func everySizeIsFilled() {
        for columns in 0...30 {
            for rows in 0...6 {
                let frame = picker(Self.few, columns, rows).render(wall: Self.wall)
                #expect(frame.size == Size(columns: columns, rows: rows))
            }
        }
    }

    @Test func hostileNamesAreHarmless() throws {
        let hostile = Self.process(1, ListingTests.hostile)
        let frame = picker([hostile], 120, 6).render(wall: Self.wall)
        #expect(ListingTests.isHarmless(frame.plainText().replacing("\n", with: "")))
        for charset in [Charset.unicode, .ascii] {
            let text = ProcessTable.text([hostile], wall: Self.wall, charset: charset)
            #expect(ListingTests.isHarmless(text.replacing("\n", with: "")) && text.split(separator: "\n").count == 2)
        }
        let json = ProcessTable.json([hostile], wall: Self.wall)
        #expect(ListingTests.isHarmless(json.replacing("\n", with: "")))
        let list = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])
        #expect(list[0]["name"] as? String == ListingTests.hostile)
    }

    @Test func theTableHasALinePerProgram() {
        #expect(
            ProcessTable.text(Self.few, wall: Self.wall) == """
                NAME          PID     AGE  CHAINS   NODES    LIVE RUNNING   FAILED VIEWERS
                checkout     4242   1m23s      12    1.4k       3       2        1       0
                shop         4711    5.0s      12    1.4k     12k       2        1       0  read-only
                ?            5000                                                           it does not answer

                """)
    }

    @Test func theListNamesMissingFactsOfTasks() throws {
        var process = Self.few[1]
        process.info?.missingTaskFacts = [.stack, .parent]
        process.info?.flightRecorder = .ended
        let text = ProcessTable.text([process], wall: Self.wall)
        #expect(
            text.contains(
                "read-only; does not show where tasks are suspended, the parents of async let; its flight recorder has ended\n"
            ))
        let json = ProcessTable.json([process], wall: Self.wall)
        #expect(json.contains(#""missing":["where tasks are suspended","the parents of async let"]"#))
    }

    @Test func theTableIsAJSONArray() throws {
        #expect(ProcessTable.json([], wall: 0) == "[]\n")
        let json = ProcessTable.json(Self.few, wall: Self.wall)
        let list = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])
        let names: Set = [
            "target", "pid", "name", "run", "recordingSince", "age", "isReadFromOutside", "isReadOnly", "chains",
            "nodes", "live",
            "running", "rejected", "viewers", "missing", "flightRecorder", "problem",
        ]
        for process in list { #expect(Set(process.keys) == names) }
        #expect(list[0]["age"] as? Double == 83 && list[0]["nodes"] as? Int == 1_480 && list[0]["problem"] is NSNull)
        #expect(list[2]["name"] is NSNull && list[2]["problem"] as? String == "it does not answer")
    }
}

// SPDX-License-Identifier: MIT
