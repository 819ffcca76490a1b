// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainSystem

/// A failure of the server or the flight recorder, in one sentence for the program's user.
struct ServerFailure: Error, Hashable {
    var sentence: String

    init(_ sentence: String) { self.sentence = sentence }

    /// Adds the system's error.
    init(_ sentence: String, _ error: SystemError) { self.init("\(sentence): \(error)") }
}

/// Returns an environment variable; nil if it is not set, and in a program that has more rights than its caller.
func secureEnvironment(_ name: String) -> String? {
    chain_secure_environment(name).map { String(cString: $0) }
}
