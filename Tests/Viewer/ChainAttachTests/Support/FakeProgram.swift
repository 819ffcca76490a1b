import ChainEvents
import ChainSource
import ChainSystem
import ChainWire
import Foundation
import TerminalHarness
import TestWaits

@testable import ChainAttach

typealias ProgramInfo = ChainEvents.ProcessDescription

/// A folder for sockets, with a short path, removed on release.
final class TemporaryFolder: Sendable {
    private let parent = ScratchFolder()
    /// The folder's parent, a value for `XDG_RUNTIME_DIR`.
    var base: String { parent.path }
    let folder: SocketFolder
    var path: String { folder.path }

    init(mode: mode_t = 0o700) throws {
        folder = SocketFolder(path: parent.path + "/chainview")
        mkdir(folder.path, mode)
        chmod(folder.path, mode)
    }

    /// A discovery in this folder, with a time limit for busy machines.
    var discovery: Discovery {
        var discovery = Discovery(folder: folder, environment: { _ in nil })
        discovery.timeLimit = waitLimit
        return discovery
    }

    var options: AttachOptions { AttachOptions(discovery: discovery) }
}

/// The listening socket of a simulated program; the test sends the program's messages.
final class FakeProgram {
    let path: String
    let info: ProgramInfo
    private let listener: Descriptor

    init(
        in folder: TemporaryFolder, pid: Int32 = getpid(), number: Int = 1, name: String = "checkout", key: UInt64 = 1,
        path: String? = nil, backlog: Int32 = 64
    ) throws {
        self.path = path ?? folder.folder.socketPath(pid: pid, number: number)
        info = ProgramInfo(key: ProcessKey(rawValue: key), pid: pid, name: name, wallOffset: 5, startTime: 6)
        unlink(self.path)
        listener = try Descriptor.socket(family: AF_UNIX)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: self.path.utf8) }
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener.number, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isBound, listen(listener.number, backlog) == 0 else {
            throw Impatience(description: "cannot listen at \(self.path): \(errno)")
        }
    }

    // Ends listening, even if a child of a fork holds the socket, too.
    deinit { shutdown(listener.number, Int32(SHUT_RDWR)) }

    /// Accepts a viewer that waits, or returns nil.
    func acceptIfThere() -> FakeConnection? {
        (try? listener.accept()).map { FakeConnection($0) }
    }

    /// Waits for a viewer, and accepts it.
    func nextViewer() throws -> FakeConnection {
        try waitUntilReadable(listener, "a viewer")
        guard let connection = acceptIfThere() else { throw Impatience(description: "the viewer went away") }
        return connection
    }

    /// Waits for a viewer, accepts it, reads its greeting, and sends the hello.
    func welcome() throws -> (FakeConnection, ClientHello) {
        let connection = try nextViewer()
        guard case .greeting(let greeting) = try connection.receive() else {
            throw Impatience(description: "that was no greeting")
        }
        connection.sendPreamble()
        connection.send(.hello(hello))
        return (connection, greeting)
    }

    var hello: Hello {
        Hello(process: info, capabilities: .errors, time: 7, totals: ProcessTotals(chainCount: 2, nodeCount: 9))
    }

    /// Returns a batch with an event of creation for each node.
    func batch(_ sequence: UInt64, made nodes: [UInt64] = [], resync: Resync? = nil, lost: UInt64 = 0) -> EventBatch {
        var batch = EventBatch(process: info.key, sequence: sequence, time: 1_000 + sequence)
        batch.events = nodes.map { ChainEvent(time: $0, .created, node: NodeID($0)) }
        batch.resync = resync
        batch.loss.lostAtClient = lost
        return batch
    }
}

/// The program's end of a connection to one viewer.
final class FakeConnection: @unchecked Sendable {
    // Sendable, because each connection is used by one thread at a time.
    let socket: Descriptor
    private var reader = MessageReader(limit: Wire.viewerMessageLimit)

    init(_ socket: Descriptor) { self.socket = socket }

    func sendPreamble() {
        var writer = MessageWriter()
        writer.writePreamble()
        sendBytes(writer.bytes)
    }

    func send(_ message: Message) { sendBytes(Self.bytes(of: message)) }

    static func bytes(of message: Message) -> [UInt8] {
        var writer = MessageWriter()
        try! writer.write(message)
        return writer.bytes
    }

    /// Writes all bytes, and waits for room. A closed connection is no error.
    func sendBytes(_ bytes: some Sequence<UInt8>) {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            switch rest.withUnsafeBytes({ socket.send($0) }) {
            case .moved(let count): rest = rest.dropFirst(count)
            case .wouldBlock:
                var entries = [socket.pollEntry(POLLOUT)]
                _ = systemPoll(&entries, 60_000)
            case .end, .failed: return
            }
        }
    }

    /// Returns the next message, or nil at the end.
    func receive() throws -> Message? {
        while true {
            if let message = try reader.next() { return message }
            try waitUntilReadable(socket, "a message")
            let transfer = withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 16) { buffer in
                let transfer = socket.receive(into: buffer)
                if case .moved(let count) = transfer {
                    reader.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                }
                return transfer
            }
            switch transfer {
            case .moved, .wouldBlock: continue
            case .end, .failed: return nil
            }
        }
    }

    func receiveCommand() throws -> ViewerCommand {
        guard case .command(let command) = try receive() else { throw Impatience(description: "that was no command") }
        return command
    }

    /// Reads until the viewer closes the connection, and returns its farewell.
    func waitForEnd() throws -> Goodbye? {
        var last: Goodbye?
        while let message = try receive() { if case .farewell(let farewell) = message { last = farewell } }
        return last
    }
}

private func waitUntilReadable(_ descriptor: Descriptor, _ what: String) throws {
    var entries = [descriptor.pollEntry()]
    guard wait(until: { systemPoll(&entries, 100) > 0 }) else { throw Impatience(description: "\(what) did not come") }
}

/// A source, and all that it published.
struct Watched {
    let source: AttachedProcess
    let status = Recorded<SourceStatus>()
    let batches = Recorded<EventBatch>()
    let replies = Recorded<CommandReply>()
    let clock: ManualPollClock

    /// Starts a source on a clock that stands still or, if `runs` is true, on the system's.
    init(_ target: Target, _ options: AttachOptions, runs: Bool = false) {
        clock = ManualPollClock()
        source = AttachedProcess(target, options: options, clock: runs ? SystemPollClock() : clock)
        _ = source.status.subscribe(status)
        _ = source.replies.subscribe(replies)
        _ = source.batches.subscribe(batches)
        source.start()
    }

    func waitUntilLive() throws { _ = try status.wait("live", last: true) { $0.isLive } }

    /// Waits for the batch with this number.
    func waitForBatch(_ sequence: UInt64) throws -> EventBatch {
        try batches.wait("batch \(sequence)") { $0.sequence == sequence }
    }

    func cancel(_ node: UInt64, id: UInt64, of process: ProgramInfo) {
        source.send(
            ViewerCommand(id: id, process: process.key, request: .cancel(.node(NodeID(node)), by: "tester")))
    }
}

// SPDX-License-Identifier: MIT
