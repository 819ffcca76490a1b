import AttachHarness
import ChainEvents
import ChainRecording
import ChainSystem
import ChainWire
import Foundation
import PromiseRuntime
import TerminalHarness
import Testing

@testable import ChainInspector

/// Flight recordings over a socket, and of programs that end.
@Suite(.onItsOwnThread) struct FlightProcessTests {
    private let folder = ScratchFolder()

    @Test func aViewerIsSentTheFile() throws {
        let runtime = ChainRuntime(executor: ManualExecutor())
        var options = folder.options()
        options.flightRecorder = .init()
        let inspector = try Inspector.start(runtime: runtime, options: options)
        defer { inspector.stop() }
        let kept = runtime.run { (0..<6_000).map { Promise<Int>.pending(label: "order \($0)") } }
        let viewer = try TestViewer(inspector.addresses[0])
        try viewer.greet(ClientHello(purpose: .command, isReadOnly: true))
        for id in 1...2 as ClosedRange<UInt64> {
            try viewer.say(
                .command(
                    ViewerCommand(
                        id: id, process: inspector.info.key, request: .dump(last: id == 1 ? .max : 1_000_000_000))))
        }
        var parts: [UInt64: [UInt8]] = [:]
        while viewer.replies.count < 2 {
            guard case .dumpPart(let part) = try viewer.next() else { continue }
            #expect(part.offset == UInt64(parts[part.command]?.count ?? 0))
            parts[part.command, default: []] += part.bytes
        }
        for id in 1...2 as ClosedRange<UInt64> {
            let bytes = try #require(parts[id])
            // More than fits into two parts.
            #expect(bytes.count > 128 << 10)
            #expect(viewer.replies[Int(id) - 1] == CommandReply(command: id, outcome: .accepted(count: bytes.count)))
            try Data(bytes).write(to: URL(fileURLWithPath: folder.path + "/\(id)"))
            #expect(try FlightReading(folder.path + "/\(id)").labels.count == 6_000)
        }
        #expect(folder.files.filter { $0.hasPrefix("s/.") } == [])
        withExtendedLifetime(kept) {}
    }

    @Test func withoutAFlightRecorderAViewerIsRefused() throws {
        let inspector = try Inspector.start(
            runtime: ChainRuntime(executor: ManualExecutor()), options: folder.options())
        defer { inspector.stop() }
        let viewer = try TestViewer(inspector.addresses[0])
        try viewer.greet()
        guard case .refused(let reason) = try viewer.ask(.dump(last: .max)) else {
            Issue.record("not refused")
            return
        }
        #expect(reason.contains("no flight recorder"))
    }

    /// Starts the probe, and returns its run and the path of its recording.
    private func flight(_ how: String) throws -> (run: ProbeRun, path: String) {
        let run = try ProbeRun(["flight", folder.path + "/s", how])
        return (run, run.line())
    }

    /// The signal that ends a program at a trap of Swift.
    private static var trapSignal: Int32 {
        #if arch(x86_64) || arch(i386)
            SIGILL
        #else
            SIGTRAP
        #endif
    }

    @Test(arguments: ["kill", "trap"]) func aProgramThatIsKilledLeavesItsFile(how: String) throws {
        let (run, path) = try flight(how)
        #expect(run.end().status == (how == "kill" ? SIGKILL : Self.trapSignal))
        let reading = try FlightReading(path)
        #expect(reading.file.header.ending == .open && reading.file.process.pid == run.pid)
        #expect(reading.labels == ["charge order 17", "order 17"])
        #expect(try FlightReading(folder.path + "/s/first.chain").labels == reading.labels)
    }

    @Test func aFullDiskEndsTheFlightRecorderWithAMessage() throws {
        let (run, _) = try flight("full")
        #expect(run.line() == "recording" && run.line() == "ended")
        let (_, errors, status) = run.end()
        #expect(status == 0 && errors.contains("the flight recorder has ended, because its file"), "\(errors)")
    }

    /// At that limit the system would end the program.
    @Test func aFileThatMayNotGetItsSizeIsRefused() throws {
        let (run, path) = try flight("limited")
        #expect(path == "none")
        let (_, errors, status) = run.end()
        #expect(status == 0 && errors.contains("files of 1000000 only: raise that limit (ulimit -f)"), "\(errors)")
    }

    @Test func aNormalEndLeavesNoFile() throws {
        for how in ["exit", "wait"] {
            let (run, path) = try flight(how)
            let (_, errors, status) = run.end()
            #expect(status == 0 && !errors.contains("was removed"), "\(errors)")
            #expect(FileFacts(at: path) == nil)
            unlink(folder.path + "/s/first.chain")
        }
        #expect(folder.files == ["s"])
    }

    // ThreadSanitizer holds a signal back while the program waits for input.
    #if !TSAN
        @Test func aSignalDumpsTheFlightRecorder() throws {
            let (run, _) = try flight("wait")
            for number in 1...2 {
                kill(run.pid, SIGUSR2)
                let dump = "\(folder.path)/s/a_probe_1-\(run.pid)-\(number).chain"
                #expect(wait { (try? FlightReading(dump))?.file.header.ending == .finished })
                #expect(try FlightReading(dump).labels == ["charge order 17", "order 17"])
            }
            let (_, errors, status) = run.end()
            #expect(status == 0)
            #expect(errors.split(separator: "\n").count == 2 && errors.contains("what led to a signal"), "\(errors)")
        }
    #endif

    @Test func theNewestFourOfKilledProgramsAreKept() throws {
        try FileManager.default.createDirectory(
            atPath: folder.path + "/s", withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        for number in 1...6 {
            let path = "\(folder.path)/s/\(number).flight"
            #expect(FileManager.default.createFile(atPath: path, contents: nil))
            var times = [timeval(tv_sec: 1_000 + number, tv_usec: 0), timeval(tv_sec: 1_000 + number, tv_usec: 0)]
            utimes(path, &times)
        }
        #expect(FileManager.default.createFile(atPath: folder.path + "/s/mine.flight", contents: nil))
        let (run, _) = try flight("wait")
        unlink(folder.path + "/s/first.chain")
        let flights = folder.files.filter { $0.hasSuffix(".flight") }
        #expect(Set(flights) == Set(["3", "4", "5", "6", "mine", "\(run.pid)"].map { "s/\($0).flight" }))
        // The file of a running program stays.
        let (other, _) = try flight("wait")
        #expect(FileFacts(at: "\(folder.path)/s/\(run.pid).flight") != nil)
        _ = (run.end(), other.end())
    }
}

// SPDX-License-Identifier: MIT
