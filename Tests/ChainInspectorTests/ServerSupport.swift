import CChainRuntime
import ChainEvents
import ChainModel
import ChainWire
import Foundation
import PromiseRuntime

@testable import ChainInspector

extension InspectorOptions {
    /// For an inspector that nobody attaches to.
    static var alone: InspectorOptions {
        var options = InspectorOptions()
        options.endpoints = []
        return options
    }
}

/// A folder that is there as long as this is; short enough for sockets.
final class TestFolder {
    let path: String

    init() {
        var name = Array("/tmp/cv-XXXXXX".utf8CString)
        path = String(cString: mkdtemp(&name))
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// What is in it, and in the folder of the sockets.
    var files: [String] {
        (FileManager.default.enumerator(atPath: path)?.allObjects as? [String] ?? []).sorted()
    }

    /// Options of an inspector whose sockets are in it.
    func options(_ endpoints: [Endpoint] = [.unix]) -> InspectorOptions {
        var options = InspectorOptions()
        options.endpoints = endpoints
        options.socketFolder = path + "/s"
        return options
    }
}

/// A viewer that waits for what it is told, at most 90 seconds.
final class TestViewer {
    struct Ended: Error {}

    let descriptor: Int32
    private var reader = MessageReader(limit: Wire.batchLimit)
    private(set) var hello: Hello?
    private(set) var forest: ChainForest?
    private(set) var replies: [CommandReply] = []
    private(set) var batchCount = 0

    /// Connects to an address of an inspector's.
    init(_ address: String) throws {
        let (family, rest) =
            address.hasPrefix("unix:") ? (AF_UNIX, address.dropFirst(5)) : (AF_INET, address.dropFirst(4))
        #if canImport(Darwin)
            descriptor = socket(family, SOCK_STREAM, 0)
        #else
            descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var limit = timeval(tv_sec: 90, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let result =
            family == AF_UNIX ? connect(unix: String(rest)) : connect(port: UInt16(rest.split(separator: ":")[1])!)
        guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno)!) }
    }

    deinit { close(descriptor) }

    private func connect(unix path: String) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    private func connect(port: UInt16) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    // MARK: Saying

    func send(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { chain_send(descriptor, $0.baseAddress!, $0.count) }
            guard count > 0 else { return }
            sent += Int(count)
        }
    }

    func say(_ message: Message, preamble: Bool = false) throws {
        var writer = MessageWriter()
        if preamble { writer.writePreamble() }
        try writer.write(message)
        send(writer.bytes)
    }

    /// Introduces itself and takes what it is told of the program.
    @discardableResult
    func greet(_ greeting: Greeting = Greeting(purpose: .watch)) throws -> Hello {
        try say(.greeting(greeting), preamble: true)
        while hello == nil { _ = try next() }
        return hello!
    }

    @discardableResult
    func ask(_ request: Command.Request, id: UInt64 = 1, process: ProcessKey? = nil) throws -> CommandReply.Outcome {
        try say(.command(Command(id: id, process: process ?? hello!.process.key, request: request)))
        while true {
            if let reply = replies.first(where: { $0.command == id }) { return reply.outcome }
            _ = try next()
        }
    }

    // MARK: Being told

    /// The next message; batches are folded, replies kept. Throws at the end.
    func next() throws -> Message {
        while true {
            if let message = try reader.next() {
                take(message)
                return message
            }
            var bytes = [UInt8](repeating: 0, count: 64 << 10)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            guard count > 0 else { throw Ended() }
            bytes.withUnsafeBytes { reader.append(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
    }

    private func take(_ message: Message) {
        switch message {
        case .hello(let hello):
            self.hello = hello
            forest = ChainForest(process: hello.process.key)
        case .batch(let batch):
            batchCount += 1
            forest?.apply(batch)
        case .reply(let reply): replies.append(reply)
        default: break
        }
    }

    /// Reads on until the forest is as wanted.
    func watch(until condition: (ChainForest) -> Bool) throws {
        while forest.map({ !condition($0) }) ?? true { _ = try next() }
    }

    /// Reads to the end; gives the farewell, or nil where there was none.
    func farewell() -> Farewell? {
        var last: Farewell?
        while let message = try? next() { if case .farewell(let farewell) = message { last = farewell } }
        return last
    }
}
