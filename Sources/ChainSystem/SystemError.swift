import CChainRuntime

package struct SystemError: Error, Hashable, CustomStringConvertible {
    package let code: Int32

    package static let noThread = SystemError(code: EAGAIN)

    package init(code: Int32 = errno) { self.code = code }

    /// Checks a result of the C shim, which is a negative error number where the call failed.
    package static func check(_ result: Int32) throws(SystemError) -> Int32 {
        guard result >= 0 else { throw SystemError(code: -result) }
        return result
    }

    /// What the system says about it, such as "No such file or directory".
    package var description: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            chain_error_text(code, buffer.baseAddress!, buffer.count)
            return String(cString: buffer.baseAddress!)
        }
    }
}
