import ChainEvents
import ChainSource
import ChainWire
import Foundation
import TerminalHarness
import TestWaits
import Testing

@testable import ChainAttach

/// Programs on other machines, with AttachProbe in place of `ssh`: it runs the relay in a shell. A host's name is the
/// path of its folder of sockets.
@Suite struct RelayTests {
    let folder: TemporaryFolder
    let options: AttachOptions

    init() throws {
        folder = try TemporaryFolder()
        var options = folder.options
        options.discovery.sshProgram = Probe.path
        self.options = options
    }

    @Test(arguments: ["\(getpid())", "it's a $(shop); \"-x\"", "-x"])
    func aProgramIsReachedThroughARelay(_ name: String) throws {
        let program = try FakeProgram(in: folder, name: name)
        let watched = Watched(.ssh(host: folder.base, process: name), options)
        if Int(name) == nil { _ = try program.welcome() }
        let (viewer, _) = try program.welcome()
        try watched.waitUntilLive()
        // Far more than any buffer holds.
        for sequence: UInt64 in 1...10 { viewer.send(.batch(program.batch(sequence, made: Array(1...20_000)))) }
        #expect(try watched.waitForBatch(10).events.count == 20_000)
        watched.cancel(3, id: 8, of: program.info)
        let command = try viewer.receiveCommand()
        viewer.send(.reply(CommandReply(command: command.id, outcome: .accepted(count: 1))))
        let reply = try watched.replies.wait("the reply") { $0.command == 8 }
        #expect(reply.outcome == .accepted(count: 1))
        watched.source.stop()
        #expect(watched.status.all.last == .ended(.stopped))
        _ = try viewer.waitForEnd()
    }

    @Test func aProgramIsReachedThroughACommand() throws {
        let program = try FakeProgram(in: folder, name: "it's a shop")
        let arguments = ["XDG_RUNTIME_DIR=" + folder.base, "CHAINVIEW_PROC=", Probe.path, "relay", "it's a shop"]
        let watched = Watched(.exec(program: "env", arguments: arguments), options)
        let viewers = [try program.welcome(), try program.welcome()]
        try watched.waitUntilLive()
        watched.source.stop()
        withExtendedLifetime(viewers) {}
        let error = #expect(throws: AttachError.self) {
            let script = "echo chainview: There is no process 1. >&2; echo command terminated >&2; exit 66"
            let target = Target.exec(program: "sh", arguments: ["-c", script])
            _ = try OneShotClient.hello(of: options.discovery.resolve(target), timeLimit: waitLimit)
        }
        #expect(error?.kind == .notFound && error?.description.hasSuffix(": There is no process 1") == true)
    }

    @Test(arguments: [
        ("nowhere", "ssh:nowhere/1: ssh: connect to host nowhere port 22: No route to host"),
        ("bare", "ssh:bare/1: bash: line 1: chainview: command not found"),
        ("mute", "The connection command of ssh:mute/1 ended with code 3 and without a message"),
        // ssh must not inherit the blocked signals of the thread that starts it, nor get the keys of this terminal.
        ("surroundings", "ssh:surroundings/1: blocks [], a session of its own"),
    ])
    func theMessageOfSSHIsTheReason(_ host: String, _ reason: String) throws {
        let watched = Watched(.ssh(host: host, process: "1"), options)
        try watched.status.waitForCompletion()
        #expect(watched.status.all.last == .ended(.failed(reason)))
    }

    @Test func aClosedStandardErrorIsNotPolledAgain() throws {
        let endpoint = try options.discovery.resolve(.ssh(host: "quiet", process: "1"))
        let connection = try ProgramConnection(to: endpoint, ClientHello(purpose: .look))
        #expect(connection.entries.count == 2)
        let clock = SystemPollClock()
        let limit = clock.now + waitLimit.clampedNanoseconds
        while connection.entries.count == 2, clock.now < limit {
            var entries = connection.entries
            clock.poll(&entries, until: limit)
            #expect(!connection.sendAndReceive(entries[...]))
        }
        #expect(connection.entries.count == 1)
        #expect(try connection.next() == nil)
    }

    @Test func anErrorOfTheRelayOrOfSSHIsReported() throws {
        let endpoint = try options.discovery.resolve(.ssh(host: folder.base, process: "2147483647"))
        let error = #expect(throws: AttachError.self) {
            try OneShotClient.state(of: endpoint, timeLimit: waitLimit)
        }
        #expect(error?.kind == .notFound)
        #expect(error?.description == "ssh:\(folder.base)/2147483647: There is no process 2147483647")
        let none = #expect(throws: AttachError.self) {
            var discovery = options.discovery
            discovery.sshProgram = folder.path + "/none"
            _ = try discovery.resolve(.ssh(host: folder.base, process: "1")).open()
        }
        #expect(none?.kind == .system && none?.description.contains("cannot be started") == true)
    }

    @Test func aLostRelayIsStartedAgain() throws {
        var program: FakeProgram? = try FakeProgram(in: folder)
        let watched = Watched(.ssh(host: folder.base, process: "checkout"), options)
        var viewers = [try program!.welcome(), try program!.welcome()]
        try watched.waitUntilLive()
        viewers = []
        try watched.status.wait("the loss", last: true) { $0.disconnection?.attempt == 0 }
        program = nil
        watched.clock.advance(by: try watched.clock.restToDeadline())
        let disconnection = try watched.status.wait("a failure") { $0.disconnection?.attempt == 1 }.disconnection
        #expect(disconnection?.reason.contains("No program named checkout") == true)
        program = try FakeProgram(in: folder, key: 2)
        watched.clock.advance(by: try watched.clock.restToDeadline())
        viewers = [try program!.welcome(), try program!.welcome()]
        try watched.status.wait("the second run") { $0.isLive && $0.process?.key.rawValue == 2 }
        watched.source.stop()
        #expect(viewers.count == 2)
    }

    /// The program closes while the output is full, and then the viewer sends.
    @Test func whatAProgramSentBeforeItClosedIsDelivered() throws {
        let program = try FakeProgram(in: folder)
        let relay = try Probe(["relay", "unix:" + program.path], in: folder)
        var connection: FakeConnection? = try program.nextViewer()
        // A pipe holds 64 KiB, the relay as much, and the socket the rest.
        let sent = Data((0..<192 << 10).map { UInt8(truncatingIfNeeded: $0 >> 8) })
        // Darwin's default is 8 KiB, and the output is not read yet.
        var room: Int32 = 256 << 10
        if let number = connection?.socket.number {
            setsockopt(number, SOL_SOCKET, SO_SNDBUF, &room, socklen_t(MemoryLayout<Int32>.size))
        }
        connection?.sendBytes(sent)
        connection = nil
        let input = relay.input.fileHandleForWriting
        try input.write(contentsOf: Data([1]))
        let isRead = wait {
            var unread: Int32 = 1
            #expect(ioctl(input.fileDescriptor, UInt(FIONREAD), &unread) == 0)
            return unread == 0
        }
        #expect(isRead)
        #expect(relay.output.fileHandleForReading.readDataToEndOfFile() == sent)
        relay.process.waitUntilExit()
        #expect(relay.process.terminationStatus == 0)
    }

    @Test func aRelayLeadsToProgramsOnItsMachineOnly() throws {
        for target in [
            Target.tcp(host: "127.0.0.1", port: 1), .ssh(host: "a", process: "1"), .exec(program: "a", arguments: []),
        ] {
            let error = #expect(throws: AttachError.self) { try Relay.run(to: target, discovery: folder.discovery) }
            #expect(error?.kind == .refused)
        }
    }

    #if os(Linux)
        @Test func nothingIsLeftOfManyAttachments() throws {
            let serving = try Probe(["serve", "shop"], in: folder)
            #expect(serving.nextLine() == "ready")
            let churning = try Probe(["churn", "shop"], in: folder, environment: ["CHAINVIEW_SSH": Probe.path])
            #expect(churning.nextLine() == "clean")
            churning.process.waitUntilExit()
            #expect(churning.process.terminationStatus == 0)
        }
    #endif
}

// SPDX-License-Identifier: MIT
