// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainSystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The secret that a viewer sends over TCP: 64 hexadecimal digits, random at each start.
enum Token {
    /// Writes a new token, and a line feed, into a file that only this user can read; replaces an existing file. The
    /// file stays locked until `lock` is closed or the process ends, so that a stale token is recognised.
    static func make(at path: String) throws(ServerFailure) -> (token: [UInt8], file: OwnFile, lock: Descriptor) {
        let digits = Array("0123456789abcdef".utf8)
        let token = (0..<4).flatMap { _ in
            let number = chain_random()
            return (0..<16).map { digits[Int(number >> (4 * UInt64($0)) & 15)] }
        }
        func failure(_ errorNumber: Int32) -> ServerFailure {
            ServerFailure("The token \(path) cannot be written", SystemError(code: errorNumber))
        }
        let (new, file) = makeTemporary(in: parentFolder(of: path)) { chain_create_locked($0) }
        guard file >= 0 else { throw failure(-file) }
        let line = token + [UInt8(ascii: "\n")]
        guard fchmod(file, 0o600) == 0, write(file, line, line.count) == line.count, rename(new, path) == 0
        else {
            let failure = failure(errno)
            unlink(new)
            chain_close(file)
            throw failure
        }
        guard let own = OwnFile(path) else {
            let failure = failure(errno)
            chain_close(file)
            throw failure
        }
        return (token, own, Descriptor(owning: file))
    }

    /// Returns whether the text is the token. Takes constant time for all texts of the token's length.
    static func matches(_ text: String, _ token: [UInt8]) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count == token.count else { return false }
        var difference: UInt8 = 0
        for index in token.indices { difference |= bytes[index] ^ token[index] }
        return difference == 0
    }
}
