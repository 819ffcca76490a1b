// SPDX-License-Identifier: MIT

/// The place where a chain of another program is drawn: inside a node, before the node's own inner nodes.
package struct ForeignPlace {
    private let caller: TreeRow
    /// Whether anything follows inside the caller.
    private let isFollowed: Bool

    /// Makes the place under a row. If the row itself is in such a place, `caller` is the row as it is drawn there.
    /// `isLast` says whether no other chain of another program follows under the row.
    package init(caller: TreeRow, isLast: Bool) {
        self.caller = caller
        isFollowed = !isLast || caller.flags.contains(.openInside)
    }

    /// Returns a row of the chain as it is drawn in this place.
    package func row(_ own: TreeRow) -> TreeRow {
        let level = Int(caller.depth) + 1
        var row = own
        row.depth = UInt16(clamping: Int(own.depth) + level)
        row.guides = caller.guides | (own.guides << UInt32(level))
        if caller.depth > 0, caller.flags.contains(.passing) { row.guides |= 1 << UInt32(caller.depth - 1) }
        guard isFollowed else { return row }
        if own.depth > 0 {
            row.guides |= 1 << UInt32(caller.depth)
        } else {
            row.flags.insert(.passing)
            row.flags.remove(.last)
        }
        return row
    }
}
