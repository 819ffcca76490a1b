import Foundation
import TerminalHarness
import Testing

/// `chainview run`: the program's output, signals and end.
@Suite(.serialized, .onItsOwnThread) struct RunTests {
    private let probe = builtProduct("CommandProbe")

    /// A program under `chainview run` on a terminal, driven through a FIFO, because it has no standard input.
    private final class Started {
        let place: Place
        let viewer: Viewer
        private let commands: FileHandle

        init(_ arguments: [String] = [], options: [String] = [], rows: Int = 40) throws {
            place = Place()
            let path = try place.fifo()
            // Opened for reading, too, so that neither side waits for the other.
            commands = try #require(FileHandle(forUpdatingAtPath: path))
            viewer = try Viewer(
                ["run"] + options + [builtProduct("CommandProbe"), "shop", "from", path] + arguments, rows: rows,
                setting: place.environment)
        }

        /// The program's pid, from the header.
        var pid: Int32? { viewer.screen.text(row: 0).firstMatch(of: /shop (\d+)/).flatMap { Int32($0.1) } }

        func tell(_ command: String) { commands.write(Data((command + "\n").utf8)) }
    }

    @Test func withoutATerminalTheProgramReplacesChainview() throws {
        let place = Place()
        let all = try place.run("run -- \(probe) shop 'print to the output' 'complain to the error' 'exit 7'")
        #expect(all.status == 7 && all.output == "to the output\n" && all.errors == "to the error\n", "\(all)")
        #expect(try place.run("run \(probe) shop 'signal 15'; echo \"$?\"").output == "143\n")
        #expect(try place.run("run --no-color sh -c 'echo \"$CHAINVIEW $0\"' --ascii").output == "1 --ascii\n")
        #expect(try place.run("run cat </dev/null").status == 0)
    }

    @Test func headlessPrintsAFrameAndTheProgramContinues() throws {
        let place = Place()
        let outcome = try place.run(
            "run --headless --for 60s \(probe) shop 'chain order 17' from-here 'exit 0' >out; cat out; exec true")
        #expect(outcome.output.contains("what is from-here"), "\(outcome)")
        let code = try place.run("run --headless --for 60s sh -c 'echo done; exit 5'")
        #expect(
            code.status == 5 && code.output == "done\n" && code.errors.contains("has started no inspector"), "\(code)")
    }

    #if os(Linux)
        /// As daemons and the wrappers of cron do. The system then reaps children by itself, and forgets how they ended.
        @Test func endingsAreKnownIfSIGCHLDIsInheritedAsIgnored() throws {
            let place = Place()
            let ignoring = "env --ignore-signal=CHLD"
            let failed = try place.run("run --headless --for 60s sh -c 'exit 5'", by: ignoring)
            #expect(failed.status == 5 && failed.errors.contains("has ended with code 5"), "\(failed)")
            let killed = try place.run("run --headless --for 60s sh -c 'kill -9 $$'; echo \"$?\"", by: ignoring)
            #expect(killed.output == "137\n", "\(killed)")
            let recorded = try place.run("run --record file.chain sh -c 'exit 6'", by: ignoring)
            #expect(recorded.status == 6, "\(recorded)")
            try place.recording()
            let watched = try place.run("watch shop.chain --where rejected --exec 'exit 7'", by: ignoring)
            #expect(watched.errors.contains("the command has ended with code 7"), "\(watched)")
        }
    #endif

    @Test func outputIsKeptAsideAndWrittenAfterwards() throws {
        let started = try Started(["chain order 17"])
        let viewer = started.viewer
        try viewer.wait("both") { $0.contains("complain of order 17") && $0.contains("output of ") }
        let pid = try #require(started.pid)
        started.tell("print hello from the shop")
        // Two pipes have no common order.
        try viewer.see("hello from the shop")
        started.tell("complain something is wrong")
        try viewer.wait("the lines in the pane") {
            ($0.row(containing: "hello from the shop") ?? 0) > 25 && $0.contains("something is wrong")
        }
        viewer.type("o")
        try viewer.wait("the pane to go") { !$0.contains("output of ") && $0.row(containing: "q quit") == 39 }
        viewer.type("o")
        try viewer.see("hello from the shop")
        // After q the program goes on in the foreground, and its output goes to the terminal.
        viewer.type("q")
        try viewer.wait("the output") {
            !$0.isAlternate && $0.contains("hello from the shop") && $0.contains("something is wrong")
        }
        #expect(viewer.terminal.modes == viewer.modes)
        started.tell("print still here")
        try viewer.see("still here")
        // ^C reaches the program; chainview ends after the program, by the same signal.
        viewer.press(.control("c"))
        #expect(try viewer.terminal.waitForExit() == .signalled(SIGINT))
        #expect(kill(pid, 0) == -1 && errno == ESRCH)
        #expect(viewer.text.split(separator: "\n").prefix(2) == ["ready", "hello from the shop"], "\(viewer.text)")
    }

    @Test(arguments: [("exit 3", "has ended with code 3", 3), ("exit 0", "has ended", 0)])
    func theExitCodeOfTheProgramIsPassedOn(command: String, words: String, code: Int32) throws {
        let started = try Started(["chain order 17"])
        try started.viewer.see("order 17")
        started.tell(command)
        try started.viewer.wait("the end") { $0.contains(words) && $0.text(row: 0).contains("ended") }
        #expect(started.viewer.screen.contains("order 17"))
        started.viewer.type("q")
        #expect(try started.viewer.terminal.waitForExit() == .exited(code))
    }

    @Test func aSignalThatEndsItIsRaisedAgain() throws {
        let started = try Started(["chain order 17"])
        started.tell("signal \(SIGUSR1)")
        try started.viewer.see("was ended by signal \(SIGUSR1)")
        started.viewer.type("q")
        #expect(try started.viewer.terminal.waitForExit() == .signalled(SIGUSR1))
    }

    @Test func signalsReachTheProgramOnce() throws {
        let started = try Started(["trap", "chain order 17"])
        started.viewer.terminal.signal(SIGTERM)
        #expect(try started.viewer.terminal.waitForExit() == .signalled(SIGTERM))
        #expect(!started.viewer.screen.isAlternate && started.viewer.terminal.modes == started.viewer.modes)
        // A program may handle ^C and choose its exit code.
        let other = try Started(["trap", "chain order 17"])
        other.viewer.type("q")
        try other.viewer.wait("the shell") { !$0.isAlternate && $0.contains("ready") }
        other.viewer.press(.control("c"))
        #expect(try other.viewer.terminal.waitForExit() == .exited(43))
    }

    @Test func pipedInputIsReadByTheProgram() throws {
        let place = Place()
        let terminal = try PseudoTerminal(
            "/bin/sh", ["-c", "echo piped | '\(builtProduct("chainview"))' run cat"], columns: 100, rows: 30,
            environment: PseudoTerminal.standardEnvironment.merging(place.environment) { $1 })
        try terminal.waitUntil("its end") { $0.contains("piped") && $0.contains("cat, which has ended") }
        terminal.send("q")
        #expect(try terminal.waitForExit() == .exited(0))
        #expect(terminal.screen.text == "piped")
    }

    @Test func bothStopAndContinue() throws {
        let started = try Started(["chain order 17"])
        let pid = try #require(started.pid)
        started.viewer.type("q")
        try started.viewer.wait("the shell") { !$0.isAlternate }
        started.viewer.press(.control("z"))
        try started.viewer.terminal.waitForStop()
        #if os(Linux)
            // Which of the two processes stops first is not defined.
            try started.viewer.terminal.waitUntil("the program to be stopped, too") { _ in
                (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8))?.contains(") T ") ?? false
            }
        #endif
        try started.viewer.terminal.goOn()
        started.tell("print going on")
        try started.viewer.see("going on")
        started.tell("exit 4")
        #expect(try started.viewer.terminal.waitForExit() == .exited(4))
    }

    @Test func anOrphanOfAProgramDelaysNothing() throws {
        let place = Place()
        let script = "tail -f /dev/null & echo \"left $!\"; exit 6"
        let viewer = try Viewer(["run", "sh", "-c", script], setting: place.environment, waits: false)
        try viewer.wait("its end, and what it wrote") { $0.contains("has ended with code 6") && $0.contains("left ") }
        let left = try #require(viewer.screen.text.firstMatch(of: /left (\d+)/).flatMap { Int32($0.1) })
        viewer.type("q")
        #expect(try viewer.terminal.waitForExit() == .exited(6))
        #expect(viewer.text.contains("left \(left)"))
        #expect(kill(left, SIGKILL) == 0)
    }

    @Test func theProgramEndsWithTheTerminal() throws {
        let started = try Started(["chain order 17"])
        let pid = try #require(started.pid)
        started.viewer.terminal.hangUp()
        _ = try started.viewer.terminal.waitForExit()
        #expect(kill(pid, 0) == -1 && errno == ESRCH)
    }

    @Test func aProgramThatAnotherStartsIsFound() throws {
        let place = Place()
        let viewer = try Viewer(
            ["run", "sh", "-c", "'\(probe)' shop 'chain order 17' <&1; exit 9"], setting: place.environment)
        try viewer.see("complain of order 17")
        viewer.type("q")
        try viewer.wait("the shell") { !$0.isAlternate }
        viewer.press(.control("c"))
        #expect(try viewer.terminal.waitForExit() == .signalled(SIGINT))
    }

    @Test func aProgramWithoutAnInspectorIsReported() throws {
        let place = Place()
        let viewer = try Viewer(
            ["run", "sh", "-c", "exec tail -f /dev/null"], setting: place.environment, waits: false)
        try viewer.wait("the advice") { $0.contains("has not started an inspector") }
        viewer.type("q")
        try viewer.wait("the shell") { !$0.isAlternate }
        viewer.press(.control("c"))
        #expect(try viewer.terminal.waitForExit() == .signalled(SIGINT))
    }

    @Test func hostileOutputIsHarmlessInThePane() throws {
        let place = Place()
        let script =
            #"printf '\033[2J\033]0;owned\007\033[31mred\033[0m\tx\nold\rnew\n\302\233\n'; exec tail -f /dev/null"#
        let viewer = try Viewer(["run", "sh", "-c", script], setting: place.environment, waits: false)
        try viewer.wait("the lines") { $0.contains("␛[2J␛]0;owned␇red") && $0.contains(" new") && !$0.contains("old") }
        #expect(!String(decoding: viewer.terminal.received, as: UTF8.self).contains("\u{1B}]0;owned"))
        viewer.terminal.signal(SIGTERM)
        #expect(try viewer.terminal.waitForExit() == .signalled(SIGTERM))
    }

    @Test func aLowScreenHasNoPane() throws {
        let started = try Started(["chain order 17"], rows: 14)
        try started.viewer.see("complain of order 17")
        #expect(!started.viewer.screen.contains("output of "))
        started.viewer.terminal.resize(columns: 120, rows: 30)
        try started.viewer.wait("the pane") { $0.contains("output of ") && $0.contains("ready") }
        started.viewer.terminal.resize(columns: 20, rows: 5)
        try started.viewer.see("too small")
        started.tell("exit 0")
        started.viewer.type("q")
        #expect(try started.viewer.terminal.waitForExit() == .exited(0))
    }

    @Test func whatCannotBeStartedLeavesTheTerminalAlone() throws {
        let place = Place()
        for words in [["run", "no-such-program"], ["run", "/dev/null"]] {
            let viewer = try Viewer(words, setting: place.environment, waits: false)
            #expect(try viewer.terminal.waitForExit() == .exited(66))
            #expect(viewer.text.hasPrefix("chainview: ") && !viewer.terminal.received.contains(0x1B), "\(viewer.text)")
        }
    }
}

// SPDX-License-Identifier: MIT
