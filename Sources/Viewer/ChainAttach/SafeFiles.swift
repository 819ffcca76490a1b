// SPDX-License-Identifier: MIT

import ChainSystem
import ChainWire

/// Checks of processes, and of files that another user may have made.
enum SafeFiles {
    /// Returns whether the folder of sockets exists.
    ///
    /// - Throws: if it is a link or no folder, belongs to another user, is open to others, or cannot be checked.
    static func check(_ folder: SocketFolder) throws(AttachError) -> Bool {
        func foreign(_ what: String) -> AttachError {
            AttachError(
                .foreign, "\(folder.path) \(what): remove it, or point XDG_RUNTIME_DIR to a folder of your own")
        }
        switch FolderProblem(at: folder.path) {
        case nil, .isRestricted: return true
        case .missing(let error):
            if error.code == ENOENT || error.code == ENOTDIR { return false }
            throw AttachError.system("show the folder \(folder.path)", error)
        case .isLink: throw foreign("is a link, which another user may have put there")
        case .isNoFolder: throw foreign("is not a folder")
        case .belongsTo(let user): throw foreign("belongs to another user (\(user))")
        case .isOpenToOthers:
            throw AttachError(
                .foreign, "The folder \(folder.path) is open to others: close it (chmod 700), and see what is in it")
        }
    }

    /// Returns why a socket cannot be connected to; nil if it is a socket of its owner or, without one, of this user.
    static func problem(of socket: FoundSocket) -> AttachError? {
        do throws(AttachError) {
            try SocketOwner.withPath(socket.path, of: socket.owner) { (path) throws(AttachError) in
                guard let facts = FileFacts(at: path) else {
                    throw errno == ENOENT
                        ? AttachError(.gone, "\(socket.path) is gone") : AttachError.system("show \(socket.path)")
                }
                guard facts.isSocket else { throw AttachError(.foreign, "\(socket.path) is no socket") }
                guard facts.owner == socket.owner?.user ?? geteuid() else {
                    throw AttachError(.foreign, "\(socket.path) belongs to another user (\(facts.owner))")
                }
            }
            return nil
        } catch { return error }
    }

    /// Returns the token in a file that no other user can read.
    ///
    /// - Parameter requiresLock: whether the program that wrote the file keeps it locked while its port is open. A file
    ///   without that lock was left by a killed program, and its token must not be sent to the present listener.
    static func token(in path: String, requiresLock: Bool = false) throws(AttachError) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else {
            switch errno {
            case ENOENT:
                throw AttachError(
                    .refused,
                    "There is no file \(path) with the program's token: name it by CHAINVIEW_TOKEN_FILE")
            case ELOOP: throw AttachError(.foreign, "The token's file \(path) is a link: name the file itself")
            default: throw AttachError(.refused, "\(path) cannot be read: \(SystemError())")
            }
        }
        defer { close(file) }
        guard let facts = FileFacts(of: file), facts.isFile else {
            throw AttachError(.foreign, "\(path) is no file that could hold a token")
        }
        guard facts.isOurs else {
            throw AttachError(.foreign, "The token's file \(path) belongs to another user (\(facts.owner))")
        }
        guard facts.othersPermissions == 0 else {
            throw AttachError(.foreign, "The token's file \(path) is open to others: close it (chmod 600)")
        }
        if requiresLock, flock(file, LOCK_SH | LOCK_NB) == 0 {
            throw AttachError(
                .gone, "The program that wrote the token \(path) has ended without removing it: start it again")
        }
        let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            count = max(0, read(file, buffer.baseAddress, buffer.count))
        }
        let token = String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
        guard !token.isEmpty else { throw AttachError(.refused, "The token's file \(path) is empty") }
        return token
    }

    /// Returns the label beside a socket; nil if its file is missing, is not the owner's or, without one, this user's, or
    /// has the inode of another socket.
    static func label(of socket: FoundSocket) -> SocketLabel? {
        let label = try? SocketOwner.withPath(socket.path, of: socket.owner) { (path) -> SocketLabel? in
            let file = open(SocketFolder.labelPath(of: path), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            guard file >= 0 else { return nil }
            defer { close(file) }
            guard let facts = FileFacts(of: file), facts.isFile, facts.owner == socket.owner?.user ?? geteuid(),
                facts.size <= SocketLabel.sizeLimit, let socket = FileFacts(at: path)
            else { return nil }
            let bytes = [UInt8](unsafeUninitializedCapacity: SocketLabel.sizeLimit) { buffer, count in
                count = max(0, read(file, buffer.baseAddress, buffer.count))
            }
            let label = SocketLabel(text: String(decoding: bytes, as: UTF8.self))
            return label?.inode == socket.inode ? label : nil
        }
        return label ?? nil
    }

    /// Returns whether a file belongs to this user; does not follow links.
    static func isOwn(_ path: String) -> Bool { FileFacts(at: path)?.isOurs ?? false }

    /// Returns whether a process exists and has not ended. On Linux a zombie has ended; elsewhere it counts as running.
    static func isRunning(_ pid: Int32) -> Bool {
        guard kill(pid, 0) == 0 || errno == EPERM else { return false }
        switch state(of: pid) {
        case .known(let state): return ![UInt8(ascii: "Z"), UInt8(ascii: "X")].contains(state)
        // /proc may be mounted so that it hides the processes of other users.
        case .absent: return kill(pid, 0) != 0 && errno == EPERM
        case .unknown: return true
        }
    }

    /// Returns whether a process is stopped, by a signal or in a debugger; false if the system does not report that.
    static func isStopped(_ pid: Int32) -> Bool {
        guard case .known(let state) = state(of: pid) else { return false }
        return [UInt8(ascii: "T"), UInt8(ascii: "t")].contains(state)
    }

    private enum ProcessState {
        /// The letter of `/proc/PID/stat`.
        case known(UInt8)
        /// There is no such process.
        case absent
        /// The system does not report the state.
        case unknown
    }

    private static func state(of pid: Int32) -> ProcessState {
        #if os(Linux)
            let file = open("/proc/\(pid)/stat", O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { return errno == ENOENT ? .absent : .unknown }
            defer { close(file) }
            let bytes = [UInt8](unsafeUninitializedCapacity: 1024) { buffer, count in
                count = max(0, read(file, buffer.baseAddress, buffer.count))
            }
            // The state follows the name, which is in parentheses and may contain parentheses, too.
            guard let name = bytes.lastIndex(of: UInt8(ascii: ")")), name + 2 < bytes.count else { return .unknown }
            return .known(bytes[name + 2])
        #else
            return .unknown
        #endif
    }
}
