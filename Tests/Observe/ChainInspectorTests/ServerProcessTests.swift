import AttachHarness
import ChainWire
import Foundation
import TerminalHarness
import Testing

/// Checks that need a process of their own: `ServerProbe` prints what is wrong, or `ok`.
@Suite(.onItsOwnThread) struct ServerProcessTests {
    private let folder = ScratchFolder()

    /// Runs the probe in a mode, and expects success with so many lines on standard error.
    private func expectSuccess(_ mode: String, errorLines: Int = 0) throws {
        let (output, errors, status) = try ProbeRun([mode, folder.path + "/s"]).end()
        #expect(status == 0 && output.hasSuffix("ok\n"), "\(output)\(errors)")
        #expect(errors.split(separator: "\n").count == errorLines, "\(errors)")
        #expect(folder.files == ["s"])
    }

    @Test func manyViewersLeaveNoDescriptorAndNoMemory() throws { try expectSuccess("many") }

    /// Two lines are for servers that could not start, and one for the viewers that could not be accepted.
    @Test func theProgramContinuesWithoutDescriptors() throws { try expectSuccess("descriptors", errorLines: 3) }

    #if !TSAN
        @Test func aForkedChildClosesItsCopiesAndRemovesNothing() throws { try expectSuccess("fork") }
    #endif

    @Test func aKilledProgramEndsItsConnectionsAndTheNextOneRemovesItsFiles() throws {
        let probe = try ProbeRun(["listen", folder.path + "/s"])
        let viewer = try TestViewer(probe.line())
        try viewer.greet()
        probe.kill()
        #expect(viewer.farewell() == nil)
        #expect(folder.files == ["s", "s/\(probe.pid).name", "s/\(probe.pid).sock"])
        let next = try ProbeRun(["listen", folder.path + "/s"])
        #expect(next.line() == "unix:\(folder.path)/s/\(next.pid).sock")
        #expect(folder.files == ["s", "s/\(next.pid).name", "s/\(next.pid).sock"])
        #expect(next.end().output == "stopped\n")
    }

    @Test func aKilledViewerDoesNotHarmTheProgram() throws {
        let probe = try ProbeRun(["listen", folder.path + "/s"])
        let address = probe.line()
        let killed = try ProbeRun(["attach", address])
        #expect(killed.line() == "attached")
        killed.kill()
        try TestViewer(address).greet()
        #expect(probe.end().output == "stopped\n")
    }

    @Test func anExitWithoutAStopLeavesNoFile() throws {
        // By `exit` beside threads that serve a viewer, and by the end of `main`.
        for how in ["exit", "return"] {
            let (output, errors, status) = try ProbeRun(["exit", folder.path + "/s", how]).end()
            #expect(status == 0 && output == "" && errors == "", "\(output)\(errors)")
            #expect(folder.files == ["s"])
        }
        #expect(try ProbeRun(["exit", folder.path + "/s", "replaced"]).end().status == 0)
        #expect(folder.files == ["s", "s/own"])
    }

    #if !TSAN
        @Test func theExitOfAForkedChildLeavesTheParentsFiles() throws {
            let (output, errors, status) = try ProbeRun(["exit", folder.path + "/s", "child"]).end()
            #expect(status == 0, "\(output)\(errors)")
            #expect(folder.files == ["s"])
        }
    #endif

    #if TSAN
        private static let endings = ["exit", "return", "thread", "inspector"]
    #else
        private static let endings = ["exit", "return", "thread", "inspector", "child"]
    #endif

    @Test(arguments: endings) func anExitSendsTheLastEventsAndAGoodbye(how: String) throws {
        let probe = try ProbeRun(["last-words", folder.path + "/s", how])
        let viewer = try TestViewer(probe.line())
        try viewer.greet()
        let (output, errors, status) = probe.end()
        #expect(status == 0, "\(output)\(errors)")
        #expect(viewer.farewell() == Goodbye(.stopped, "The program has ended"))
        #expect(viewer.forest?.totals.counts[.fulfilled] == 1)
        #expect(folder.files == ["s"])
    }

    /// As in containers that share the folder.
    @Test(.enabled(if: canUnshare, "processes with the same pid need the right to make namespaces"))
    func processesWithTheSamePidAllListen() throws {
        for round in 0..<15 {
            let sockets = folder.path + "/s\(round)"
            let mark = folder.path + "/go\(round)"
            let runs = try (0..<3).map { _ in
                try ProbeRun(
                    ["--pid", "--fork", builtProduct("ServerProbe"), "same-pid", sockets, mark],
                    program: "/usr/bin/unshare")
            }
            #expect(FileManager.default.createFile(atPath: mark, contents: nil))
            let addresses = runs.map { $0.line() }
            #expect(
                addresses.sorted() == ["1-2", "1-3", "1"].map { "unix:\(sockets)/\($0).sock" }, "\(addresses)")
            for address in addresses { try TestViewer(address).greet() }
            for run in runs { #expect(run.end().errors == "") }
            #expect(try FileManager.default.contentsOfDirectory(atPath: sockets) == [])
        }
    }

    private static let canUnshare: Bool = {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
        process.arguments = ["--pid", "--fork", "true"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()
}

// SPDX-License-Identifier: MIT
