#if os(Linux)
    import Foundation
    import TerminalHarness
    import Testing

    /// Tasks of a program as they are shown: their place in the tree, their state, their details.
    @Suite struct TaskTreeTests {
        @Test func allTasksAreUnderTheirParentsAndMakers() throws {
            let run = try ProbeRun()
            #expect(run.status == 0 && run.errors == "", "\(run.errors)")
            #expect(run.output.hasPrefix("failure none, missing []\n") && run.output.hasSuffix("stopped\n"))
            try #require(run.trees.count == 2, "\(run.output)")
            #expect(
                run.trees[0] == """
                    running task
                      running task promise (TaskProbe.swift)
                        running scope scope (TaskProbe.swift)
                          suspended task (implicit closure #1.1 in TaskProbe.scope())
                        suspended task (closure #1 in Promise.makeTask(@Sendable () async throws -> A))
                    suspended task (closure #5 in TaskProbe.showTree())
                      pending pending in a task (TaskProbe.swift)
                    suspended task cancelled (closure #3 in TaskProbe.showTree())
                    suspended task deliver (closure #8 in TaskProbe.showTree())
                    suspended task ends when cancelled (closure #4 in TaskProbe.showTree())
                    suspended task is cancelled (closure #1.2 in deliver())
                    suspended task lost (closure #2 in TaskProbe.showTree())
                    suspended task order 1 (closure #1 in TaskProbe.showTree())
                      suspended task (implicit closure #1 in order(Int))
                      suspended task item 0 (closure #1.1 in order(Int))
                      suspended task item 1 (closure #1.1 in order(Int))
                      suspended task nested (closure #1.2 in order(Int))
                        suspended task inner (closure #1.2.1.1 in order(Int))
                    suspended task parked (closure #6 in TaskProbe.showTree())
                    suspended task throws (closure #1.1 in deliver())
                    """)
            #expect(
                run.trees[1] == """
                    cancelled task cancelled: its task was cancelled (closure #3 in TaskProbe.showTree())
                    cancelled task is cancelled: its task was cancelled (closure #1.2 in deliver())
                    fulfilled task (closure #5 in TaskProbe.showTree())
                      fulfilled pending in a task (TaskProbe.swift)
                    fulfilled task ends when cancelled (closure #4 in TaskProbe.showTree())
                    fulfilled task order 1 (closure #1 in TaskProbe.showTree())
                      fulfilled task (implicit closure #1 in order(Int))
                      fulfilled task item 0 (closure #1.1 in order(Int))
                      fulfilled task item 1 (closure #1.1 in order(Int))
                      rejected task nested (closure #1.2 in order(Int))
                        rejected task inner (closure #1.2.1.1 in order(Int))
                    fulfilled task parked (closure #6 in TaskProbe.showTree())
                    rejected task deliver (closure #8 in TaskProbe.showTree())
                    rejected task throws (closure #1.1 in deliver())
                    running task
                      fulfilled task promise (TaskProbe.swift)
                        fulfilled scope scope (TaskProbe.swift)
                          fulfilled task (implicit closure #1.1 in TaskProbe.scope())
                        fulfilled task (closure #1 in Promise.makeTask(@Sendable () async throws -> A))
                    suspended task lost (closure #2 in TaskProbe.showTree())
                    """)
        }

        #if !TSAN  // ThreadSanitizer lets no child of a fork start a thread.
            @Test func childrenOfForksShowTheirOwnTasksOnly() throws {
                let run = try ProbeRun(["forks", "100"])
                #expect(run.status == 0, "\(run.output) \(run.errors)")
            }
        #endif

        #if Tracing
            @Test func promisesAreInTasksInSpans() throws {
                let trees = try self.trees("spans", count: 2)
                #expect(
                    trees[0] == """
                        running task
                        suspended task request (closure #1 in SpanProbe.showTree())
                          running span GET /order (SpanProbe.swift)
                            suspended task (implicit closure #1.1.1 in SpanProbe.showTree())
                              running span fraud score (SpanProbe.swift)
                            suspended task item (closure #1.1.2.1 in SpanProbe.showTree())
                              running span reserve (SpanProbe.swift)
                                running task stock (SpanProbe.swift)
                                  suspended task (closure #1 in Promise.makeTask(@Sendable () async throws -> A))
                            suspended task mail (closure #1.1.2.2 in SpanProbe.showTree())
                              running task receipt (SpanProbe.swift)
                                running span send (SpanProbe.swift)
                        """)
                #expect(trees[1] == "running task")
            }
        #endif

        @Test func theDetailsShowWhereATaskIsSuspended() throws {
            let output = try ProbeRun(["details"]).output
            // Inlined functions have no frame.
            #if DEBUG
                let stacks = [
                    ["Gate.wait()", "Till.charge(Int)", "closure #1.1 in order(Int)"],
                    ["ThrowingTaskGroup.next", "closure #1.2.1 in order(Int)"],
                    ["address()", "closure #2 in TaskProbe.showTree()"],
                ]
            #else
                let stacks = [
                    ["Gate.wait()", "closure #1.1 in order(Int)"],
                    ["ThrowingTaskGroup.next", "closure #1.2 in order(Int)"],
                    ["closure #2 in TaskProbe.showTree()"],
                ]
            #endif
            for stack in stacks {
                #expect(
                    output.split(separator: "details ").contains { inOrder(stack, in: $0) }, "\(stack) in \(output)")
            }
            #expect(!output.contains("thunk"))
            // The frames begin with the program's own function, also where a function of Swift waits.
            #if DEBUG
                let innermost = ["Gate.wait()", "closure #1.2.1 in order(Int)", "address()"]
            #else
                let innermost = ["Gate.wait()", "closure #1.2 in order(Int)", "closure #2 in TaskProbe.showTree()"]
            #endif
            let frames = output.split(separator: "\n").filter { $0.hasPrefix("frames ") }
            for function in innermost {
                #expect(frames.contains { $0.hasPrefix("frames of #") && $0.contains(": \(function);") }, "\(frames)")
            }
            #expect(!frames.contains { $0.contains(": ThrowingTaskGroup.next") }, "\(frames)")
            #expect(output.contains("frames by part as by node: true"), "\(frames)")
        }

        /// What a task makes once it has made tasks for long is a chain for each, named after what it does.
        @Test func theRequestsOfAServerAreSeparateChains() throws {
            let run = try ProbeRun(["server"])
            #expect(run.status == 0, "\(run.output)\(run.errors)")
            try #require(run.trees.count == 1, "\(run.output)")
            let tree = run.trees[0].split(separator: "\n").map { $0.replacing(#/ \(.*\)/#, with: "") }
            #expect(
                tree == [
                    "running task", "suspended task request 2", "  running task request 2", "suspended task request 3",
                    "  running task request 3", "suspended task server", "  suspended task",
                    "    running task request 0", "  suspended task", "    running task request 1",
                ], "\(run.output)")
            #expect(run.output.contains("cancel request 2: accepted(count: 1)"), "\(run.output)")
            #expect(run.output.contains("requests left: 3"), "\(run.output)")
            // The request that is still pending, and the server, its two first tasks with it.
            #expect(run.output.contains("cancel server: accepted(count: 2)"), "\(run.output)")
            #expect(run.output.hasSuffix("all were cancelled\n"), "\(run.output)")
        }

        // Not under ThreadSanitizer: its own `dispatch_async_f` takes the place of ours, so that the end of a task is
        // seen only once its thread runs another task.
        #if !TSAN
            @Test func aTaskThatBlocksItsThreadSaysInWhat() throws {
                let output = try ProbeRun(["blocked"]).output
                let trees = output.components(separatedBy: "\n\n")
                #expect(trees[0].contains(#/running task #\d+ blocked .* blocked in futex wait for/#), "\(output)")
                #expect(trees.dropFirst().contains { $0.contains(#/fulfilled task #\d+ blocked/#) }, "\(output)")
            }
        #endif

        /// A cancelled task cancels the tasks of its async lets, of which this one goes on.
        @Test func theTaskOfAnAsyncLetIsMarkedWithItsParent() throws {
            let output = try ProbeRun(["cancelled"]).output
            #expect(output.contains("cancel requested: 3\n"), "\(output)")
        }

        /// A program without a table of sections has no symbols.
        @Test func aStrippedProgramSaysSo() throws {
            var bytes = try Data(contentsOf: URL(fileURLWithPath: builtProduct("TaskProbe")))
            bytes.replaceSubrange(40..<48, with: [UInt8](repeating: 0, count: 8))
            bytes.replaceSubrange(60..<62, with: [0, 0])
            // Beside the program, because it finds its libraries relative to itself.
            let name = "TaskProbe-stripped-\(getpid())"
            let path = builtProduct(name)
            defer { try? FileManager.default.removeItem(atPath: path) }
            try bytes.write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
            let run = try ProbeRun(["named"], program: name)
            #expect(
                run.errors
                    == "chainview: the program is stripped, so tasks are shown without the functions that they run\n")
            #expect(run.output.contains("task #"))
        }

        /// Returns whether the text contains the parts in this order.
        private func inOrder(_ parts: [String], in text: Substring) -> Bool {
            var rest = text
            for part in parts {
                guard let range = rest.firstRange(of: part) else { return false }
                rest = rest[range.upperBound...]
            }
            return true
        }

        /// Returns the trees that the probe prints in a mode; it must end well.
        private func trees(
            _ mode: String, count: Int = 1, sourceLocation: SourceLocation = #_sourceLocation
        ) throws -> [String] {
            let run = try ProbeRun([mode])
            let hasEndedWell = run.status == 0 && run.output.hasSuffix("stopped\n")
            #expect(hasEndedWell, "\(run.output) \(run.errors)", sourceLocation: sourceLocation)
            try #require(run.trees.count == count, "\(run.output)", sourceLocation: sourceLocation)
            return run.trees
        }

        @Test func tasksHaveNamesAgainOnceThereAreDescriptors() throws {
            let trees = try self.trees("scarce")
            #expect(
                trees[0] == """
                    running task
                    suspended task
                    suspended task (closure #1 in TaskProbe.waiting())
                    """)
        }

        @Test func sleepsThatAreUnderWayAtTheStartAreNoTasks() throws {
            let trees = try self.trees("sleeping")
            #expect(
                trees[0] == """
                    running task
                    suspended task sleeping 1
                    suspended task sleeping 2
                    suspended task sleeping 3
                    """)
        }

        #if !TSAN
            // ThreadSanitizer wraps the jobs of Dispatch in functions of its own, which are not known as jobs of tasks.
            @Test func tasksThatAreQueuedAtTheStartEnd() throws {
                let trees = try self.trees("queued")
                let lines = trees[0].split(separator: "\n")
                #expect(lines.contains { $0.hasPrefix("fulfilled task") }, "\(trees[0])")
                let others = lines.filter { !$0.hasPrefix("fulfilled task") }
                #expect(others.count == 1 && others[0].hasPrefix("running task"), "\(trees[0])")
            }
        #endif

        @Test func queuedTasksHaveNames() throws {
            let trees = try self.trees("named")
            let lines = trees[0].split(separator: "\n")
            #expect(lines.contains { $0.hasPrefix("queued task") }, "\(trees[0])")
            // All but the one that runs the program.
            #expect(lines.filter { !$0.contains(" task number ") }.count == 1, "\(trees[0])")
        }

        @Test func everyTaskIsSeenToBeginAndToEnd() throws {
            let run = try ProbeRun(["soak", "2"])
            #expect(run.status == 0, "\(run.output)\(run.errors)")
        }

        @Test func aHundredThousandTasksAreShown() throws {
            #if DEBUG
                let count = 10_000
            #else
                let count = 100_000
            #endif
            let run = try ProbeRun(["many", "\(count)"])
            #expect(run.status == 0, "\(run.output)\(run.errors)")
        }

        @Test func observationEndsAndBeginsAgainWhileTasksRun() throws {
            let run = try ProbeRun(["restart", "40"])
            #expect(run.status == 0, "\(run.output)\(run.errors)")
        }

        @Test func aViewerCancelsATaskButNoAsyncLet() throws {
            let run = try ProbeRun(["cancel"])
            let output = run.output
            let order = try #require(output.firstMatch(of: /task (#\d+) order 1/)).1
            #expect(
                output.contains(
                    #": refused("Only the parent of an async let can be cancelled: cancel \#(order), which it is in")"#),
                "\(output)")
            #expect(output.contains("cancel lost: accepted(count: 1)"))
            #expect(output.contains("cancel ends when cancelled: accepted(count: 1)"))
            let lost = output.split(separator: "\n").filter { $0.contains("task") && $0.contains(" lost") }
            #expect(
                lost.contains { $0.contains("suspended") && $0.contains("to be cancelled by ada") }, "\(lost)")
        }
    }
#endif

// SPDX-License-Identifier: MIT
