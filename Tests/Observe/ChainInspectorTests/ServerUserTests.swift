import AttachHarness
import Foundation
import PromiseRuntime
import TerminalHarness
import Testing

@testable import ChainInspector

/// Attempts of another user of the machine. Only root can run them.
@Suite(.onItsOwnThread, .enabled(if: otherUser != nil, "only root can become another user"))
struct ServerUserTests {
    private let folder = ScratchFolder()
    private let user = "\(otherUser ?? 0)"

    @Test func anotherUserIsRefusedByFolderSocketAndSystem() throws {
        let inspector = try Inspector.start(
            runtime: ChainRuntime(executor: ManualExecutor()), options: folder.options())
        defer { inspector.stop() }
        func attach() throws -> String { try ProbeRun(["attach-as", user, inspector.addresses[0]]).end().output }
        let refused = "NotConnected(errorNumber: \(EACCES))\n"
        chmod(folder.path, 0o755)
        #expect(try attach() == refused)
        // If the folder is open by mistake, the socket's own mode still refuses.
        chmod(folder.path + "/s", 0o755)
        #expect(try attach() == refused)
        // If the socket is open, too, the server refuses: the system reports the user at the other end.
        chmod(String(inspector.addresses[0].dropFirst(5)), 0o777)
        #expect(try attach() == "no hello refused: Only the user who runs the program may attach, and root\n")
    }

    @Test func rootMayAttachToAUsersProgram() throws {
        chmod(folder.path, 0o777)
        let probe = try ProbeRun(["run-as", user, builtProduct("ServerProbe"), "listen", folder.path + "/s"])
        let address = probe.line()
        try #require(address.hasPrefix("unix:"), "the build is out of that user's reach: \(address)")
        #expect(try TestViewer(address).greet().process.name == "probe")
        #expect(probe.end().output == "stopped\n")
    }

    @Test func theEnvironmentIsIgnoredInASetuidProgram() throws {
        chmod(folder.path, 0o777)
        let copy = folder.path + "/probe"
        // Copied by another process: a child of another test may inherit what this process writes, and a program that
        // is open for writing cannot be run.
        let copying = try Process.run(
            URL(fileURLWithPath: "/bin/cp"), arguments: [builtProduct("ServerProbe"), copy])
        copying.waitUntilExit()
        func run() throws -> String {
            let sockets = folder.path + "/" + UUID().uuidString
            let environment = ["CHAINVIEW": "1"]
            return try ProbeRun(["run-as", user, copy, "requested", sockets], environment: environment).line()
        }
        chmod(copy, 0o755)
        try #require(try run().hasPrefix("unix:"))
        chmod(copy, 0o4755)
        #expect(try run() == "nothing")
    }
}

// SPDX-License-Identifier: MIT
