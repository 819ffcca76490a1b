#if os(Linux)
    import Foundation
    import TerminalHarness
    import Testing
    import TestWaits

    /// A Swift program without an inspector.
    private final class PlainProgram {
        let process = Process()
        private let input = Pipe()
        /// What it knows of itself: `task ADDRESS …`, `holds …`.
        private(set) var lines: [String] = []

        let pid: Int32

        init(_ path: String = builtProduct("OutsideProbe"), _ arguments: String...) throws {
            let output = Pipe()
            process.executableURL = URL(fileURLWithPath: path)
            process.arguments = arguments
            (process.standardInput, process.standardOutput) = (input, output)
            try process.run()
            pid = process.processIdentifier
            try output.fileHandleForWriting.close()
            var read = Data()
            while !read.suffix(5).elementsEqual(Data("\nend\n".utf8)) {
                let more = output.fileHandleForReading.availableData
                guard !more.isEmpty else {
                    throw HarnessError(description: "the program has ended: \(String(decoding: read, as: UTF8.self))")
                }
                read += more
            }
            lines = String(decoding: read, as: UTF8.self).split(separator: "\n").map(String.init)
        }

        deinit {
            // The id of a process that has ended may be another's, and that of one that was not started is 0: this group's.
            if process.isRunning { kill(pid, SIGKILL) }
            process.waitUntilExit()
        }

        var taskCount: Int { lines.count { $0.hasPrefix("task ") } }
    }

    /// Whether this user may read the memory of own processes: without it, nothing can be read from outside.
    private let mayTrace: Bool = {
        guard let program = try? PlainProgram(builtProduct("OutsideProbe"), "idle", "1") else { return true }
        let outcome = try? Place.searching().run("ps \(program.pid)")
        return outcome?.status != 77
    }()

    extension Place {
        /// A place whose viewers search `/proc`.
        fileprivate static func searching() -> Place {
            let place = Place()
            place.setting["CHAINVIEW_PROC"] = "/proc"
            return place
        }
    }

    /// Programs without an inspector, read from outside.
    @Suite(
        .serialized, .onItsOwnThread, .enabled(if: mayTrace, "reading other processes needs the right to trace them"))
    struct OutsideTests {
        private let place = Place.searching()

        @Test func itsTreeIsPrinted() throws {
            let program = try PlainProgram(builtProduct("OutsideProbe"), "idle", "3")
            let outcome = try place.run("ps \(program.pid)")
            #expect(outcome.status == 0)
            #expect(
                outcome.errors.contains("process \(program.pid) has no inspector: its tasks are read from outside."))
            #expect(outcome.output.contains("OutsideProbe \(program.pid)"))
            #expect(outcome.output.contains("\(program.taskCount) live"), "\(outcome)")
            #expect(outcome.output.contains("in forgotten()"))
        }

        @Test func itIsFoundByName() throws {
            // A copy of its own, because other tests run the same program.
            let folder = ScratchFolder()
            let copy = folder.path + "/lonely-probe"
            try Shell.copy(program: builtProduct("OutsideProbe"), to: copy)
            let program = try PlainProgram(copy, "idle", "1")
            for name in ["lonely-probe", "lonely"] {
                let outcome = try place.run("ps \(name)")
                #expect(outcome.status == 0 && outcome.output.contains("lonely-probe \(program.pid)"), "\(outcome)")
            }
            let second = try PlainProgram(copy, "idle", "1")
            let ambiguous = try place.run("ps lonely-probe")
            #expect(ambiguous.status == 64)
            #expect(ambiguous.errors.contains("lonely-probe can be lonely-probe ("), "\(ambiguous)")
            #expect(ambiguous.errors.contains("(\(second.pid))"), "\(ambiguous)")
        }

        @Test func itIsListedBelowThePreparedOnes() throws {
            let program = try PlainProgram(builtProduct("OutsideProbe"), "idle", "1")
            let probe = try place.probe("shop")
            let all = try place.run("ps --all")
            let rows = all.output.split(separator: "\n").map(String.init)
            let prepared = try #require(rows.firstIndex { $0.hasPrefix("shop") && $0.contains("\(probe.pid)") })
            let plain = try #require(rows.firstIndex { $0.contains(" \(program.pid) ") }, "\(all)")
            #expect(prepared < plain)
            #expect(rows[plain].hasSuffix("not prepared: its tasks are read from outside"))
            let short = try place.run("ps")
            #expect(!short.output.contains(" \(program.pid) "))
            #expect(short.output.contains("without an inspector: `chainview ps --all` lists them"), "\(short)")
        }

        @Test func equalStacksAreOneRow() throws {
            let program = try PlainProgram(builtProduct("OutsideProbe"), "idle", "5")
            let outcome = try place.run("ps \(program.pid) --stacks --json")
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any], "\(outcome)")
            let stacks = try #require(object["stacks"] as? [[String: Any]])
            let counts = stacks.compactMap { $0["tasks"] as? Int }
            #expect(counts.reduce(0, +) == program.taskCount)
            #expect(
                stacks.contains { ($0["frames"] as? [String])?.first == "forgotten()" && $0["tasks"] as? Int ?? 0 >= 5 }
            )
        }

        @Test func theProgramGoesOnAfterItWasStopped() throws {
            let program = try PlainProgram(builtProduct("OutsideProbe"), "idle", "3")
            let outcome = try place.run("ps \(program.pid) --pause")
            #expect(outcome.status == 0 && outcome.output.contains("\(program.taskCount) live"), "\(outcome)")
            #expect(outcome.errors.contains("the process was stopped for "))
            let isFree = try wait(until: {
                try status(of: program.pid, "State").first != "t" && status(of: program.pid, "TracerPid") == "0"
            })
            #expect(isFree)
        }

        /// A viewer that is killed stops nothing.
        @Test func theProgramGoesOnAfterItsViewerWasKilledInAPause() throws {
            let program = try PlainProgram(builtProduct("OutsideProbe"), "idle", "2000")
            // A viewer may be done before it is killed.
            for _ in 0..<20 {
                let viewer = Process()
                viewer.executableURL = URL(fileURLWithPath: builtProduct("chainview"))
                viewer.arguments = ["ps", "\(program.pid)", "--pause"]
                viewer.environment = place.environment
                (viewer.standardOutput, viewer.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
                try viewer.run()
                let id = viewer.processIdentifier
                _ = try wait(until: { try !viewer.isRunning || status(of: program.pid, "State").first == "t" })
                if viewer.isRunning { kill(id, SIGKILL) }
                viewer.waitUntilExit()
                guard viewer.terminationReason == .uncaughtSignal else { continue }
                let isFree = try wait(until: {
                    try status(of: program.pid, "State").first != "t" && status(of: program.pid, "TracerPid") == "0"
                })
                #expect(isFree)
                let isShown = try place.run("ps \(program.pid)").output.contains("14,001 live")
                #expect(isShown && program.taskCount == 14_001)
                return
            }
            Issue.record("no viewer was killed while the program was stopped")
        }

        @Test func aThreadThatDoesNotStopInTimeGoesOnAllTheSame() throws {
            let folder = ScratchFolder()
            let pipe = folder.path + "/pipe"
            #expect(mkfifo(pipe, 0o600) == 0)
            let program = try PlainProgram(builtProduct("OutsideProbe"), "spawn", "1", pipe)
            let thread = try #require(program.lines.first { $0.hasPrefix("spawns ") }?.split(separator: " ").last)
            func state() -> Substring? {
                let text = try? String(contentsOfFile: "/proc/\(program.pid)/task/\(thread)/stat", encoding: .utf8)
                return text?.split(separator: ")").last?.split(separator: " ").first
            }
            #expect(wait(until: { state() == "D" }))
            let viewer = try place.view("attach", "\(program.pid)")
            try viewer.wait("its task") { $0.contains("spawner") }
            viewer.type("/spawner\r")
            try viewer.wait("the row alone") { !$0.contains("forgotten()") && $0.contains("blocked in") }
            viewer.type("S")
            try viewer.wait("the refusal") { $0.contains("does not stop") }
            // The child begins, the thread stops, and the viewer lets it go.
            let end = open(pipe, O_WRONLY)
            defer { close(end) }
            try viewer.wait("its end") { $0.contains("ended") }
            program.process.waitUntilExit()
            #expect(program.process.terminationStatus == 42)
        }

        @Test func theStackOfAThreadIsShown() throws {
            let program = try PlainProgram(builtProduct("OutsideProbe"), "actor", "2")
            let viewer = try place.view("attach", "\(program.pid)")
            try viewer.wait("the holder") { $0.contains("holder") }
            viewer.type("/holder\r")
            try viewer.wait("its row alone") { !$0.contains("waiter") && $0.contains("blocked in") }
            viewer.type("S")
            try viewer.wait("its stack") { $0.contains("the stack of its thread") && $0.contains("stopped for ") }
        }

        /// With debug information, which the programs of these tests do not have.
        @Test func linesAreShownAndOpened() throws {
            let source = place.path + "/Waiting.swift"
            let text = """
                @inline(never)
                func lost() async -> Int {
                    await withUnsafeContinuation { (_: UnsafeContinuation<Int, Never>) in
                        print("task 1")
                        print("end")
                        fflush(nil)
                    }
                }
                """
            let main = """
                import Glibc
                @main struct Waiting {
                    static func main() async { print(await lost()) }
                }

                """
            try Data((main + text).utf8).write(to: URL(fileURLWithPath: source))
            let build = try Shell.run(
                "", by: "swiftc -g -O -parse-as-library \(source) -o \(place.path)/waiting #", directory: place.path)
            try #require(build.status == 0, "\(build)")
            let program = try PlainProgram(place.path + "/waiting")
            try Shell.write("#!/bin/sh\necho \"$@\" >\(place.path)/opened\n", to: place.path + "/editor")
            let viewer = try place.view("attach", "\(program.pid)", setting: ["EDITOR": place.path + "/editor"])
            try viewer.wait("its task") { $0.contains("lost()") }
            viewer.type("jd")
            try viewer.wait("the line") { $0.text.contains(#/lost\(\) .*Waiting\.swift:7/#) }
            viewer.type("e")
            let opened = place.path + "/opened"
            let isOpened = wait(until: {
                (try? String(contentsOfFile: opened, encoding: .utf8).hasPrefix("+7 ")) ?? false
            })
            #expect(isOpened)
        }

        private func status(of pid: Int32, _ name: String) throws -> String {
            let text = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
            let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") } ?? ""
            return line.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces)
        }

        @Test func theStackOfARunningTaskIsPrinted() throws {
            let program = try PlainProgram(builtProduct("OutsideProbe"), "actor", "2")
            let outcome = try place.run("ps \(program.pid) --thread-stacks")
            #expect(outcome.status == 0, "\(outcome)")
            // The optimiser merges equal functions, so that only the runtime's have names that are sure.
            #expect(outcome.output.contains("swift_job_run"), "\(outcome)")
            #expect(outcome.output.contains(" (stopped for "), "\(outcome)")
        }

        @Test func whatWaitsNamesItsHolder() throws {
            let program = try PlainProgram(builtProduct("OutsideProbe"), "actor", "2")
            let outcome = try place.run("ps \(program.pid) --json")
            let tree = try #require(
                try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any], "\(outcome)")
            let nodes = try #require(tree["nodes"] as? [[String: Any]])
            let holder = try #require(nodes.first { $0["label"] as? String == "holder" })
            #expect(holder["state"] as? String == "running" && holder["threadID"] is Int, "\(holder)")
            // It runs since it was seen, although its thread was found later.
            #expect(holder["startedAt"] as? Double == holder["seenAt"] as? Double, "\(holder)")
            let actor = try #require(nodes.first { $0["kind"] as? String == "actor" }, "\(outcome)")
            #expect((actor["heldBy"] as? [String: Any])?["id"] as? Int == holder["id"] as? Int, "\(actor)")
            let waiters = nodes.filter { ($0["waitsFor"] as? [String: Any])?["id"] as? Int == actor["id"] as? Int }
            #expect(waiters.count == 2, "\(outcome)")
        }

        @Test func itsDashboardShowsItsTasks() throws {
            let program = try PlainProgram(builtProduct("OutsideProbe"), "idle", "2")
            let viewer = try place.view("attach", "\(program.pid)")
            try viewer.wait("its tasks") { $0.contains("in forgotten()") && $0.contains("OutsideProbe \(program.pid)") }
            viewer.type("c")
            try viewer.see("read from outside")
            program.process.terminate()
            try viewer.wait("its end") { $0.contains("ended") }
            // The line that it is read from outside stays in the terminal.
            viewer.type("q")
            let ending = try viewer.terminal.waitForExit()
            #expect(ending == .exited(0) && viewer.screen.contains("has no inspector"))
        }

        /// The inspector knows the tasks; the memory, what they wait for.
        @Test func aPreparedProgramsTasksNameWhatTheyWaitFor() throws {
            let program = Process()
            program.executableURL = URL(fileURLWithPath: builtProduct("chainview"))
            program.arguments = ["run", "--tasks", builtProduct("OutsideProbe"), "actor", "2"]
            program.environment = PseudoTerminal.standardEnvironment.merging(place.environment) { $1 }
                .merging(["CHAINVIEW_PROC": ""]) { $1 }
            let input = Pipe()
            (program.standardInput, program.standardOutput) = (input, FileHandle.nullDevice)
            try program.run()
            defer { program.terminate() }
            try place.run("ps OutsideProbe", untilItPrints: "waiter 1")
            let viewer = try place.view("attach", "OutsideProbe")
            try viewer.wait("the actor") { $0.contains("Till") && $0.contains("waiter 1") }
            viewer.type("/waiter 1\r")
            try viewer.wait("the row alone") { !$0.contains("waiter 0") }
            viewer.type("jw")
            try viewer.wait("the path") { $0.contains("held by holder") }
            viewer.type("q")
            #expect(try viewer.terminal.waitForExit() == .exited(0))
        }

        @Test func itsTasksAreRecorded() throws {
            let program = try PlainProgram(builtProduct("OutsideProbe"), "idle", "2")
            let outcome = try place.run("record \(program.pid) -o plain.chain --for 1s")
            #expect(outcome.status == 0, "\(outcome)")
            let tree = try place.run("ps plain.chain")
            #expect(tree.output.contains("\(program.taskCount) live"), "\(tree)")
        }

        @Test(arguments: [
            ("ps 1999999999", 66, "there is no process 1999999999"),
            ("attach no-such-program-anywhere", 66, "no-such-program-anywhere"),
            ("cancel PID 1", 77, "has no inspector, and takes no commands: link ChainInspector"),
            ("ps PID --symbols /etc/passwd", 64, "/etc/passwd is not a program or library that can be read"),
            ("ps PID --symbols /bin/true", 64, "/bin/true"),
            ("ps --pause", 64, "for the tree of a target: name one"),
        ])
        func errorsAreOneSentence(command: String, code: Int32, text: String) throws {
            let program = try PlainProgram(builtProduct("OutsideProbe"), "idle", "1")
            let outcome = try place.run(command.replacingOccurrences(of: "PID", with: "\(program.pid)"))
            #expect(outcome.status == code && outcome.errors.contains(text), "\(outcome)")
        }

        @Test func aProgramThatIsNotOfSwiftIsRefused() throws {
            let outcome = try place.run("ps 1")
            // Process 1 is of another user, or a program without tasks, or may not be read.
            #expect([66, 77].contains(outcome.status), "\(outcome)")
        }
    }
#endif

// SPDX-License-Identifier: MIT
