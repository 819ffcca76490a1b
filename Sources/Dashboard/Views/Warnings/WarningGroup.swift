import ChainEvents
import ChainInsight

/// The warnings of one kind at one call site of a program.
struct WarningGroup: Equatable {
    /// The identity of a group, whatever its row.
    struct ID: Hashable {
        var kind: WarningKind
        /// Nil for warnings of the whole program, and where no call site is known.
        var site: CodeLocation?
        var source: SourceID
        var isEnded: Bool
    }

    let id: ID
    let programIndex: Int
    /// At least one: those that hold the oldest first, ended ones the latest end first.
    private(set) var warnings: [Warning]
    /// Whether one of them was found since the view was left.
    private(set) var isNew: Bool
    /// When the first began, in nanoseconds of the program's clock.
    private(set) var first: UInt64
    /// When the last of them was seen, in nanoseconds of the program's clock; nil for now.
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

    /// Orders by severity, then by last seen, by the kind's weight, and the oldest first.
    static func precedes(_ left: WarningGroup, _ right: WarningGroup, _ now: (Int) -> UInt64) -> Bool {
        let (kind, other) = (left.id.kind, right.id.kind)
        if kind.severity != other.severity { return kind.severity > other.severity }
        // By age, because programs have clocks of their own.
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
