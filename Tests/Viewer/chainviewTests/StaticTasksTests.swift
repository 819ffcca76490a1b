#if os(Linux)
    import Foundation
    import TerminalHarness
    import Testing

    /// Programs with a static Swift runtime: TaskProbe's object files, linked again, which takes a second.
    @Suite(.serialized, .onItsOwnThread) struct StaticTasksTests {
        private let place = Place()

        /// The lines of the dynamic program's tasks, by mode.
        private static let expected = Result {
            try [[], ["sleeping"], ["server"]].map { mode in
                let place = Place()
                let outcome = try run(builtProduct("TaskProbe"), mode, in: place)
                return (mode: mode, tasks: tasks(in: outcome.output))
            }
        }

        @Test(arguments: [
            ["-static-stdlib"], ["-static-stdlib", "-use-ld=lld"], ["-static-stdlib", "-Xlinker", "--gc-sections"],
            ["-static-executable"],
            // With a dynamic runtime the hooks are active under both names.
            [], ["-use-ld=lld"],
        ])
        func theFlagsShowTheTasksOfADynamicProgram(options: [String]) throws {
            let flags = try place.run("flags --static-tasks")
            try #require(flags.status == 0 && flags.errors == "" && flags.output.filter { $0 == "\n" }.count == 1)
            let program = try link(options + flags.output.split(whereSeparator: \.isWhitespace).map(String.init))
            for (mode, tasks) in try Self.expected.get() {
                let found = try Self.run(program, mode, in: place)
                #expect(found.status == 0 && found.errors == "", "\(found)")
                #expect(tasks.count > 3 && Self.tasks(in: found.output) == tasks, "\(mode) \(found.output) \(tasks)")
            }
            // Fails if a task is reported twice, or not at all.
            let counted = try Self.run(program, ["soak", "1"], in: place)
            #expect(counted.status == 0, "\(counted)")
        }

        @Test func withoutTheFlagsTheProgramNamesTheCommandThatPrintsThem() throws {
            let outcome = try Self.run(try link(["-static-stdlib"]), ["waits", "1"], in: place)
            let sentence = """
                tasks cannot be shown: swift_task_create is missing, as in programs with -static-stdlib; build these \
                with `swift build -static-stdlib $(chainview flags --static-tasks)`
                """
            #expect(outcome.status == 0 && outcome.errors == "chainview: \(sentence)\n", "\(outcome)")
        }

        @Test func theCommandNeedsItsOption() throws {
            let outcome = try place.run("flags")
            #expect(outcome.status == 64 && outcome.errors.contains("--static-tasks"), "\(outcome)")
        }

        /// Links TaskProbe's object files with these options, and returns the path of the program.
        private func link(_ options: [String]) throws -> String {
            let program = place.path + "/TaskProbe"
            let objects = "@\(builtProduct("TaskProbe.product"))/Objects.LinkFileList"
            // Swift's package manager names the main functions of programs after their modules.
            let main = ["-Xlinker", "--defsym=main=TaskProbe_main"]
            let outcome = try Self.run(
                "/usr/bin/env", ["swiftc", "-emit-executable", objects, "-o", program] + main + options, in: place)
            try #require(outcome.status == 0, "\(outcome)")
            return program
        }

        private static func run(_ program: String, _ arguments: [String], in place: Place) throws -> Outcome {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: program)
            process.arguments = arguments
            process.standardInput = FileHandle.nullDevice
            // In files, because nothing reads pipes while the program runs.
            let files = ["output", "errors"].map { URL(fileURLWithPath: place.path + "/" + $0) }
            for file in files { try Data().write(to: file) }
            process.standardOutput = try FileHandle(forWritingTo: files[0])
            process.standardError = try FileHandle(forWritingTo: files[1])
            try process.run()
            process.waitUntilExit()
            let texts = try files.map { try String(contentsOf: $0, encoding: .utf8) }
            return Outcome(status: process.terminationStatus, output: texts[0], errors: texts[1])
        }

        /// Returns the lines of tasks in trees, sorted, without ids, threads and durations.
        private static func tasks(in text: String) -> [String] {
            text.split(separator: "\n").filter { $0.contains(#/\w task\b/#) }.map { line in
                var line = String(line)
                for fact in [
                    #/ #\d+/#, #/ for (?:at least )?[\d.]+(?:ms|s)/#, #/ on (?:thread \d+|[^ ]+ \[\d+\])/#,
                    #/, \d+ of \d+ alive/#,
                ] as [Regex<Substring>] {
                    line.replace(fact, with: "")
                }
                return line
            }
            .sorted()
        }
    }
#endif

// SPDX-License-Identifier: MIT
