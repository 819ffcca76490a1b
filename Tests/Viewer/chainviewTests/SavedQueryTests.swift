import ChainInsight
import Dashboard
import Foundation
import TerminalHarness
import Testing

/// `ps --where '@name'`, the names of marks in its help, and `--debug-statistics`.
@Suite(.serialized, .onItsOwnThread) struct SavedQueryTests {
    private func write(_ configuration: String, _ place: Place) throws {
        let folder = place.path + "/config/chainview"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try configuration.write(toFile: folder + "/config.toml", atomically: true, encoding: .utf8)
    }

    @Test func anUnknownSavedQueryIsAnError() throws {
        let place = Place()
        let none = try place.run("ps shop --where @nope")
        #expect(
            none.status == 64 && none.errors.contains("no saved query nope: @failed @live @slow @stuck"), "\(none)")
        try write("[queries]\nslow = \"run>100ms\"\nbad = \"state:rejected\"\n", place)
        let unknown = try place.run("ps shop --where @nope --json")
        #expect(
            unknown.status == 64 && unknown.errors.contains("no saved query nope: @bad @failed @live @slow @stuck"),
            "\(unknown)")
        #expect(unknown.output.isEmpty)
    }

    @Test func aSavedQueryIsWhatItStandsFor() throws {
        let place = Place()
        try write("[queries]\nfirst = \"\\\"order 1\\\"\"\n", place)
        let probe = try place.probe()
        for number in 1...2 { try probe.tell("chain order \(number)") }
        try place.run("ps shop", untilItPrints: "6 live")
        let found = try place.run("ps shop --where @first")
        #expect(found.status == 0 && found.output.contains("order 1") && !found.output.contains("order 2"), "\(found)")
        let part = try place.run("ps shop --where 'live not @first'")
        #expect(part.status == 0 && part.output.contains("order 2") && !part.output.contains("order 1"), "\(part)")
        let unknown = try place.run("ps shop --where 'live @nope'")
        #expect(unknown.status == 64 && unknown.errors.contains("there is no saved query nope"), "\(unknown)")
    }

    @Test func aSavedQueryStandsBesideKindsOfEvents() throws {
        let saved = ["mine": "label:order"]
        for text in ["event:rejected @mine", "@mine event:rejected"] {
            let query = try SavedQueries.eventQuery(text, among: saved)
            #expect(query.eventKinds == [.rejected])
            #expect(query.findsSame(as: try Query("label:order").restricted(to: [.rejected], text: text)))
        }
        #expect(throws: QueryError.self) { try SavedQueries.eventQuery("event:rejected @other", among: saved) }
        #expect(try Query("@mine").plainText == "@mine", "without a list of saved queries it is a text")
    }

    @Test func theQueuesArePrintedAtTheEnd() throws {
        let outcome = try Shell.run("demo storm --headless --for 500ms --debug-statistics")
        #expect(outcome.status == 0 && outcome.output.contains("live"), "\(outcome)")
        let lines = outcome.errors.split(separator: "\n").map { $0.split(separator: " ") }
        #expect(lines.first?.suffix(4) == ["queue", "now", "most", "limit"], "\(outcome.errors)")
        #expect(lines.count > 15, "\(outcome.errors)")
        for line in lines.dropFirst() {
            let numbers = line.suffix(3).compactMap { Int($0) }
            #expect(numbers.count == 3 && numbers[0] <= numbers[1] && numbers[1] <= numbers[2], "\(line)")
        }
    }

    @Test func theHelpNamesTheMarks() throws {
        let help = try Shell.run("ps --help").output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for mark in ["cancelRequested", "hasBlocked", "hasMisusedAwait", "stillOnThread"] {
            #expect(help.contains(mark))
        }
    }
}

// SPDX-License-Identifier: MIT
