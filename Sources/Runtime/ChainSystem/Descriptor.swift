// SPDX-License-Identifier: MIT

import CChainRuntime
import Synchronization

/// The result of an attempt to send or receive without waiting.
package enum Transfer {
    case moved(Int)
    case wouldBlock
    /// The other side sends no more; only receiving has this result.
    case end
    case failed(SystemError)

    fileprivate init(_ call: () -> Int) {
        var count = call()
        while count == -Int(EINTR) { count = call() }
        switch count {
        case 1...: self = .moved(count)
        case 0: self = .end
        case -Int(EAGAIN), -Int(EWOULDBLOCK), -Int(ENOBUFS): self = .wouldBlock
        default: self = .failed(SystemError(code: Int32(-count)))
        }
    }
}

/// An open socket or file that this object owns: closed when the object is released, on exec, and in a child of a fork.
/// Sockets never block and raise no SIGPIPE.
package final class Descriptor: Sendable {
    private let open: Atomic<Int32>
    private let generation = chain_fork_generation()

    /// The number for the system's functions; -1 after ``close()``.
    package var number: Int32 { open.load(ordering: .relaxed) }

    /// Takes ownership of a descriptor that a `chain_` function opened.
    package init(owning number: Int32) { open = Atomic(number) }

    deinit { close() }

    /// Closes the descriptor; repeated calls do nothing. No other thread may use ``number`` during the call.
    package func close() {
        let number = open.exchange(-1, ordering: .acquiringAndReleasing)
        // The child of a fork closed its copy already, and may have opened another descriptor of that number.
        guard number >= 0, generation == chain_fork_generation() else { return }
        chain_close(number)
    }

    /// Receives the available bytes, as many as fit.
    package func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        Transfer { chain_receive(number, buffer.baseAddress!, buffer.count) }
    }

    /// Sends as many bytes as the socket takes without waiting.
    package func send(_ bytes: UnsafeRawBufferPointer) -> Transfer {
        Transfer { chain_send(number, bytes.baseAddress!, bytes.count) }
    }

    /// Ends sending; receiving goes on.
    package func endSending() { chain_end_sending(number) }

    /// Accepts the next connection at a listening socket.
    package func accept() throws(SystemError) -> Descriptor {
        Descriptor(owning: try SystemError.check(chain_accept(number)))
    }

    /// Returns the descriptor's entry for `poll`.
    package func pollEntry(_ events: Int32 = POLLIN) -> pollfd {
        pollfd(fd: number, events: Int16(events), revents: 0)
    }

    // MARK: Opening

    /// Returns a new stream socket.
    package static func socket(family: Int32) throws(SystemError) -> Descriptor {
        Descriptor(owning: try SystemError.check(chain_socket(family)))
    }

    /// Returns two sockets, each of which receives what the other sends.
    package static func pair() throws(SystemError) -> (Descriptor, Descriptor) {
        var ends: [Int32] = [-1, -1]
        _ = try SystemError.check(chain_socket_pair(&ends))
        return (Descriptor(owning: ends[0]), Descriptor(owning: ends[1]))
    }

    // MARK: The other end

    /// The error of connecting, to be read once the socket is writable; nil after success.
    package var connectionError: SystemError? {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(number, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else { return SystemError() }
        return code == 0 ? nil : SystemError(code: code)
    }

    /// The effective user at the other end of a Unix socket; nil where the system does not report it.
    package var peerUser: UInt32? {
        var user: UInt32 = 0
        return chain_peer_user(number, &user) ? user : nil
    }

    /// The user at the other end of a TCP connection within this machine; nil where the system does not report it.
    package var tcpPeerUser: UInt32? {
        var user: UInt32 = 0
        return chain_tcp_peer_user(number, &user) ? user : nil
    }

    /// The process at the other end of a Unix socket; nil where the system does not report it.
    package var peerProcess: Int32? {
        var process: Int32 = 0
        return chain_peer_process(number, &process) ? process : nil
    }
}
