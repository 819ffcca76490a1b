import AttachHarness
import Foundation
import PromiseRuntime
import TerminalHarness
import Testing

@testable import ChainInspector

/// What another user of the machine can do; only root can become one.
@Suite(.onItsOwnThread, .enabled(if: otherUser != nil, "only root can become another user"))
struct ServerUserTests {
    private let folder = TestFolder()
    private let user = "\(otherUser ?? 0)"

    @Test func anotherUserIsRefusedByFolderSocketAndSystem() throws {
        let inspector = try Inspector.start(
            runtime: ChainRuntime(executor: ManualExecutor()), options: folder.options())
        defer { inspector.stop() }
        func attach() throws -> String { try ProbeRun(["attach-as", user, inspector.addresses[0]]).end().output }
        let refused = "NotConnected(errorNumber: \(EACCES))\n"
        chmod(folder.path, 0o755)
        #expect(try attach() == refused)
        // The folder was opened by mistake: the socket's own mode is left.
        chmod(folder.path + "/s", 0o755)
        #expect(try attach() == refused)
        // That user is refused by the system's word on it.
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

    @Test func theEnvironmentIsIgnoredInAProgramWithMoreRights() throws {
        chmod(folder.path, 0o777)
        let copy = folder.path + "/probe"
        // By another process: a file that this one writes to might be open in a child of another test's.
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
