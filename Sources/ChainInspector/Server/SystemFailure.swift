import CChainRuntime

/// Why something of the server cannot be had: one sentence, for the program's user.
struct ServerFailure: Error, Hashable {
    var sentence: String

    init(_ sentence: String) { self.sentence = sentence }

    /// Says what the system had against it.
    init(_ sentence: String, errorNumber: Int32) {
        self.init("\(sentence): \(ServerFailure.text(of: errorNumber))")
    }

    private static func text(of errorNumber: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            chain_error_text(errorNumber, buffer.baseAddress!, buffer.count)
            return String(cString: buffer.baseAddress!)
        }
    }
}

/// An environment variable; nil also in a program that has more rights than its caller.
func secureEnvironment(_ name: String) -> String? {
    chain_secure_environment(name).map { String(cString: $0) }
}
