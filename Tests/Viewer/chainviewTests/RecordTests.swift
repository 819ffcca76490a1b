import Foundation
import TerminalHarness
import TestWaits
import Testing

@testable import chainview

/// `chainview record`, `chainview run --record` and `chainview replay`.
@Suite(.serialized, .onItsOwnThread) struct RecordTests {
    private let probe = builtProduct("CommandProbe")

    @Test func aProgramIsRecordedAndShown() throws {
        let place = Place()
        let shop = try place.probe()
        try shop.tell("chain order 17")
        let outcome = try place.run("record shop -o shop.chain --for 500ms")
        #expect(outcome.status == 0 && outcome.output.isEmpty, "\(outcome)")
        #expect(outcome.errors.contains(/recorded shop \(\d+\) in shop.chain: .* s, .* events?, .* lost/), "\(outcome)")
        let mode = try FileManager.default.attributesOfItem(atPath: place.path + "/shop.chain")[.posixPermissions]
        #expect((mode as? NSNumber)?.intValue == 0o600)

        let frame = try place.run("replay shop.chain --headless")
        #expect(frame.status == 0 && frame.output.contains("complain of order 17"), "\(frame)")
        #expect(frame.output.contains("shop \(shop.pid)") && frame.output.contains("paused at"))
        #expect(try place.run("replay shop.chain --at soon").status == 64)
        // The file is kept unless --overwrite is given.
        let again = try place.run("record shop -o shop.chain --for 100ms")
        #expect(again.status == 64 && again.errors.contains("--overwrite"), "\(again)")
        // The mode of the old file is not kept.
        chmod(place.path + "/shop.chain", 0o644)
        #expect(try place.run("record shop -o shop.chain --for 100ms --overwrite").status == 0)
        let newMode = try FileManager.default.attributesOfItem(atPath: place.path + "/shop.chain")[.posixPermissions]
        #expect(newMode as? Int == 0o600)
        let early = try place.run("replay shop.chain --at -5s --headless")
        #expect(early.status == 0 && early.output.contains("shop"), "\(early)")
    }

    @Test func signalsEndARecordingInGoodOrder() throws {
        let place = Place()
        let shop = try place.probe()
        try shop.tell("chain order 17")
        for (signal, name) in [(SIGINT, "a.chain"), (SIGTERM, "b.chain"), (SIGKILL, "c.chain")] {
            let recording = try Recording(["shop"], into: name, in: place)
            // The header, a keyframe, and the state.
            try recording.wait(for: 700)
            kill(recording.process.processIdentifier, signal)
            let errors = recording.end()
            #expect(errors.contains("recorded shop") == (signal != SIGKILL), "\(errors)")
            #expect(recording.process.terminationStatus == (signal == SIGINT ? 0 : signal))
            let frame = try place.run("replay \(name) --headless")
            #expect(frame.output.contains("order 17"), "\(signal): \(frame)")
            #expect(frame.errors.contains("was cut off") == (signal == SIGKILL), "\(frame)")
        }
    }

    /// As with `nohup`: neither the recording nor the program ends.
    @Test func anIgnoredHangupEndsNothing() throws {
        let place = Place()
        let shop = try place.probe()
        try shop.tell("chain order 17")
        let recording = try Recording(
            command: ["record", "shop", "-o", "a.chain"], into: "a.chain", in: place, after: "trap '' HUP")
        try recording.wait(for: 700)
        // Of two signals that wait, SIGHUP comes first, because it has the lower number.
        for signal in [SIGHUP, SIGINT] { kill(recording.process.processIdentifier, signal) }
        let errors = recording.end()
        #expect(recording.process.terminationStatus == 0 && errors.contains("recorded shop"), "\(errors)")

        let started = try Recording(
            command: ["run", "--record", "b.chain", "--", probe, "shop", "chain order 17"], into: "b.chain", in: place,
            after: "trap '' HUP; exec </dev/null")
        try started.wait(for: 300)
        for signal in [SIGHUP, SIGUSR1] { kill(started.process.processIdentifier, signal) }
        let otherErrors = started.end()
        #expect(started.process.terminationStatus == SIGUSR1, "\(otherErrors)")
    }

    /// Those of a former recording go when another one begins; those that are set from then on stay.
    @Test(arguments: [false, true]) func marksThatAreSetMeanwhileStay(overwrites: Bool) throws {
        let place = Place()
        let shop = try place.probe()
        try shop.tell("chain order 17")
        let marks = place.path + "/a.chain.marks"
        try "1 former\n".write(toFile: marks, atomically: true, encoding: .utf8)
        if overwrites { try place.recording("a.chain") }
        let recording = try Recording(
            ["shop"] + (overwrites ? ["--overwrite"] : []), into: "a.chain", in: place)
        #expect(wait { !FileManager.default.fileExists(atPath: marks) })
        try "2 meanwhile\n".write(toFile: marks, atomically: true, encoding: .utf8)
        kill(recording.process.processIdentifier, SIGINT)
        let errors = recording.end()
        #expect(recording.process.terminationStatus == 0 && errors.contains("recorded shop"), "\(errors)")
        #expect(try String(contentsOfFile: marks, encoding: .utf8) == "2 meanwhile\n")
    }

    @Test(arguments: [("", 64), ("attach ", 66), ("record -o b.chain ", 66), ("cancel ", 66)])
    func aRecordingInPlaceOfAProgramIsNamed(command: String, status: Int32) throws {
        let place = Place()
        try place.recording("a.chain")
        let outcome = try place.run("\(command)a.chain\(command == "cancel " ? " 12" : "")")
        #expect(outcome.status == status, "\(outcome)")
        #expect(outcome.errors.contains("a.chain is a recording: `chainview replay a.chain` shows it."), "\(outcome)")
        let other = try place.run("\(command)b.chain\(command == "cancel " ? " 12" : "")")
        #expect(other.status == status && !other.errors.contains("is a recording"), "\(other)")
    }

    @Test(arguments: [false, true]) func aRecordingEndsWithTheProgram(byName: Bool) throws {
        let place = Place()
        let shop = try place.probe()
        try shop.tell("chain order 17")
        let recording = try Recording([byName ? "shop" : "\(shop.pid)"], into: "a.chain", in: place)
        try recording.wait(for: 700)
        shop.end(by: SIGKILL)
        let errors = recording.end()
        #expect(recording.process.terminationStatus == 0 && errors.contains("recorded shop"), "\(errors)")
        #expect(errors.contains("the program has ended."), "\(errors)")
        #expect(try place.run("replay a.chain --headless").output.contains("order 17"))
    }

    /// A limit of the shell acts as a full disk: the command prints a sentence, and is not ended by a signal.
    @Test func aFileThatMayNotGrowIsReported() throws {
        let place = Place()
        let shop = try place.probe()
        try shop.tell("chain order 17")
        let limited = "ps > /dev/null; ulimit -f 0; exec \"$0\""
        let recording = try place.run("\(limited) record shop -o small.chain --for 500ms")
        let words = "small.chain cannot be written: the file has reached a size limit: of ulimit -f"
        #expect(recording.status == 74 && recording.errors.contains(words), "\(recording)")
        let frame = try place.run("\(limited) snapshot shop --size 200x60 > frame.txt")
        #expect(frame.status == 74 && frame.errors.contains("cannot write"), "\(frame)")
    }

    /// A renamed file keeps the recording.
    @Test(arguments: [true, false]) func aFileThatIsRemovedIsReported(isRemoved: Bool) throws {
        let place = Place()
        let shop = try place.probe()
        try shop.tell("chain order 17")
        let recording = try Recording(["shop"], into: "a.chain", in: place)
        try recording.wait(for: 700)
        if isRemoved {
            unlink(place.path + "/a.chain")
            // The program sends a batch once a second, also without events.
            let errors = recording.end()
            #expect(recording.process.terminationStatus == 74)
            #expect(
                errors.contains("a.chain was removed while it was being written. The recording is lost."), "\(errors)")
            #expect(!errors.contains("recorded shop"), "\(errors)")
        } else {
            rename(place.path + "/a.chain", place.path + "/b.chain")
            kill(recording.process.processIdentifier, SIGINT)
            let errors = recording.end()
            #expect(recording.process.terminationStatus == 0 && errors.contains("recorded shop"), "\(errors)")
            #expect(try place.run("replay b.chain --headless").output.contains("order 17"))
        }
    }

    /// The program is killed, and its last steps are in the recording.
    @Test func aProgramThatWasStartedIsRecordedToItsEnd() throws {
        let place = Place()
        let path = try place.fifo()
        let commands = try #require(FileHandle(forUpdatingAtPath: path))
        let file = place.path + "/crash.chain"
        let driver = Thread {
            try? Recording.wait(for: 300, in: file)
            commands.write(Data("chain order 17\n".utf8))
            try? Recording.wait(for: 900, in: file)
            commands.write(Data("print goodbye\nsignal 9\n".utf8))
        }
        driver.start()
        let crashed = try place.run("run --record crash.chain -- \(probe) shop from \(path)")
        #expect(crashed.status == 137 && crashed.output.contains("goodbye"), "\(crashed)")
        #expect(crashed.errors.contains("recorded shop"), "\(crashed)")
        let frame = try place.run("replay crash.chain --headless")
        #expect(frame.output.contains("complain of order 17"), "\(frame)")

        let silent = try place.run("run --record none.chain -- sh -c 'exit 5'")
        #expect(silent.status == 5 && silent.errors.contains("nothing was recorded"), "\(silent)")
        #expect(!FileManager.default.fileExists(atPath: place.path + "/none.chain"))
    }

    /// A line that wraps would be repeated four times a second.
    @Test func theProgressIsOneRowOfANarrowTerminal() throws {
        let place = Place()
        let shop = try place.probe()
        try shop.tell("chain order 17")
        let viewer = try place.view("record", "shop", "-o", "a.chain", columns: 28, rows: 12, waits: false)
        try viewer.wait("progress") { $0.contains(" s,") && !$0.contains("0.0 s,") }
        #expect(viewer.text.split(separator: "\n").count == 1, "\(viewer.text)")
        viewer.type("\u{3}")
        #expect(try viewer.terminal.waitForExit() == .exited(0))
    }

    @Test func keysMoveInARecordingOnATerminal() throws {
        let place = Place()
        try place.recording()
        let viewer = try place.view("replay", "shop.chain", waits: false)
        try viewer.wait("the end of the recording") { $0.contains("paused at") && $0.contains("order 5") }
        viewer.type(":at start\r")
        try viewer.see("paused at 0.000s of")
        viewer.type(">")
        try viewer.see("paused at 1.000s of")
        viewer.type("M")
        try viewer.see("marked: mark 1")
        #expect(FileManager.default.fileExists(atPath: place.path + "/shop.chain.marks"))
        viewer.type("<:at mark 1\r")
        try viewer.see("paused at 1.000s of")
        viewer.type("c")
        try viewer.see("what is over cannot be cancelled")
        viewer.type("++")
        try viewer.see("paused 5x at")
        viewer.type(" ")
        try viewer.wait("that it plays to its end, and stops") {
            $0.contains("paused 5x at") && $0.contains("order 5")
        }
        try viewer.quit()
    }

    /// Another thread moves, one key after the other.
    @Test func keysThatComeAtOnceActInTheirOrder() throws {
        let place = Place()
        try place.recording()
        let viewer = try place.view("replay", "shop.chain", waits: false)
        try viewer.wait("the end of the recording") { $0.contains("paused at") && $0.contains("order 5") }
        viewer.type(":at start\r>M>:mark two\r<<:at 3s\r:mark three\r")
        try viewer.see("marked: three")
        let text = try String(contentsOfFile: place.path + "/shop.chain.marks", encoding: .utf8)
        let marks = text.split(separator: "\n").dropFirst().map { $0.split(separator: " ", maxSplits: 1) }
        #expect(marks.map { $0[1] } == ["mark 1", "two", "three"], "\(text)")
        let times = marks.compactMap { Int($0[0]) }
        #expect(times.count == 3 && times[1] - times[0] == 1_000_000_000 && times[2] > times[1], "\(text)")
        // Marks are saved also if the dashboard is closed at once, with a move still to come before them.
        viewer.type("<:mark x\r:unmark two\rq")
        #expect(try viewer.terminal.waitForExit() == .exited(0))
        let left = try String(contentsOfFile: place.path + "/shop.chain.marks", encoding: .utf8)
        #expect(left.contains(" x\n") && !left.contains(" two\n"), "\(left)")
    }

    @Test func whatCannotBeWrittenIsAnError() throws {
        let place = Place()
        let shop = try place.probe("shop")
        defer { withExtendedLifetime(shop) {} }
        mkfifo(place.path + "/pipe", 0o600)
        for (words, status) in [
            ("record shop -o pipe --for 100ms --overwrite", 74),
            ("run --max-size 8M \(builtProduct("CommandProbe"))", 64),
        ] {
            let outcome = try place.run(words)
            #expect(outcome.status == status && !outcome.errors.isEmpty, "\(words): \(outcome)")
        }
    }

    @Test func aSizeHasTheUnitThatItIsRoundedTo() {
        let sizes: [UInt64] = [999, 999_999, 1_000_000, 999_949_999, 999_950_000, 1_000_000_000]
        let texts = ["999 bytes", "999 kB", "1.0 MB", "999.9 MB", "1.00 GB", "1.00 GB"]
        #expect(sizes.map(RecordingReport.bytes) == texts)
    }

    /// `--for` is the time of the recording, and not of reading the state before it.
    @Test func theTimeLimitBeginsWithTheCompleteState() {
        let zero = DurationArgument(duration: .zero), hour = DurationArgument(duration: .seconds(3_600))
        var deadline = StateDeadline(zero)
        #expect(deadline.isOver, "no program was reached in time")
        deadline.reached(isStateComplete: false)
        #expect(!deadline.isOver)
        deadline.reached(isStateComplete: true)
        #expect(deadline.isOver)
        deadline = StateDeadline(hour)
        deadline.reached(isStateComplete: true)
        #expect(!deadline.isOver)
        deadline = StateDeadline(nil)
        deadline.reached(isStateComplete: true)
        #expect(!deadline.isOver)
    }

    @Test func errorsAreOneSentence() throws {
        let place = Place()
        try Data("no recording".utf8).write(to: URL(fileURLWithPath: place.path + "/text"))
        #expect(try place.run("replay text").errors == "chainview: text is not a chainview recording.\n")
        #expect(try place.run("replay text").status == 65)
        #expect(try place.run("replay nothing").status == 66)
        #expect(try place.run("record nothing -o out.chain").status == 66)
        #expect(!FileManager.default.fileExists(atPath: place.path + "/out.chain"))
        let waited = try place.run("record nothing -o out.chain --wait --for 100ms")
        #expect(waited.status == 66 && waited.errors.contains("nothing was recorded"), "\(waited)")
        #expect(!FileManager.default.fileExists(atPath: place.path + "/out.chain"))
        #expect(try place.run("record text -o text --wait --for 100ms --overwrite").status == 66)
        #expect(try String(contentsOfFile: place.path + "/text", encoding: .utf8) == "no recording")
        #expect(try place.run("record shop").status == 64)
        for words in ["record shop -o -", "record shop --last 1s -o -", "run --record - \(probe) shop"] {
            let outcome = try place.run(words)
            #expect(outcome.status == 64 && outcome.errors.contains("it needs a file"), "\(words): \(outcome)")
        }
        #expect(!FileManager.default.fileExists(atPath: place.path + "/-"))
        #expect(try place.run("record shop -o out.chain --max-size 1k").status == 64)
        let shop = try place.probe()
        #expect(try place.run("record shop -o /nowhere/out.chain").status == 74)
        #expect(try place.run("record shop -o full.chain --for 200ms --max-size 64M").status == 0)
        _ = shop
    }
}

// SPDX-License-Identifier: MIT
