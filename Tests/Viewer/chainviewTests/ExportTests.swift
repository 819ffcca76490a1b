import Foundation
import TerminalHarness
import TestWaits
import Testing

/// `chainview export` on programs and recordings.
@Suite(.serialized, .onItsOwnThread) struct ExportTests {
    /// Starts a program with one chain that has settled, one that waits, and one with hostile texts.
    private func shop(in place: Place) throws -> Probe {
        let shop = try place.probe()
        try shop.tell("chain order 17")
        try shop.tell("settle order 17")
        try shop.tell("chain order 18")
        try shop.tell("hostile")
        return shop
    }

    private func objects(_ lines: String) throws -> [[String: Any]] {
        try lines.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    @Test func nodesAreLinesOfJSON() throws {
        let place = Place()
        let shop = try shop(in: place)
        let now = try place.run("export shop --jsonl")
        #expect(now.status == 0 && now.errors.isEmpty, "\(now)")
        let lines = try objects(now.output)
        #expect(lines.first?["name"] as? String == "shop" && lines.last?["type"] as? String == "end")
        #expect(lines.contains { $0["label"] as? String == "read order 17" && $0["state"] as? String == "fulfilled" })
        #expect(lines.contains { $0["label"] as? String == "read order 18" && $0["state"] as? String == "waiting" })

        // A recording has the same, and following ends by itself.
        try place.record("shop", into: "shop.chain")
        let recorded = try place.run("export shop.chain --jsonl -o shop.jsonl")
        #expect(recorded.status == 0 && recorded.output.isEmpty, "\(recorded)")
        let file = try String(contentsOfFile: place.path + "/shop.jsonl", encoding: .utf8)
        func labels(_ lines: [[String: Any]]) -> Set<String> { Set(lines.compactMap { $0["label"] as? String }) }
        #expect(labels(try objects(file)) == labels(lines))
        let mode = try FileManager.default.attributesOfItem(atPath: place.path + "/shop.jsonl")[.posixPermissions]
        #expect(mode as? Int == 0o600)
        let followed = try place.run("export shop --jsonl --for 300ms")
        #expect(labels(try objects(followed.output)) == labels(lines), "\(followed)")
        _ = shop
    }

    @Test func aMomentOfARecordingIsWhereItBegins() throws {
        let place = Place()
        try place.recording()
        for (source, nodes) in [
            ("shop.chain", [1, 2, 3, 4, 5]), ("shop.chain@1.2s", [3, 4, 5]), ("shop.chain --at end", []),
        ] as [(String, [Int])] {
            let written = try place.run("export \(source) --jsonl")
            #expect(written.status == 0 && written.errors.isEmpty, "\(written)")
            let ids = try objects(written.output).compactMap { $0["id"] as? Int }
            #expect(ids.sorted() == nodes, "\(source): \(written)")
        }
    }

    @Test func aTraceIsWrittenForPerfetto() throws {
        let place = Place()
        let shop = try shop(in: place)
        let written = try place.run("export shop --perfetto trace.json")
        #expect(written.status == 0 && written.output.isEmpty && written.errors.isEmpty, "\(written)")
        let data = try Data(contentsOf: URL(fileURLWithPath: place.path + "/trace.json"))
        let trace = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let events = try #require(trace["traceEvents"] as? [[String: Any]])
        #expect(events.contains { $0["name"] as? String == "map read order 17" && $0["ph"] as? String == "X" })
        let shown = try place.run("export shop --perfetto -")
        #expect(shown.status == 0 && shown.output.hasPrefix("{\"displayTimeUnit\""), "\(shown)")
        _ = shop
    }

    @Test func spansArePostedToACollector() throws {
        let place = Place()
        let shop = try shop(in: place)
        // The second answer refuses a span.
        let collector = try TestCollector(answers: [
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
            "HTTP/1.1 200 OK\r\nContent-Length: 61\r\nConnection: close\r\n\r\n"
                + #"{"partialSuccess":{"rejectedSpans":"1","errorMessage":"old"}}"#,
        ])
        let sent = try place.run("export shop --otlp http://127.0.0.1:\(collector.port)")
        #expect(sent.status == 0 && sent.errors.contains(/sent \d+ spans to http:/), "\(sent)")
        let request = try #require(collector.requests.first)
        #expect(request.hasPrefix("POST /v1/traces HTTP/1.1\r\n") && request.contains("Content-Type: application/json"))
        #expect(request.contains("\"read order 17\"") == false && request.contains("map read order 17"))
        let refused = try place.run("export shop --otlp http://localhost:\(collector.port)/v1/traces")
        #expect(refused.status == 77 && refused.errors.contains("1 was not accepted: old."), "\(refused)")
        _ = shop
    }

    /// Starts an export, waits for a condition, sends SIGINT, and returns the exit code and standard error.
    private func interrupted(
        _ arguments: [String], in place: Place, when condition: () -> Bool
    ) throws -> (status: Int32, errors: String) {
        let (process, errors) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: builtProduct("chainview"))
        process.arguments = ["export"] + arguments
        process.environment = PseudoTerminal.standardEnvironment.merging(place.environment) { $1 }
        process.currentDirectoryURL = URL(fileURLWithPath: place.path)
        process.standardError = errors
        try process.run()
        _ = wait(until: condition)
        kill(process.processIdentifier, SIGINT)
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationReason == .exit ? process.terminationStatus : -1, text)
    }

    @Test func aSignalEndsAnExportToASilentCollectorWithItsCount() throws {
        let place = Place()
        try place.recording()
        let collector = try TestCollector(answers: [""])
        let outcome = try interrupted(
            ["shop.chain", "--otlp", "http://127.0.0.1:\(collector.port)"], in: place,
            when: { !collector.requests.isEmpty })
        #expect(outcome.errors.contains("were not accepted: it did not answer before the end"), "\(outcome)")
        #expect(outcome.status == 69)
    }

    @Test func aFileThatIsRemovedMeanwhileIsReported() throws {
        let place = Place()
        let shop = try shop(in: place)
        let path = place.path + "/all.jsonl"
        let outcome = try interrupted(["shop", "--jsonl", "-o", path, "--follow"], in: place) {
            var facts = stat()
            return stat(path, &facts) == 0 && facts.st_size > 0 && unlink(path) == 0
        }
        #expect(outcome.status == 74 && outcome.errors.contains("all.jsonl was removed while it"), "\(outcome)")
        _ = shop
    }

    @Test func oneMomentIsDrawn() throws {
        let place = Place()
        let shop = try shop(in: place)
        try place.record("shop", into: "shop.chain")
        for (format, sign) in [
            ("--mermaid", "flowchart TD"), ("--dot", "digraph chains {"), ("--svg", "<svg xmlns"),
            ("--html", "<!doctype html>"),
        ] {
            for source in ["shop", "shop.chain", "shop.chain@end", "shop.chain --at -0s"] {
                let drawn = try place.run("export \(source) \(format)")
                #expect(drawn.status == 0 && drawn.output.contains(sign) && drawn.errors.isEmpty, "\(source): \(drawn)")
                #expect(drawn.output.contains("read order 17"), "\(source) \(format)")
                #expect(!drawn.output.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" }, "\(format)")
            }
            let live = try place.run("export shop \(format) --live --where 'order' --limit 1")
            #expect(live.status == 0 && !live.output.contains("read order 17"), "\(live)")
            #expect(live.errors.contains("2 nodes not shown"), "\(live)")
        }
        _ = shop
    }

    /// In a container every chainview may have the pid of one that was killed, and left a file.
    @Test func aFileIsReplacedBesideOneOfAnotherProcess() throws {
        let place = Place()
        try place.recording()
        try Data("old".utf8).write(to: URL(fileURLWithPath: place.path + "/s.html"))
        let replaced = try place.run(
            "ps > /dev/null; touch \"s.html.$$\"; exec \"$0\" export shop.chain --html -o s.html --overwrite")
        #expect(replaced.status == 0 && replaced.errors.isEmpty, "\(replaced)")
        let page = try String(contentsOfFile: place.path + "/s.html", encoding: .utf8)
        #expect(page.hasPrefix("<!doctype html>"))
        let names = try FileManager.default.contentsOfDirectory(atPath: place.path)
        #expect(names.filter { $0.hasPrefix("s.html") }.count == 2)
    }

    @Test func errorsAreOneSentence() throws {
        let place = Place()
        let shop = try place.probe()
        try Data("kept".utf8).write(to: URL(fileURLWithPath: place.path + "/old"))
        for (words, status, sentence) in [
            ("export shop", 64, "choose one format"), ("export shop --jsonl --perfetto x", 64, "choose one format"),
            ("export shop --jsonl -o old", 64, "old exists"),
            ("export shop --otlp https://x", 64, "https is not supported"),
            ("export shop --otlp ftp://x", 64, "no address"), ("export none --jsonl", 66, "no program named none"),
            ("export none.chain --jsonl", 66, "there is no recording"),
            ("export shop --perfetto /nowhere/x", 74, "cannot be written"),
            ("export shop --perfetto x -o y", 64, "-o is not for"), ("export shop --svg --follow", 64, "one moment"),
            ("export shop --jsonl --live", 64, "one moment"), ("export shop --svg --limit 0", 64, "a number of nodes"),
            ("export shop --svg --where '('", 64, "--where cannot be read"),
            ("export shop --otlp http://127.0.0.1:1/ --for 100ms", 69, "were not accepted: Connection refused"),
        ] {
            if status == 69 { try shop.tell("chain order 17") }
            if status == 69 { try shop.tell("settle order 17") }
            let outcome = try place.run(words)
            #expect(outcome.status == status && outcome.errors.contains(sentence), "\(words): \(outcome)")
            #expect(outcome.lineCount == 0 && outcome.errors.split(separator: "\n").count == 1, "\(words): \(outcome)")
        }
        // A file is replaced once there is something, and a new one without content is removed.
        let old = try String(contentsOfFile: place.path + "/old", encoding: .utf8)
        #expect(try place.run("export nothing --jsonl -o old --overwrite").status == 66)
        #expect(try place.run("export nothing --jsonl -o new").status == 66)
        #expect(try String(contentsOfFile: place.path + "/old", encoding: .utf8) == old)
        #expect(!FileManager.default.fileExists(atPath: place.path + "/new"))
        #expect(try place.run("export shop --jsonl -o old --overwrite").status == 0)
        #expect(try String(contentsOfFile: place.path + "/old", encoding: .utf8).hasPrefix("{\"type\":\"program\""))
        try FileManager.default.createSymbolicLink(atPath: place.path + "/link", withDestinationPath: "old")
        #expect(try place.run("export shop --dot -o link --overwrite").status == 0)
        #expect(try String(contentsOfFile: place.path + "/old", encoding: .utf8).contains("digraph"))
        try FileManager.default.createSymbolicLink(atPath: place.path + "/lost", withDestinationPath: "nowhere")
        let outcome = try place.run("export shop --dot -o lost --overwrite")
        #expect(outcome.status == 74 && outcome.errors.contains("No such file"), "\(outcome)")
        let names = try FileManager.default.contentsOfDirectory(atPath: place.path)
        #expect(!names.contains { $0.hasPrefix("old.") || $0 == "nowhere" })
    }
}

// SPDX-License-Identifier: MIT
