import ChainEvents
import ChainModel
import ChainSystem
import Foundation
import PromiseRuntime
import TerminalHarness
import TestWaits
import Testing

@testable import ChainInspector

/// The dump of live nodes as text.
@Suite struct DumpTests {
    private let clock = StillClock()
    private let executor = ManualExecutor(name: "till")
    private let runtime: ChainRuntime

    init() { runtime = ChainRuntime(clock: clock, executor: executor) }

    private struct Declined: Error, CustomStringConvertible { var description: String { "declined" } }

    /// Returns the lines of a dump without its header, which has to name `alive` nodes.
    private func lines(_ inspector: Inspector, alive: Int, settled: Bool = false, limit: Int = 10_000) -> [String] {
        let lines = inspector.dump(settled: settled, limit: limit).split(separator: "\n").map(String.init)
        #expect(lines[0].hasPrefix("\(inspector.info.name) (pid \(getpid())) at "))
        #expect(lines[0].contains(": \(alive) nodes alive"))
        return Array(lines.dropFirst())
    }

    @Test func showsLiveNodesAndWhatTheyWaitFor() throws {
        let inspector = try Inspector.start(runtime: runtime, options: .alone)
        defer { inspector.stop() }
        let file = "(DumpTests.swift:"
        let line = #line + 1
        let (order, resolver) = runtime.run { Promise<Int>.pending(label: "order 17") }
        let charge = order.map(label: "charge") { $0 }
        let over = runtime.run { Promise<Int>.resolve(1, label: "over") }
        let late = over.map(label: "late") { $0 }
        let failed = runtime.run { Promise<Int>.reject(Declined(), label: "failed") }
        let all = runtime.run { Promise.all([charge, over], label: "both") }
        clock.advance(by: 1_240_000_000)
        let thread = threadText()
        // A handler that dumps while it runs.
        let inner = Lock<[String]>([])
        let looks = runtime.run {
            Promise<Int>(label: "looks") { [clock] in
                clock.advance(by: 344_000_000)
                inner.withLock { $0 = inspector.dump().split(separator: "\n").map(String.init) }
                return 1
            }
        }
        #expect(
            lines(inspector, alive: 5) == [
                "pending pending \(order.id) order 17 \(file)\(line)) for 1.24s, waits for its resolver, 2 of 2 alive",
                "waiting map \(charge.id) charge \(file)\(line + 1)) for 1.24s, waits for its parent \(order.id) (pending)",
                "pending all \(all.id) both \(file)\(line + 5)) for 1.24s, "
                    + "waits for its member \(charge.id) (waiting), 2 of 3 alive",
                "  fulfilled resolve \(over.id) over \(file)\(line + 2))",
                "  queued map \(late.id) late \(file)\(line + 3)) for 1.24s, waits for a turn on till",
                "queued work \(looks.id) looks \(file)\(line + 11)) for 0.0ms, waits for a turn on till",
            ])
        executor.runAll()
        #expect(
            inner.withLock { $0 }.contains {
                $0.hasPrefix("running work \(looks.id) looks (") && $0.contains(" on ") && $0.contains(thread)
                    && $0.hasSuffix(" for 344ms")
            })
        let gone = "rejected reject \(failed.id) failed: declined \(file)\(line + 4))"
        #expect(!lines(inspector, alive: 3).contains(gone))
        #expect(lines(inspector, alive: 3, settled: true).contains(gone))
        resolver.fulfill(1)
        executor.runAll()
        #expect(lines(inspector, alive: 0) == [])
        withExtendedLifetime((late, all)) {}
    }

    @Test func aDumpIsBounded() throws {
        let inspector = try Inspector.start(runtime: runtime, options: .alone)
        defer { inspector.stop() }
        let (root, resolver) = runtime.run { Promise<Int>.pending() }
        let children = (0..<500).map { _ in root.map { $0 } }
        let others = (0..<500).map { _ in runtime.run { Promise<Int>.pending() } }
        #expect(lines(inspector, alive: 1001).count == 1001)
        let some = lines(inspector, alive: 1001, limit: 100)
        #expect(some.count == 101 && some.last == "… and 901 more that are alive")
        let most = lines(inspector, alive: 1001, limit: 700)
        #expect(most.count == 701 && most.last == "… and 301 more that are alive")
        #expect(lines(inspector, alive: 1001, limit: 1001).count == 1001)
        resolver.fulfill(1)
        executor.runAll()
        for pair in others { pair.resolver.fulfill(1) }
        withExtendedLifetime(children) {}
    }

    @Test func aSettledNodeThatStillRunsIsShown() throws {
        let inspector = try Inspector.start(runtime: runtime, options: .alone)
        defer { inspector.stop() }
        let seen = Lock("")
        let box = Lock<Promise<Int>?>(nil)
        let promise = runtime.run {
            Promise<Int>(label: "stubborn") { [clock] in
                box.withLock { $0 }?.cancel(by: .viewer("ada"))
                clock.advance(by: 2_000_000_000)
                seen.withLock { $0 = inspector.dump() }
                return 1
            }
        }
        box.withLock { $0 = promise }
        executor.runAll()
        let text = seen.withLock { $0 }
        #expect(text.contains("cancelled work \(promise.id) stubborn: cancelled by ada (DumpTests.swift:"), "\(text)")
        #expect(text.contains(") still on ") && text.contains(" for 2.00s"))
        box.withLock { $0 = nil }
    }

    @Test func controlCharactersOfLabelsAreEscaped() {
        #expect(escaped("plain — ünï 🎉") == "plain — ünï 🎉")
        #expect(escaped("a\u{1B}[31m\nb\u{9B}c\u{202E}d\u{7F}") == "a\\u{1b}[31m\\nb\\u{9b}c\\u{202e}d\\u{7f}")
        #expect(dateText(nanosecondsSince1970: 1_795_292_740_999_999_999) == "2026-11-21 20:25:40 UTC")
    }

    @Test func aSignalThatCannotBeHandledIsRefused() throws {
        for signal in [SIGKILL, SIGSTOP, SIGSEGV, 0, -1, 1000] {
            var options = InspectorOptions.alone
            options.dumpSignal = signal
            let error = #expect(throws: InspectorError.self) {
                try Inspector.start(runtime: runtime, options: options)
            }
            #expect(error == .dumpSignal(signal, errorNumber: EINVAL))
            #expect(
                "\(error!)"
                    == "Signal \(signal) cannot ask for a dump: set dumpSignal to one that a program may handle, as SIGUSR1"
            )
        }
        // The refused start left no recorder, so another inspector can start.
        try Inspector.start(runtime: runtime, options: .alone).stop()
    }

    @Test func aDumpToAFifoWithoutAReaderDoesNotHoldUpTheStop() throws {
        let folder = ScratchFolder()
        let path = folder.path + "/dump"
        try #require(mkfifo(path, 0o600) == 0)
        let (asked, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let thread = try DumpSignalThread(SIGUSR1, target: .file(path)) {
            asked.signal()
            return "2 nodes alive\n"
        }
        kill(getpid(), SIGUSR1)
        try #require(asked.waitForSignal())
        let join = startThread(named: nil) {
            thread.stop()
            ended.signal()
        }
        try #require(ended.waitForSignal())
        join()
    }

    /// Returns the number of this thread, on which the manual executor runs handlers.
    private func threadText() -> String {
        let bench = Bench()
        bench.record(.started, 1)
        bench.collector.collectNow()
        return "\(bench.events[0].thread)"
    }
}

#if !TSAN
    /// Signals, forks and ends, each in a process of its own.
    @Suite struct ProcessTests {
        private func probe(_ arguments: [String]) -> (process: Process, input: Pipe, output: Pipe, error: Pipe) {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: builtProduct("ForkProbe"))
            process.arguments = arguments
            let pipes = (Pipe(), Pipe(), Pipe())
            process.standardInput = pipes.0
            process.standardOutput = pipes.1
            process.standardError = pipes.2
            return (process, pipes.0, pipes.1, pipes.2)
        }

        /// Runs a probe, which has to print this line and to succeed.
        private func expectRun(_ arguments: [String], prints line: String) throws {
            let probe = probe(arguments)
            try probe.process.run()
            let printed = read(probe.output, until: "\n")
            probe.process.waitUntilExit()
            #expect(printed == line && probe.process.terminationStatus == 0, "\(printed)")
        }

        /// Reads until `text` has come `times` times, or to the end. The probe's alarm ends a longer wait.
        private func read(_ pipe: Pipe, until text: String, times: Int = 1) -> String {
            var data = Data()
            while String(decoding: data, as: UTF8.self).components(separatedBy: text).count <= times {
                let more = pipe.fileHandleForReading.availableData
                if more.isEmpty { break }
                data += more
            }
            return String(decoding: data, as: UTF8.self)
        }

        @Test func aSignalDumpsTheTreeAlthoughTheCollectorIsBlocked() throws {
            let probe = probe(["dump"])
            try probe.process.run()
            #expect(read(probe.output, until: "ready\n") == "ready\n")
            for _ in 0..<3 {
                kill(probe.process.processIdentifier, SIGUSR1)
                let dump = read(probe.error, until: "its resolver\n", times: 2)
                #expect(dump.hasPrefix("probe (pid \(probe.process.processIdentifier)) at 20"), "\(dump)")
                #expect(dump.contains(" UTC: 2 nodes alive\n"))
                #expect(dump.contains(" before the stall (SignalCase.swift:"))
                #expect(dump.contains(" after\\u{1b}[31m it (SignalCase.swift:"))
            }
            try probe.input.fileHandleForWriting.close()
            let rest = read(probe.output, until: "over\n")
            #expect(rest == "the program's own\nthe program's own\nover\n")
            probe.process.waitUntilExit()
            #expect(probe.process.terminationStatus == 0 && probe.process.terminationReason == .exit)
        }

        @Test func aForkedChildMayStartAnInspectorWhileOtherThreadsDo() throws {
            try expectRun(["forks"], prints: "forks: ok\n")
        }

        @Test func forksAndStartsOfAnInspectorThatListensNeverWaitForEachOther() throws {
            let folder = ScratchFolder()
            try expectRun(["listens", folder.path], prints: "listening forks: ok\n")
        }

        @Test func aForkedChildMayMakePromisesWhileOtherThreadsDo() throws {
            try expectRun(["promises"], prints: "promises: ok\n")
        }

        @Test func aForkedChildMayUseTheHooksOfARuntimeWhileOtherThreadsDo() throws {
            try expectRun(["hooks"], prints: "hooks: ok\n")
        }

        @Test func codeOfTheProgramHasItsSignalsOnThreadsOfChainview() throws {
            try expectRun(["masks"], prints: "over\n")
        }

        #if os(Linux)
            @Test func theBlockMonitorHardlyRunsWithoutARecorder() throws {
                try expectRun(["watch"], prints: "over\n")
            }

            @Test func aForkedChildHasNoDescriptorOfADumpSignal() throws {
                try expectRun(["pipes"], prints: "over\n")
            }

            @Test func stoppingLeavesNoThreadSocketOrFileBehind() throws {
                let folder = ScratchFolder()
                let probe = probe(["stop", folder.path])
                try probe.process.run()
                #expect(read(probe.output, until: "over\n") == "over\n")
                probe.process.waitUntilExit()
                let errors = String(decoding: probe.error.fileHandleForReading.availableData, as: UTF8.self)
                #expect(probe.process.terminationStatus == 0 && probe.process.terminationReason == .exit, "\(errors)")
            }
        #endif
    }
#endif

// SPDX-License-Identifier: MIT
