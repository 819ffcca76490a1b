import ChainEvents
import ChainWire
import Foundation
import TestWaits
import Testing

@testable import ChainAttach

/// Files with names beside sockets, by which programs are found without a connection.
@Suite struct NameFileTests {
    let folder: TemporaryFolder
    let clock = ManualPollClock()

    init() throws { folder = try TemporaryFolder() }

    /// Resolves a name on a clock that stands still, so that a wait for an answer never ends.
    private func resolve(_ name: String, preferring key: UInt64? = nil) throws -> Endpoint {
        let context = Discovery.SearchContext(clock: clock)
        return try folder.discovery.resolve(.name(name), preferring: key.map { ProcessKey(rawValue: $0) }, context)
    }

    /// Makes a program with its name in the file beside its socket.
    private func named(_ name: String, pid: Int32, key: UInt64 = 1) throws -> FakeProgram {
        let program = try FakeProgram(in: folder, pid: pid, name: name, key: key)
        try label(program, as: name)
        return program
    }

    /// Writes the file beside a program's socket.
    private func label(_ program: FakeProgram, as name: String, inode: UInt64? = nil, mode: mode_t = 0o600) throws {
        var status = stat()
        #expect(lstat(program.path, &status) == 0)
        let label = SocketLabel(inode: inode ?? UInt64(status.st_ino), process: program.info.key, name: name)
        let path = SocketFolder.labelPath(of: program.path)
        try label.text.write(toFile: path, atomically: false, encoding: .utf8)
        chmod(path, mode)
    }

    @Test func namesAreReadWithoutAConnection() throws {
        let programs = try [("shop", 11), ("stock", 12), ("stockings", 13)].map { try named($0, pid: $1) }
        #expect(try resolve("shop") == programs[0].endpoint)
        #expect(try resolve("stock") == programs[1].endpoint)
        #expect(try resolve("sh") == programs[0].endpoint)
        let several = #expect(throws: AttachError.self) { try resolve("st") }
        #expect(several?.kind == .ambiguous && several?.description.hasSuffix(": 12 (stock), 13 (stockings)") == true)
        let none = #expect(throws: AttachError.self) { try resolve("shp") }
        #expect(none?.kind == .notFound && none?.description.hasSuffix("did you mean shop?") == true)
        for program in programs {
            while let viewer = program.acceptIfThere() { #expect(try viewer.receive() == nil) }
        }
    }

    @Test func ofTwoRunsThePreferredOneIsFound() throws {
        let (first, second) = (try named("shop", pid: 21, key: 1), try named("shop", pid: 22, key: 2))
        #expect(try resolve("shop", preferring: 2) == second.endpoint)
        #expect(try resolve("shop", preferring: 1) == first.endpoint)
        #expect(#expect(throws: AttachError.self) { try resolve("shop") }?.kind == .ambiguous)
    }

    @Test func endedProgramsAreNotFoundByName() throws {
        do { _ = try named("shop", pid: 31) }
        #expect(FileManager.default.fileExists(atPath: folder.path + "/31.name"))
        let error = #expect(throws: AttachError.self) { try resolve("shop") }
        #expect(error?.kind == .notFound)
        let living = try named("shop", pid: 32)
        #expect(try resolve("shop") == living.endpoint)
    }

    /// A label of another socket, a file that is no label, and a link to a label: then the program is asked.
    @Test func anInvalidLabelIsIgnored() throws {
        let program = try FakeProgram(in: folder, pid: 41, name: "shop")
        let path = SocketFolder.labelPath(of: program.path)
        let labels: [() throws -> Void] = [
            { try label(program, as: "other", inode: 1) },
            { try "other".write(toFile: path, atomically: false, encoding: .utf8) },
            {
                rename(path, folder.path + "/elsewhere")
                try label(program, as: "other")
                rename(path, folder.path + "/elsewhere")
                symlink(folder.path + "/elsewhere", path)
            },
        ]
        for make in labels {
            unlink(path)
            try make()
            let endpoint = Eventually { try resolve("shop") }
            _ = try program.welcome()
            #expect(try endpoint.value() == program.endpoint)
        }
    }

    /// A program that neither answers nor has a name file delays programs that have one by at most a second.
    @Test func aNameThatIsFoundWaitsAtMostASecondForOthers() throws {
        let program = try named("shop", pid: 51)
        let silent = try FakeProgram(in: folder, pid: 52)
        let endpoint = Eventually { try resolve("shop") }
        #expect(try clock.restToDeadline() == .seconds(1))
        clock.advance(by: .seconds(1))
        #expect(try endpoint.value() == program.endpoint)
        let unknown = Eventually { try resolve("nobody") }
        clock.advance(by: try clock.restToDeadline())
        let error = #expect(throws: AttachError.self) { try unknown.value() }
        #expect(error?.kind == .timedOut && error?.description.hasSuffix("(no answer from 52)") == true)
        withExtendedLifetime(silent) {}
    }

    // MARK: Programs that are stopped

    /// Stops a program with SIGSTOP, and returns when it is stopped.
    private func stop(_ program: Probe) {
        kill(program.pid, SIGSTOP)
        var info = siginfo_t()
        while waitid(P_PID, id_t(program.pid), &info, WSTOPPED | WEXITED | WNOWAIT) < 0, errno == EINTR {}
    }

    #if os(Linux)
        @Test func aStoppedProgramIsReported() throws {
            let stopped = try Probe(["serve", "sleeper"], in: folder)
            #expect(stopped.nextLine() == "ready")
            let other = try Probe(["serve", "shop"], in: folder)
            #expect(other.nextLine() == "ready")
            stop(stopped)
            // The clock stands still: no answer is waited for.
            let found = try folder.discovery.list(Discovery.SearchContext(clock: clock)) { $0 == stopped.pid }
            #expect(found.first?.problem?.contains("process \(stopped.pid) is stopped") == true)
            let endpoint = try resolve("sleeper")
            #expect(endpoint.description.hasSuffix("/\(stopped.pid).sock"))
            for _ in 0..<10 { #expect(try resolve("shop").description.hasSuffix("/\(other.pid).sock")) }
            // At once, although the time limit is long.
            for ask in [
                { _ = try OneShotClient.state(of: endpoint, timeLimit: waitLimit) },
                { _ = try OneShotClient.hello(of: endpoint, timeLimit: waitLimit) },
                { _ = try OneShotClient.perform(.resync, at: endpoint, timeLimit: waitLimit) },
            ] {
                let begun = nanoseconds()
                let error = #expect(throws: AttachError.self) { try ask() }
                #expect(error?.kind == .timedOut)
                #expect(error?.description.contains("process \(stopped.pid) is stopped") == true)
                #expect(nanoseconds() - begun < waitLimit.clampedNanoseconds / 2)
            }
            kill(stopped.pid, SIGCONT)
            #expect(
                try OneShotClient.hello(of: endpoint, timeLimit: waitLimit).process.name == "sleeper")
        }
    #endif

    private func nanoseconds() -> UInt64 { SystemPollClock().now }
}

// SPDX-License-Identifier: MIT
