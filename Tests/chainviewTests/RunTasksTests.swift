#if os(Linux)
    import Foundation
    import TerminalHarness
    import Testing

    /// `chainview run --tasks`: the tasks of a program that knows nothing of chainview.
    @Suite(.serialized, .onItsOwnThread) struct RunTasksTests {
        private let plain = builtProduct("PlainTasks")

        @Test func aProgramThatKnowsNothingOfItShowsItsTasks() throws {
            let place = try Place()
            let program = Process()
            program.executableURL = URL(fileURLWithPath: builtProduct("chainview"))
            program.arguments = ["run", "--tasks", plain]
            program.environment = PseudoTerminal.standardEnvironment.merging(place.environment) { $1 }
            let (input, output) = (Pipe(), Pipe())
            (program.standardInput, program.standardOutput) = (input, output)
            try program.run()
            defer { program.terminate() }
            try place.wait(until: "ps PlainTasks", prints: "forgotten")
            let tree = try place.run("ps PlainTasks").output
            for text in ["task order 1", "task item 0", "implicit closure #1 in order(Int)", "suspended"] {
                #expect(tree.contains(text), "\(text) in \(tree)")
            }
            try input.fileHandleForWriting.close()
            program.waitUntilExit()
            let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            #expect(
                program.terminationStatus == 0 && said == "child:\n", "a child does not inherit the library: \(said)")
        }

        @Test func aProgramThatEmbedsTheInspectorShowsItselfAlone() throws {
            let place = try Place()
            let outcome = try place.run("run --tasks \(builtProduct("CommandProbe")) shop 'chain order 17' 'exit 3'")
            #expect(outcome.status == 3 && outcome.errors == "", "\(outcome)")
        }

        @Test func theReasonIsOneSentence() throws {
            let place = try Place()
            try "#!/bin/sh\n".write(toFile: place.path + "/script", atomically: true, encoding: .utf8)
            chmod(place.path + "/script", 0o755)
            try FileManager.default.copyItem(atPath: plain, toPath: place.path + "/setuid")
            chmod(place.path + "/setuid", 0o4755)
            for (program, reason) in [
                ("./script", "it is a script or no program: name the program that it starts"),
                ("./setuid", "it is setuid or setgid, so the system ignores preloaded libraries"),
                ("/bin/ls", "it is not a program of Swift"),
            ] {
                let outcome = try place.run("run --tasks \(program)")
                #expect(outcome.status == 64 && outcome.output == "", "\(outcome)")
                #expect(
                    outcome.errors == "chainview: The tasks of \(program) cannot be shown: \(reason).\n", "\(outcome)")
            }
        }
    }
#endif
