import ChainEvents
import ChainInsight
import ChainListing
import Foundation
import TerminalHarness
import TestWaits
import Testing

@testable import chainview

/// `chainview events`, and the selection and the JSON behind it.
@Suite(.serialized, .onItsOwnThread) struct EventsCommandTests {
    /// Returns the events that a query selects.
    private func selected(_ query: String, _ batches: [EventBatch] = EventBatch.seconds(3)) throws -> [String] {
        var selection = EventSelection(process: ProcessDescription.recorded.key, query: try QueryArgument.events(query))
        var lines: [String] = []
        for batch in batches {
            selection.apply(batch) { event, _, _ in lines.append("\(event.node.rawValue) \(event.kind)") }
        }
        return lines
    }

    @Test func aQuerySeesTheNodeRightAfterTheEvent() throws {
        #expect(try selected("").count == 6)
        // Made and rejected in one batch: the first event finds it live.
        #expect(try selected("live") == ["1 created", "2 created", "3 created"])
        #expect(try selected("state:rejected") == ["1 rejected", "2 rejected", "3 rejected"])
        #expect(try selected("event:rejected label:'order 2'".replacing("'", with: "\"")) == ["2 rejected"])
        // The word for the event.
        #expect(try selected("made") == ["1 created", "2 created", "3 created"])
        #expect(try selected("error:declined #3") == ["3 rejected"])
        #expect(try selected("@failed").count == 3)
        // No rejection is reported as unhandled, and no node is live for long.
        #expect(try selected("warning:any").isEmpty)
    }

    @Test func eventsComeInTheOrderOfTime() throws {
        var batch = EventBatch.seconds(1)[0]
        batch.events.reverse()
        #expect(try selected("", [batch]) == ["1 created", "1 rejected"])
    }

    @Test func lossesAreCountedFromTheFirstBatch() {
        var selection = EventSelection(process: ProcessDescription.recorded.key)
        for (batch, lost) in zip(EventBatch.seconds(3), [5, 5, 9] as [UInt64]) {
            var batch = batch
            batch.loss.lostInRings = lost
            selection.apply(batch) { _, _, _ in }
        }
        #expect(selection.lostCount == 4)
    }

    @Test func theJSONOfAnEventIsStable() throws {
        var selection = EventSelection(process: ProcessDescription.recorded.key)
        var lines: [String] = []
        for batch in EventBatch.seconds(1) {
            selection.apply(batch) { event, text, forest in
                lines.append(EventJSON.object(event, text: text, in: forest, wallOffset: 1_000_000_000))
            }
        }
        #expect(
            lines == [
                #"{"time":2.0,"event":"made","node":1,"kind":"promise","label":"order 1","chain":1,"other":null,"text":"order 1","flags":[],"thread":"3","threadID":3,"executor":null,"file":"Shop/Order.swift","line":42,"function":null}"#,
                #"{"time":2.5,"event":"rejected","node":1,"kind":"promise","label":"order 1","chain":1,"other":null,"text":"declined","flags":["handlerEnded"],"thread":"3","threadID":3,"executor":null,"file":"Shop/Order.swift","line":42,"function":null}"#,
            ])
    }

    @Test func aRecordingsEventsArePrinted() throws {
        let place = Place()
        try place.recording()
        let all = try place.run("events shop.chain")
        #expect(all.status == 0 && all.errors.isEmpty && all.lineCount == 10, "\(all)")
        #expect(all.output.contains(/(?m)^\d\d:\d\d:\d\d.500  3 +rejected    #1 order 1  declined$/), "\(all)")
        let some = try place.run("events shop.chain@1.2s --json --where 'event:rejected'")
        #expect(some.status == 0 && some.lineCount == 3, "\(some.output)")
        for line in some.output.split(separator: "\n") {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            #expect(Set(object?.keys.map { $0 } ?? []) == Set(EventJSON.fields))
        }
        // The reader of the pipe is gone.
        let first = try place.run("events shop.chain | head -1")
        #expect(first.status == 0 && first.lineCount == 1 && first.errors.isEmpty, "\(first)")
        #expect(try place.run("events shop.chain >/dev/full").status == 74)
        for (words, status) in [("events shop.chain --where 'event:nope'", 64), ("events none", 66), ("events", 64)] {
            #expect(try place.run(words).status == Int32(status), "\(words)")
        }
    }

    /// The program's own state, which follows the recording's first keyframe, is no sign of a loss.
    @Test func aRecordingsFirstStatesAreExpected() throws {
        let place = Place()
        let shop = try place.probe()
        try shop.tell("chain order 17")
        try place.record("shop", into: "shop.chain")
        let events = try place.run("events shop.chain")
        #expect(events.status == 0 && events.errors.isEmpty, "\(events)")
        // A later state is one.
        func batch(_ time: UInt64, _ resync: Resync?) -> EventBatch {
            var batch = EventBatch(process: ProcessDescription.recorded.key, sequence: 1, time: time * 1_000_000_000)
            batch.resync = resync
            return batch
        }
        let batches = [
            batch(1, .begin(epoch: 1)), batch(1, .end(epoch: 1)), batch(2, nil), batch(3, .begin(epoch: 3)),
            batch(3, .end(epoch: 3)),
        ]
        try place.recording("lossy.chain", batches)
        let lossy = try place.run("events lossy.chain")
        #expect(lossy.errors.contains("rereading state"), "\(lossy)")
        #expect(try place.run("events lossy.chain@2s").errors.isEmpty)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGKILL])
    func aProgramsEventsAreStreamedUntilTheEnd(signal: Int32) throws {
        let place = Place()
        let shop = try place.probe()
        try shop.tell("chain order 17")
        let process = Process()
        let (output, errors) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: builtProduct("chainview"))
        process.arguments = ["events", "shop", "--json", "--where", "label:\"order 105\""]
        process.environment = PseudoTerminal.standardEnvironment.merging(place.environment) { $1 }
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        // Each event is printed at once, though the program is busy: the output would fill a buffer only after 90 s.
        // Events from before the command attached are not printed.
        var read = ""
        var attempt = 0
        let isPrinted = try wait {
            try shop.tell("chain order \(100 + attempt % 200)")
            attempt += 1
            var entry = pollfd(fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, 10) > 0 else { return false }
            read += String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            return true
        }
        #expect(isPrinted)
        #expect(read.contains("\"event\":\"made\"") && read.contains("order 105"), "\(read)")
        #expect(!read.contains("\"order 17\""), "\(read)")
        // The end of the program ends the command, too.
        if signal == SIGKILL { shop.end(by: signal) } else { kill(process.processIdentifier, signal) }
        process.waitUntilExit()
        #expect(process.terminationStatus == (signal == SIGTERM ? SIGTERM : 0))
        let errorText = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        // On a busy machine the program may send its state again.
        let lines = errorText.split(separator: "\n").filter { !$0.contains("rereading state") }
        #expect(lines.count == (signal == SIGKILL ? 1 : 0), "\(errorText)")
    }
}

// SPDX-License-Identifier: MIT
