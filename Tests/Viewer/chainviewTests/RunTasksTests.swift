#if os(Linux)
    import Foundation
    import TerminalHarness
    import Testing

    @testable import chainview

    /// `chainview run --tasks`: the tasks of a program that does not use chainview.
    @Suite(.serialized, .onItsOwnThread) struct RunTasksTests {
        @Test(arguments: [false, true]) func aProgramThatDoesNotUseChainviewShowsItsTasks(isStripped: Bool) throws {
            let place = Place()
            // Without symbols its functions have no names; its tasks do.
            let path = isStripped ? try stripped("PlainTasks", in: place) : builtProduct("PlainTasks")
            let program = chainview(["run", "--tasks", path], in: place)
            let (input, output) = (Pipe(), Pipe())
            (program.standardInput, program.standardOutput) = (input, output)
            try program.run()
            defer { program.terminate() }
            try place.run("ps PlainTasks", untilItPrints: "forgotten")
            let tree = try place.run("ps PlainTasks").output
            let texts = ["task order 1", "task item 0", "suspended"] + (isStripped ? [] : ["closure #1 in order(Int)"])
            for text in texts {
                #expect(tree.contains(text), "\(text) in \(tree)")
            }
            try input.fileHandleForWriting.close()
            program.waitUntilExit()
            let printed = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            #expect(
                program.terminationStatus == 0 && printed == "child:\n",
                "a child does not inherit the library: \(printed)")
        }

        @Test func theFirstTaskOfASynchronousProgramKeepsItsTasks() throws {
            let place = Place()
            let program = chainview(["run", "--tasks", try stripped("PlainServer", in: place)], in: place)
            let input = Pipe()
            (program.standardInput, program.standardOutput) = (input, FileHandle.nullDevice)
            try program.run()
            defer { program.terminate() }
            try place.run("ps PlainServer", untilItPrints: "request 2")
            let text = try place.run("ps --json PlainServer").output
            let tree = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
            let nodes = try #require(tree["nodes"] as? [[String: Any]])
            let server = try #require(nodes.first { $0["label"] as? String == "server" }?["id"] as? Int)
            let requests = nodes.filter { ($0["label"] as? String ?? "").hasPrefix("request") }
            #expect(requests.map { $0["under"] as? Int } == [server, server], "\(text)")
            try input.fileHandleForWriting.close()
            program.waitUntilExit()
            #expect(program.terminationStatus == 0)
        }

        @Test func listingsShowWhereTasksAreSuspended() throws {
            let place = Place()
            let program = chainview(["run", "--tasks", builtProduct("PlainServer")], in: place)
            let input = Pipe()
            (program.standardInput, program.standardOutput) = (input, FileHandle.nullDevice)
            try program.run()
            defer { program.terminate() }
            try place.run("ps PlainServer --where in:forgotten", untilItPrints: "request 2")
            let tree = try place.run("ps PlainServer").output
            #expect(
                tree.split(separator: "\n").contains { $0.contains("request 1") && $0.contains("  in forgotten()") },
                "\(tree)")
            let text = try place.run("ps --json PlainServer --where in:forgotten").output
            let listing = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
            let nodes = try #require(listing["nodes"] as? [[String: Any]])
            let request = try #require(nodes.first { $0["label"] as? String == "request 1" })
            #expect(request["frames"] as? [String] == ["forgotten()", "closure #1.1 in serve()"], "\(text)")
            #expect(request["function"] as? String == "closure #1.1 in serve()", "\(text)")
            #expect(request["file"] is NSNull && request["line"] is NSNull, "\(text)")
            #expect(try place.run("ps PlainServer --where in:elsewhere").output.contains("request") == false)
            let refusal = try place.run("events PlainServer --where in:forgotten")
            #expect(refusal.status == 64 && refusal.errors.contains("chainview ps and the dashboard"))
        }

        /// Returns a process that is to run `chainview ARGUMENTS`.
        private func chainview(_ arguments: [String], in place: Place) -> Process {
            let program = Process()
            program.executableURL = URL(fileURLWithPath: builtProduct("chainview"))
            program.arguments = arguments
            program.environment = PseudoTerminal.standardEnvironment.merging(place.environment) { $1 }
            return program
        }

        /// Returns the path of a copy of a product without symbols.
        private func stripped(_ product: String, in place: Place) throws -> String {
            let copy = place.path + "/" + product
            let strip = Process()
            strip.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            strip.arguments = ["strip", "-o", copy, builtProduct(product)]
            try strip.run()
            strip.waitUntilExit()
            try #require(strip.terminationStatus == 0)
            return copy
        }

        @Test func aProgramThatEmbedsTheInspectorShowsItselfAlone() throws {
            let place = Place()
            let outcome = try place.run("run --tasks \(builtProduct("TaskProbe")) many 100")
            #expect(outcome.status == 0 && outcome.errors == "", "\(outcome)")

            let program = chainview(["run", "--tasks", builtProduct("TaskProbe"), "waits", "3"], in: place)
            let input = Pipe()
            (program.standardInput, program.standardOutput) = (input, FileHandle.nullDevice)
            try program.run()
            defer { program.terminate() }
            // The three tasks, and the group that waits for them.
            try place.run("ps --json", untilItPrints: #""live":4,"#)
            let list = try JSONSerialization.jsonObject(with: Data(try place.run("ps --json").output.utf8))
            let programs = try #require(list as? [[String: Any]])
            #expect(programs.count == 1 && programs.first?["name"] as? String == "waits", "\(programs)")
            let pid = try #require(programs.first?["pid"] as? Int)
            let files = try String(contentsOfFile: "/proc/\(pid)/maps", encoding: .utf8)
            #expect(files.contains("/TaskProbe\n") && !files.contains("libChainPreload"), "the library is not loaded")
            try input.fileHandleForWriting.close()
            program.waitUntilExit()
            #expect(program.terminationStatus == 0)
        }

        @Test func theReasonWhyTasksAreNotShownIsOneSentence() throws {
            let place = Place()
            try Shell.write("#!/bin/sh\n", to: place.path + "/script")
            try Shell.copy(program: builtProduct("PlainTasks"), to: place.path + "/setuid")
            chmod(place.path + "/setuid", 0o4755)
            for (program, reason) in [
                ("./script", "it is a script or no program: name the program that it starts"),
                ("./setuid", "it is setuid or setgid, so the system ignores preloaded libraries"),
                ("/bin/ls", "it is not a program of Swift"),
                (
                    builtProduct("CommandProbe"),
                    "it embeds the inspector alone: link ChainTasks, too, and start the inspector with tasks: true"
                ),
            ] {
                let outcome = try place.run("run --tasks \(program)")
                #expect(outcome.status == 64 && outcome.output == "", "\(outcome)")
                #expect(
                    outcome.errors == "chainview: the tasks of \(program) cannot be shown: \(reason).\n", "\(outcome)")
            }
        }

        @Test func aProgramWithFileCapabilitiesIsRefusedExceptToRoot() throws {
            let place = Place()
            defer { withExtendedLifetime(place) {} }
            let path = place.path + "/capable"
            try Shell.copy(program: builtProduct("PlainTasks"), to: path)
            let setcap = Process()
            setcap.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            setcap.arguments = ["setcap", "cap_net_bind_service=ep", path]
            setcap.standardError = FileHandle.nullDevice
            try setcap.run()
            setcap.waitUntilExit()
            // Needs a right, a tool, and a file system that keeps capabilities.
            guard setcap.terminationStatus == 0 else { return }
            #expect(try ProgramFile(path).check(isRoot: true) == .canPreload)
            let failure = #expect(throws: Failure.self) { try ProgramFile(path).check(isRoot: false) }
            let reason = "cannot be shown: it has file capabilities, so the system ignores preloaded libraries."
            #expect(failure?.message.hasSuffix(reason) == true, "\(String(describing: failure))")
        }
    }
#endif

// SPDX-License-Identifier: MIT
