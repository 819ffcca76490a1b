import ChainEvents
import ChainSystem
import ChainWire
import Foundation
import TestWaits
import Testing

@testable import ChainAttach

/// Single requests, and the viewer's token.
@Suite struct OneShotClientTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func theStateIsReadToItsEndAndNoFurther() throws {
        let program = try FakeProgram(in: folder)
        let endpoint = program.endpoint
        let state = Eventually {
            try OneShotClient.state(of: endpoint, viewerName: "ps", timeLimit: waitLimit)
        }
        let (viewer, greeting) = try program.welcome()
        #expect(greeting.purpose == .watch && greeting.isReadOnly && greeting.name == "ps")
        viewer.send(.batch(program.batch(1, resync: .begin(epoch: 5))))
        viewer.send(.batch(program.batch(2, made: [1, 2])))
        viewer.send(.batch(program.batch(3, made: [3], resync: .end(epoch: 5))))
        viewer.send(.batch(program.batch(4, made: [4])))
        let (hello, batches) = try state.value()
        #expect(hello == program.hello && batches.map(\.sequence) == [1, 2, 3])
        #expect(try viewer.waitForEnd()?.reason == .stopped)
    }

    @Test func aCommandIsAnsweredByItsReplyAlone() throws {
        let program = try FakeProgram(in: folder)
        let endpoint = program.endpoint
        let reply = Eventually {
            try OneShotClient.perform(
                .cancel(.chain(NodeID(9)), by: "me"), at: endpoint, timeLimit: waitLimit)
        }
        let (viewer, greeting) = try program.welcome()
        #expect(greeting.purpose == .command && !greeting.isReadOnly)
        let command = try viewer.receiveCommand()
        #expect(command.request == .cancel(.chain(NodeID(9)), by: "me") && command.process == program.info.key)
        viewer.send(.reply(CommandReply(command: command.id + 1, outcome: .refused("not this"))))
        viewer.send(.reply(CommandReply(command: command.id, outcome: .refused("It is read-only."))))
        #expect(try reply.value() == CommandReply(command: command.id, outcome: .refused("It is read-only.")))
        #expect(try viewer.waitForEnd()?.reason == .stopped)
    }

    @Test func aProgramThatIsSilentIsGivenUp() throws {
        let program = try FakeProgram(in: folder)
        let error = #expect(throws: AttachError.self) {
            try OneShotClient.state(of: program.endpoint, timeLimit: .milliseconds(50))
        }
        #expect(error?.kind == .timedOut && error?.description.contains("did not answer within") == true)
    }

    @Test(arguments: [
        (Goodbye.Reason.refused, AttachError.Kind.refused), (.busy, .busy), (.stopped, .gone),
        (.misunderstood, .version),
    ])
    func aFarewellGivesTheErrorItsKindAndText(_ reason: Goodbye.Reason, _ kind: AttachError.Kind) throws {
        let program = try FakeProgram(in: folder)
        let endpoint = program.endpoint
        let state = Eventually { try OneShotClient.state(of: endpoint, timeLimit: waitLimit) }
        let viewer = try program.nextViewer()
        viewer.sendPreamble()
        viewer.send(.farewell(Goodbye(reason, "So it is.")))
        let error = #expect(throws: AttachError.self) { try state.value() }
        #expect(error == AttachError(kind, "So it is"))
    }

    @Test func aDeadProgramsSocketIsReportedAsGone() throws {
        let path = try FakeProgram(in: folder).path
        let error = #expect(throws: AttachError.self) { try OneShotClient.state(of: Endpoint(kind: .unix(path: path))) }
        #expect(error?.kind == .gone)
        let none = #expect(throws: AttachError.self) {
            try OneShotClient.state(of: Endpoint(kind: .unix(path: path + "x")))
        }
        #expect(none?.kind == .notFound)
    }

    // MARK: Permissions

    /// Program and viewer refuse each other before a message is sent; open permissions do not change that.
    @Test(.enabled(if: geteuid() == 0, "only root can be several users"))
    func anotherUsersProgramIsNotAttachedTo() throws {
        let (owner, stranger) = ("12345", "12346")
        for path in [folder.path, folder.base] { chown(path, 12_345, 12_345) }
        let serving = try Probe(["serve", "shop"], in: folder, environment: ["PROBE_USER": owner])
        #expect(serving.nextLine() == "ready")
        let path = folder.folder.socketPath(pid: serving.pid)
        func visit(as user: String) throws -> String {
            try Probe(["visit", path], in: folder, environment: ["PROBE_USER": user]).nextLine()
        }
        #expect(try visit(as: owner) == "state of shop")
        #expect(try visit(as: "0") == "state of shop")
        #expect(try visit(as: stranger).hasPrefix("refused: \(path) is closed to you"))
        for path in [folder.base, folder.path, path] { chmod(path, 0o777) }
        #expect(try visit(as: stranger) == "foreign: At \(path) another user's program listens (user 12345)")
        // Nor is a program searched for in a folder to which others may write.
        let error = #expect(throws: AttachError.self) { try folder.discovery.resolve(.pid(serving.pid)) }
        #expect(error?.kind == .foreign)
    }

    @Test func aPortWithoutAListenerIsReportedAsGone() throws {
        let socket = try Descriptor.socket(family: AF_INET)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(socket.number, address, size) == 0 && getsockname(socket.number, address, &size) == 0
            }
        }
        #expect(isBound)
        var discovery = folder.discovery
        let file = folder.path + "/token"
        discovery.tokenFile = file
        try "s3cret".write(toFile: file, atomically: false, encoding: .utf8)
        chmod(file, 0o600)
        let port = UInt16(bigEndian: address.sin_port)
        let endpoint = try discovery.resolve(.tcp(host: "localhost", port: port))
        let error = #expect(throws: AttachError.self) {
            try OneShotClient.state(of: endpoint, timeLimit: waitLimit)
        }
        #expect(error?.kind == .gone && error?.description.contains("does the program open that port?") == true)
        withExtendedLifetime(socket) {}
    }

    // MARK: Tokens

    @Test func aTokenIsReadFromAFileOfThisUserAloneOnly() throws {
        let path = folder.path + "/token"
        func check(_ kind: AttachError.Kind, _ word: String) {
            let error = #expect(throws: AttachError.self) { try SafeFiles.token(in: path) }
            #expect(error?.kind == kind && error?.description.contains(word) == true)
        }
        check(.refused, "There is no file")
        try "s3cret\n".write(toFile: path, atomically: false, encoding: .utf8)
        chmod(path, 0o644)
        check(.foreign, "is open to others")
        chmod(path, 0o600)
        #expect(try SafeFiles.token(in: path) == "s3cret")
        if geteuid() == 0 {
            chown(path, 12_345, 12_345)
            check(.foreign, "another user (12345)")
            chown(path, 0, 0)
        }
        rename(path, path + "2")
        symlink(path + "2", path)
        check(.foreign, "is a link")
        unlink(path)
        mkdir(path, 0o700)
        check(.foreign, "is no file")
        rmdir(path)
        try "\n".write(toFile: path, atomically: false, encoding: .utf8)
        chmod(path, 0o600)
        check(.refused, "is empty")
    }

    @Test(arguments: ["10.0.0.1", "example.org", "128.0.0.1", "::2", "0.0.0.0"])
    func tcpStaysOnThisMachine(_ host: String) throws {
        var discovery = folder.discovery
        discovery.tokenFile = folder.path + "/token"
        try "s3cret".write(toFile: folder.path + "/token", atomically: false, encoding: .utf8)
        chmod(folder.path + "/token", 0o600)
        let error = #expect(throws: AttachError.self) {
            try discovery.resolve(.tcp(host: host, port: 1)).open()
        }
        #expect(error?.kind == .refused && error?.description.contains("ssh:HOST/PROCESS") == true)
    }
}

// SPDX-License-Identifier: MIT
