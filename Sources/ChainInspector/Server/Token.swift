import CChainRuntime

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What a viewer shows over TCP: 64 hexadecimal digits, random at each start.
enum Token {
    /// Writes a new token, and a line feed, into a file that only this user can read; what was there is replaced.
    static func make(at path: String) throws(ServerFailure) -> (token: [UInt8], file: OwnFile) {
        let digits = Array("0123456789abcdef".utf8)
        let token = (0..<4).flatMap { _ in
            let number = chain_random()
            return (0..<16).map { digits[Int(number >> (4 * UInt64($0)) & 15)] }
        }
        unlink(path)
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw ServerFailure("The token \(path) cannot be written", errorNumber: errno) }
        defer { close(file) }
        let line = token + [UInt8(ascii: "\n")]
        guard fchmod(file, 0o600) == 0, write(file, line, line.count) == line.count, let own = OwnFile(path) else {
            let failure = ServerFailure("The token \(path) cannot be written", errorNumber: errno)
            unlink(path)
            throw failure
        }
        return (token, own)
    }

    /// Whether they are the same; takes as long for any wrong one of that length.
    static func matches(_ shown: String, _ token: [UInt8]) -> Bool {
        let shown = Array(shown.utf8)
        guard shown.count == token.count else { return false }
        var difference: UInt8 = 0
        for index in token.indices { difference |= shown[index] ^ token[index] }
        return difference == 0
    }
}
