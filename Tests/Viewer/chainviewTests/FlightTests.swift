import Foundation
import TerminalHarness
import Testing

/// `chainview record --last` and `chainview post-mortem`.
@Suite(.serialized, .onItsOwnThread) struct FlightTests {
    @Test func theLastPartIsFetched() throws {
        let place = Place()
        let shop = try place.probe("shop", "flight")
        try shop.tell("chain order 17")
        let outcome = try place.run("record shop --last 30s -o shop.chain")
        #expect(outcome.status == 0 && outcome.output.isEmpty, "\(outcome)")
        #expect(
            outcome.errors.contains(/recorded the last .* s of shop \(\d+\) in shop.chain: .* events?\./), "\(outcome)")
        let mode = try FileManager.default.attributesOfItem(atPath: place.path + "/shop.chain")[.posixPermissions]
        #expect((mode as? NSNumber)?.intValue == 0o600)
        let frame = try place.run("replay shop.chain --headless")
        #expect(frame.status == 0 && frame.output.contains("complain of order 17") && frame.errors.isEmpty, "\(frame)")

        let again = try place.run("record shop --last 30s -o shop.chain")
        #expect(again.status == 64 && again.errors.contains("exists"), "\(again)")
        #expect(try place.run("record shop --last 30s -o shop.chain --overwrite").status == 0)
        for words in ["--for 1s", "--max-size 64M", "--wait", "--last soon"] {
            #expect(try place.run("record shop --last 30s -o b.chain \(words)").status == 64, "\(words)")
        }
        #expect(try place.run("record shop --last 30s -o /nowhere/b.chain").status == 74)
        #expect(try place.run("record nothing --last 30s -o b.chain").status == 66)
        #expect(!FileManager.default.fileExists(atPath: place.path + "/b.chain"))
    }

    @Test func onlyFilesAreReplaced() throws {
        let place = Place()
        let shop = try place.probe("shop", "flight")
        try shop.tell("chain order 17")
        let files = FileManager.default
        try Data("old".utf8).write(to: URL(fileURLWithPath: place.path + "/a.chain"))
        for (link, target) in [("latest.chain", "a.chain"), ("nowhere.chain", "none")] {
            try files.createSymbolicLink(atPath: place.path + "/" + link, withDestinationPath: target)
        }
        let linked = try place.run("record shop --last 30s -o latest.chain --overwrite")
        #expect(linked.status == 0, "\(linked)")
        #expect(try files.destinationOfSymbolicLink(atPath: place.path + "/latest.chain") == "a.chain")
        #expect(try place.run("replay a.chain --headless").output.contains("complain of order 17"))
        mkfifo(place.path + "/pipe", 0o600)
        for name in ["pipe", "nowhere.chain"] {
            let outcome = try place.run("record shop --last 30s -o \(name) --overwrite")
            #expect(outcome.status == 74 && outcome.errors.contains("\(name) cannot be written"), "\(outcome)")
            #expect(try place.run("record shop --last 30s -o \(name)").status == 64)
        }
        var facts = stat()
        #expect(lstat(place.path + "/pipe", &facts) == 0 && facts.st_mode & S_IFMT == S_IFIFO)
        #expect(try files.destinationOfSymbolicLink(atPath: place.path + "/nowhere.chain") == "none")
    }

    @Test func withoutAFlightRecorderThereIsASentence() throws {
        let place = Place()
        let shop = try place.probe()
        try shop.tell("chain order 17")
        let outcome = try place.run("record shop --last 30s -o shop.chain")
        #expect(outcome.status == 77, "\(outcome)")
        #expect(
            outcome.errors.hasPrefix("chainview: refused: the program has no flight recorder: start it"), "\(outcome)")
        #expect(outcome.errors.split(separator: "\n").count == 1)
        #expect(!FileManager.default.fileExists(atPath: place.path + "/shop.chain"))
    }

    @Test func aKilledProgramIsExamined() throws {
        let place = Place()
        let shop = try place.probe("shop", "flight")
        try shop.tell("chain order 17")
        // The request makes the flight recorder write its own file, too.
        #expect(try place.run("record shop --last 1s -o shop.chain").status == 0)
        shop.end(by: SIGKILL)
        let list = try place.run("post-mortem")
        #expect(list.status == 0 && list.output.contains(/shop +\d+ +\d+s ago\n/), "\(list)")
        let programs = try place.run("ps")
        #expect(
            programs.output.contains(/A killed program left a recording \d+s ago: chainview post-mortem \d+\n/),
            "\(programs)")
        #expect(try place.run("ps --json").output == "[]\n")
        for program in ["\(shop.pid)", "shop", "chainview/\(shop.pid).flight"] {
            let frame = try place.run("post-mortem \(program) --headless")
            #expect(frame.status == 0 && frame.output.contains("complain of order 17"), "\(frame)")
            #expect(frame.output.contains("shop \(shop.pid)") && frame.errors.contains("was cut off"), "\(frame)")
        }
        let none = try place.run("post-mortem 1 --headless")
        #expect(none.status == 66 && none.errors.contains("no flight recorder of process 1"), "\(none)")
        let unknown = try place.run("post-mortem shop.txt --headless")
        #expect(unknown.status == 66 && unknown.errors.contains("lists what is left"), "\(unknown)")
    }

    @Test func aProgramThatRunsHasLeftNothing() throws {
        let place = Place()
        let shop = try place.probe("shop", "flight")
        #expect(try place.run("ps").lineCount == 2)
        let list = try place.run("post-mortem")
        #expect(list.status == 0 && list.output.hasPrefix("No killed program left a recording."), "\(list)")
        #expect(try place.run("post-mortem shop --headless").status == 66)
        withExtendedLifetime(shop) {}
    }
}

// SPDX-License-Identifier: MIT
