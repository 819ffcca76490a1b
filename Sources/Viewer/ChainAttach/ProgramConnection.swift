// SPDX-License-Identifier: MIT

import ChainSystem
import ChainWire

/// One connection to a program, from the greeting on. Used on one thread, which it never blocks.
final class ProgramConnection {
    let endpoint: Endpoint
    private let socket: Descriptor
    /// The process that carries the bytes (`ssh`), if there is one.
    private let child: ChildProcess?
    /// Whether the socket is not connected yet.
    private var isConnecting: Bool
    private var reader = MessageReader(limit: Wire.programMessageLimit)
    private var writer = MessageWriter()
    /// The number of the writer's bytes that were sent.
    private var sentCount = 0
    /// False once sending has failed.
    private var canSend = true
    /// Whether the child's standard error is open.
    private var readsErrors: Bool
    /// The reason why nothing more arrives; nil until then.
    private var ending: AttachError?
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: ProgramConnection.chunkSize, alignment: 16)

    private static let chunkSize = 64 << 10
    /// The maximum number of bytes that are received before the messages in them are read.
    private static let readLimit = 1 << 20

    /// Begins to connect, and enqueues the greeting.
    init(to endpoint: Endpoint, _ greeting: ClientHello) throws(AttachError) {
        let opening = try endpoint.open()
        self.endpoint = endpoint
        socket = opening.socket
        child = opening.child
        readsErrors = child != nil
        isConnecting = opening.isConnecting
        var greeting = greeting
        greeting.token = opening.token
        greeting.pid = getpid()
        writer.writePreamble()
        send(.greeting(greeting))
    }

    deinit { buffer.deallocate() }

    func send(_ message: Message) {
        // The caller has checked the length.
        try? writer.write(message)
        flush()
    }

    /// The number of encoded bytes that were not sent yet.
    var unsentCount: Int { writer.bytes.count - sentCount }

    /// The program's process; nil if the system does not know it.
    var process: Int32? { socket.peerProcess }

    /// The program's process, if the system reports that it is stopped, so that it cannot answer; else nil.
    var stoppedProcess: Int32? { socket.peerProcess.flatMap { SafeFiles.isStopped($0) ? $0 : nil } }

    /// The entries for `poll`: the socket's, then the entry of the child's standard error, if that is open.
    var entries: [pollfd] {
        let writes = isConnecting || (canSend && unsentCount > 0)
        let events = (isConnecting ? 0 : POLLIN) | (writes ? POLLOUT : 0)
        var entries = [socket.pollEntry(events)]
        if readsErrors, let child { entries.append(child.pollEntry) }
        return entries
    }

    /// Sends and receives without blocking, as far as `entries` are ready; returns whether bytes arrived.
    func sendAndReceive(_ entries: ArraySlice<pollfd>) -> Bool {
        guard let entry = entries.first, ending == nil else { return false }
        if let errors = entries.dropFirst().first, errors.revents != 0 {
            readsErrors = child?.readErrors() ?? false
        }
        guard entry.revents != 0 else { return false }
        if isConnecting {
            do throws(AttachError) {
                if let error = socket.connectionError {
                    throw Endpoint.failure(connectingTo: endpoint.description, error)
                }
                try endpoint.check(socket)
            } catch {
                ending = error
                return false
            }
            isConnecting = false
        }
        flush()
        return Int32(entry.revents) & ~POLLOUT != 0 && receive()
    }

    /// Returns the next received message, or nil.
    ///
    /// - Throws: the reason why no more messages arrive, after the last one was returned.
    func next() throws(AttachError) -> Message? {
        do {
            if let message = try reader.next() { return message }
        } catch {
            throw AttachError(.version, "\(endpoint): \(error)")
        }
        if let ending { throw ending }
        return nil
    }

    private func receive() -> Bool {
        var count = 0
        while count < Self.readLimit {
            switch socket.receive(into: buffer) {
            case .moved(let part):
                reader.append(UnsafeRawBufferPointer(rebasing: buffer[..<part]))
                count += part
                if part < buffer.count { return true }
            case .wouldBlock: return count > 0
            case .end:
                ending = endError
                return count > 0
            case .failed(let error):
                // A child that ended before it read everything resets its socket, so the child's ending is the reason.
                let text = "The connection to \(endpoint) broke: \(error)"
                ending = child == nil ? AttachError(.gone, text) : endError
                return count > 0
            }
        }
        return true
    }

    private func flush() {
        guard !isConnecting, canSend else { return }
        let isAllSent = writer.bytes.withUnsafeBytes { bytes in
            while sentCount < bytes.count {
                switch socket.send(UnsafeRawBufferPointer(rebasing: bytes[sentCount...])) {
                case .moved(let count): sentCount += count
                case .wouldBlock, .end: return false
                case .failed:
                    // Messages that the program sent before it closed are still to be read.
                    canSend = false
                    return true
                }
            }
            return true
        }
        guard isAllSent else { return }
        writer.removeAll()
        sentCount = 0
    }

    /// The error for the end of the stream. A child's exit codes are the exit codes of `chainview` on the other
    /// machine.
    private var endError: AttachError {
        guard let child else { return AttachError(.gone, "The program at \(endpoint) closed the connection") }
        let code = child.end()
        let kind: AttachError.Kind =
            switch code {
            case 64: .ambiguous
            case 65: .version
            case 66: .notFound
            case 69: .gone
            case 77: .refused
            default: .system
            }
        guard let line = child.lastLine else {
            let how = code.map { "with code \($0)" } ?? "by a signal"
            return AttachError(kind, "The connection command of \(endpoint) ended \(how) and without a message")
        }
        let sentence = line.hasPrefix("chainview: ") ? String(line.dropFirst(11)) : line
        return AttachError(kind, "\(endpoint): \(sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence)")
    }
}

extension Goodbye {
    /// The error for a viewer that the program refused or detached.
    var error: AttachError {
        let sentence = text.hasSuffix(".") ? String(text.dropLast()) : text
        let kind: AttachError.Kind =
            switch reason {
            case .refused: .refused
            case .busy: .busy
            case .misunderstood: .version
            case .stopped, .other: .gone
            }
        return AttachError(kind, sentence.isEmpty ? "The program ended the connection" : sentence)
    }
}
