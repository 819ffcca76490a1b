import AttachHarness
import Foundation
import TerminalHarness
import Testing

/// What only a process of its own shows: `ServerProbe` says what is wrong, or that all is well.
@Suite(.onItsOwnThread) struct ServerProcessTests {
    private let folder = TestFolder()

    private func expectWell(_ mode: String, errorLines: Int = 0) throws {
        let (output, errors, status) = try ProbeRun([mode, folder.path + "/s"]).end()
        #expect(status == 0 && output.hasSuffix("ok\n"), "\(output)\(errors)")
        #expect(errors.split(separator: "\n").count == errorLines, "\(errors)")
        #expect(folder.files == ["s"])
    }

    @Test func aThousandViewersLeaveNothing() throws { try expectWell("many") }

    /// Once for the server that could not be had, and once for the viewers that could not be accepted.
    @Test func theProgramGoesOnWithoutDescriptors() throws { try expectWell("descriptors", errorLines: 2) }

    #if !TSAN
        @Test func aForkedChildTouchesNothing() throws { try expectWell("fork") }
    #endif

    @Test func aProgramThatIsKilledIsSeenToEndAndCleanedUp() throws {
        let probe = try ProbeRun(["listen", folder.path + "/s"])
        let viewer = try TestViewer(probe.line())
        try viewer.greet()
        probe.kill()
        #expect(viewer.farewell() == nil)
        #expect(folder.files == ["s", "s/\(probe.pid).sock"])
        let next = try ProbeRun(["listen", folder.path + "/s"])
        #expect(next.line() == "unix:\(folder.path)/s/\(next.pid).sock")
        #expect(folder.files == ["s", "s/\(next.pid).sock"])
        #expect(next.end().output == "stopped\n")
    }

    @Test func aViewerThatIsKilledHarmsNobody() throws {
        let probe = try ProbeRun(["listen", folder.path + "/s"])
        let address = probe.line()
        let killed = try ProbeRun(["attach", address])
        #expect(killed.line() == "attached")
        killed.kill()
        try TestViewer(address).greet()
        #expect(probe.end().output == "stopped\n")
    }
}
