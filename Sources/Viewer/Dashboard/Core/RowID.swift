// SPDX-License-Identifier: MIT

import ChainEvents

/// The identity of a row: of a node, a group of chains or a program. It stays the same while the row moves. The
/// identity of a node is never reused, not even after the program has restarted.
struct RowID: Hashable {
    var source: SourceID
    /// The node; nil for the program itself, and for a group.
    var node: NodeKey?
    /// The call site of a group of chains; nil for a node and the program itself.
    var site: CodeLocation?

    var isProgram: Bool { node == nil && site == nil }

    /// The node's id in its process.
    var id: NodeID? { node?.id }
}
