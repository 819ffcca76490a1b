#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What became of an attempt to read or write without waiting.
enum Transfer {
    case moved(Int)
    case wouldBlock
    /// Nothing more comes; only of reading.
    case end
    case failed(Int32)

    init(_ count: Int) {
        switch count {
        case 1...: self = .moved(count)
        case 0: self = .end
        default: self = errno == EAGAIN || errno == EWOULDBLOCK ? .wouldBlock : .failed(errno)
        }
    }
}

/// An open socket that blocks nobody and is inherited by no child; closed when it is released.
final class Descriptor: Sendable {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    deinit { close(number) }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        while true {
            let transfer = Transfer(recv(number, buffer.baseAddress, buffer.count, 0))
            if case .failed(EINTR) = transfer { continue }
            return transfer
        }
    }

    /// Writes what fits; a peer that is gone raises no signal.
    func write(_ bytes: UnsafeRawBufferPointer) -> Transfer {
        while true {
            #if canImport(Glibc)
                let transfer = Transfer(send(number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)))
            #else
                let transfer = Transfer(send(number, bytes.baseAddress, bytes.count, 0))
            #endif
            if case .failed(EINTR) = transfer { continue }
            return transfer
        }
    }

    /// What an attempt to connect has come to, once the socket can be written to; 0 is success.
    var connectionError: Int32 {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(number, SOL_SOCKET, SO_ERROR, &code, &size) == 0 ? code : errno
    }

    /// The user who listens at the other end of a Unix socket, or nil where the system does not tell.
    var peerUser: UInt32? {
        #if canImport(Glibc)
            // A `ucred`: process, user, group.
            var credentials: [Int32] = [0, -1, -1]
            var size = socklen_t(3 * MemoryLayout<Int32>.size)
            guard getsockopt(number, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else { return nil }
            return UInt32(bitPattern: credentials[1])
        #else
            var (user, group) = (uid_t(), gid_t())
            return getpeereid(number, &user, &group) == 0 ? user : nil
        #endif
    }

    /// The process that listens at the other end of a Unix socket, or nil where the system does not tell.
    var peerProcess: Int32? {
        #if canImport(Glibc)
            var credentials: [Int32] = [0, -1, -1]
            var size = socklen_t(3 * MemoryLayout<Int32>.size)
            guard getsockopt(number, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else { return nil }
            // 0: of a namespace that this process does not see.
            return credentials[0] > 0 ? credentials[0] : nil
        #else
            var process: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            let result = getsockopt(number, SOL_LOCAL, LOCAL_PEERPID, &process, &size)
            return result == 0 && process > 0 ? process : nil
        #endif
    }

    // MARK: Making

    static func socket(family: Int32) throws(AttachError) -> Descriptor {
        #if canImport(Glibc)
            let flags = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
            let number = Glibc.socket(family, flags, 0)
        #else
            let number = Darwin.socket(family, SOCK_STREAM, 0)
        #endif
        guard number >= 0 else { throw AttachError.system("open a socket") }
        return Descriptor(prepared: number)
    }

    /// Two ends; what goes into one comes out of the other.
    static func pair() throws(AttachError) -> (Descriptor, Descriptor) {
        var ends: [Int32] = [-1, -1]
        #if canImport(Glibc)
            let flags = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        #else
            let flags = SOCK_STREAM
        #endif
        guard socketpair(AF_UNIX, flags, 0, &ends) == 0 else { throw AttachError.system("open a pair of sockets") }
        return (Descriptor(prepared: ends[0]), Descriptor(prepared: ends[1]))
    }

    private convenience init(prepared number: Int32) {
        self.init(number)
        #if !canImport(Glibc)
            var yes: Int32 = 1
            setsockopt(number, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
            _ = fcntl(number, F_SETFD, FD_CLOEXEC)
            _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
        #endif
    }
}

extension AttachError {
    /// What the system refused, and why.
    static func system(_ what: String, code: Int32 = errno) -> AttachError {
        switch code {
        case EMFILE, ENFILE:
            AttachError(.system, "There is no descriptor left to \(what): raise the limit (ulimit -n)")
        default: AttachError(.system, "The system does not \(what): \(text(of: code))")
        }
    }

    static func text(of code: Int32) -> String { String(cString: strerror(code)) }
}
