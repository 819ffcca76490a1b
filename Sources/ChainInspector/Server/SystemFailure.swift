import CChainRuntime
import ChainSystem

/// Why something of the server cannot be had: one sentence, for the program's user.
struct ServerFailure: Error, Hashable {
    var sentence: String

    init(_ sentence: String) { self.sentence = sentence }

    /// Says what the system had against it.
    init(_ sentence: String, _ error: SystemError) { self.init("\(sentence): \(error)") }
}

/// An environment variable; nil also in a program that has more rights than its caller.
func secureEnvironment(_ name: String) -> String? {
    chain_secure_environment(name).map { String(cString: $0) }
}
