// SPDX-License-Identifier: MIT

import CChainRuntime

/// An error number of the system (`errno`).
package struct SystemError: Error, Hashable, CustomStringConvertible {
    package let code: Int32

    /// The system could not start a thread.
    package static let noThread = SystemError(code: EAGAIN)

    package init(code: Int32 = errno) { self.code = code }

    /// Returns a result of the C shim. Throws if the result is negative, which is then the negated error number.
    package static func check(_ result: Int32) throws(SystemError) -> Int32 {
        guard result >= 0 else { throw SystemError(code: -result) }
        return result
    }

    /// Whether a file may not grow: the disk is full, or a quota or the limit of file sizes is reached.
    package var isNoRoom: Bool { [ENOSPC, EDQUOT, EFBIG].contains(code) }

    /// The system's text for the error number, such as "No such file or directory".
    package var description: String {
        // "File too large" does not say which limit.
        guard code != EFBIG else { return "the file has reached a size limit: of ulimit -f, or of its file system" }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            chain_error_text(code, buffer.baseAddress!, buffer.count)
            return String(cString: buffer.baseAddress!)
        }
    }
}
