// SPDX-License-Identifier: MIT

import ChainEvents

/// The number of a node as typed in the dashboard and on the command line: `17` or `#17`.
package enum NodeNumber {
    /// Parses a node's number; nil for any other text.
    package static func read(_ text: String) -> NodeID? {
        let digits = text.hasPrefix("#") ? text.dropFirst() : text[...]
        guard let number = UInt64(digits: digits), number > 0 else { return nil }
        return NodeID(number)
    }
}
