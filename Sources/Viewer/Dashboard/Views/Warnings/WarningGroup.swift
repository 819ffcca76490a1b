// SPDX-License-Identifier: MIT

import ChainEvents
import ChainInsight

/// The warnings of one kind at one call site of a program: either those that hold, or those that have ended.
struct WarningGroup: Equatable {
    /// The identity of a group, which stays the same when the group's row moves.
    struct ID: Hashable {
        var kind: WarningKind
        /// Nil for warnings of the whole program, and where no call site is known.
        var site: CodeLocation?
        var source: SourceID
        var isEnded: Bool
    }

    let id: ID
    let programIndex: Int
    /// The warnings, at least one. Warnings that hold are ordered with the oldest first; ended warnings, with the
    /// latest end first.
    private(set) var warnings: [Warning]
    /// Whether a warning of the group was found since the user left the view.
    private(set) var isNew: Bool
    /// When the earliest warning began, in nanoseconds of the program's clock.
    private(set) var first: UInt64
    /// When the latest warning ended or, for a fault, happened, in nanoseconds of the program's clock; nil while a
    /// warning that is not a fault holds.
    private(set) var last: UInt64?

    init(_ warning: Warning, id: ID, programIndex: Int, isNew: Bool) {
        self.id = id
        self.programIndex = programIndex
        self.isNew = isNew
        warnings = [warning]
        first = warning.since
        last = Self.lastSeen(warning)
    }

    mutating func add(_ warning: Warning, isNew: Bool) {
        warnings.append(warning)
        self.isNew = self.isNew || isNew
        first = min(first, warning.since)
        if let last, let seen = Self.lastSeen(warning) { self.last = max(last, seen) } else { last = nil }
    }

    private static func lastSeen(_ warning: Warning) -> UInt64? {
        warning.ended ?? (warning.kind.isFault ? warning.since : nil)
    }

    /// Returns whether one group comes before another: by severity, then the most recently seen first, then by
    /// ``WarningKind/byWeight``, then the oldest first. `now` returns the shown moment of a program.
    static func precedes(_ left: WarningGroup, _ right: WarningGroup, _ now: (Int) -> UInt64) -> Bool {
        let (kind, other) = (left.id.kind, right.id.kind)
        if kind.severity != other.severity { return kind.severity > other.severity }
        // Compares ages, because each program has its own clock.
        func ages(_ group: WarningGroup) -> (last: UInt64, first: UInt64) {
            let now = now(group.programIndex)
            return (group.last.map { now &- min(now, $0) } ?? 0, now &- min(now, group.first))
        }
        let (age, otherAge) = (ages(left), ages(right))
        if age.last != otherAge.last { return age.last < otherAge.last }
        if kind != other {
            let weights = WarningKind.byWeight
            return weights.firstIndex(of: kind)! < weights.firstIndex(of: other)!
        }
        if age.first != otherAge.first { return age.first > otherAge.first }
        return left.warnings[0].node < right.warnings[0].node
    }
}
