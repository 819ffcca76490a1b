// SPDX-License-Identifier: MIT

/// A row of a list of programs: of the picker, whose programs can be attached to, and of the overview, whose programs
/// are attached to.
struct ProgramLine<ID: Hashable & Sendable>: Identifiable, Sendable {
    /// The identity of the program, which stays the same when the row moves.
    var id: ID
    /// The name: hostile until it is escaped.
    var name: String
    var pid: Int32?
    /// Nodes that are not settled; nil if the program was not reached.
    var inFlight: Int?
    /// Chains that failed in the last minute; nil if that is not known.
    var failed: Int?
    /// Whether failures of the program can be known.
    var countsFailures = true
    /// The age of the oldest live chain, in nanoseconds, and its text; nil if none is live, or if that is not known.
    var oldest: UInt64?
    var oldestText: String?
    /// Open warnings; nil if they are not counted.
    var warnings: Int?
    /// Nodes in flight in each second of the last minute, the oldest first; nil for a second without a sample.
    var trend: [Int?] = []
    /// How long the program has been recording, in nanoseconds; nil if that is not known.
    var age: UInt64?
    /// Chains that are kept.
    var chains: Int?
    /// What else there is to say: a problem, or remarks.
    var note = ""
    /// Whether ``note`` is a problem.
    var isProblem = false

    /// Whether something is in flight, or failed in the last minute.
    var isBusy: Bool { inFlight ?? 0 > 0 || failed ?? 0 > 0 }

    /// Returns whether the name or the pid holds a text, in upper or lower case.
    func matches(_ text: String) -> Bool {
        text.isEmpty || name.lowercased().contains(text.lowercased()) || pid.map { "\($0)".contains(text) } ?? false
    }

    /// Returns the number in a column; nil if there is none.
    private func number(_ column: ProgramColumn) -> UInt64? {
        switch column {
        case .pid: pid.map { UInt64(max(0, $0)) }
        case .inFlight, .trend: inFlight.map { UInt64(max(0, $0)) }
        case .failed: failed.map { UInt64(max(0, $0)) }
        case .oldest: oldest
        case .warnings: warnings.map { UInt64(max(0, $0)) }
        case .age: age
        case .chains: chains.map { UInt64(max(0, $0)) }
        case .name, .note: nil
        }
    }

    /// Returns whether a row comes before another one, in a strict total order of rows with different names or pids.
    func precedes(_ other: ProgramLine, by sort: ProgramSort) -> Bool {
        switch sort.column {
        case nil where isBusy != other.isBusy: return isBusy != sort.isInverted
        case nil where (inFlight == nil) != (other.inFlight == nil): return inFlight != nil
        case nil: break
        case .name?: return sort.isAscending ? precedesByName(other) : other.precedesByName(self)
        case let column?:
            // Rows without a number come last in either direction.
            let (own, its) = (number(column), other.number(column))
            if (own == nil) != (its == nil) { return own != nil }
            if let own, let its, own != its { return (own < its) == sort.isAscending }
        }
        return precedesByName(other)
    }

    private func precedesByName(_ other: ProgramLine) -> Bool {
        (name, pid ?? 0) < (other.name, other.pid ?? 0)
    }
}

/// The columns of a list of programs, from left to right.
enum ProgramColumn: Int, CaseIterable {
    case name, pid, inFlight, failed, oldest, warnings, trend, age, chains, note

    var title: String {
        switch self {
        case .name: "program"
        case .pid: "pid"
        case .inFlight: "in flight"
        case .failed: "failed/min"
        case .oldest: "oldest"
        case .warnings: "warnings"
        case .trend: "last minute"
        case .age: "age"
        case .chains: "chains"
        case .note: ""
        }
    }

    /// Whether the column is text, aligned to the left.
    var isText: Bool { self == .name || self == .note }

    /// Whether rows can be sorted by the column.
    var isSortable: Bool { self != .note && self != .trend }

    var width: Int {
        switch self {
        case .name: 8
        case .pid, .age: 7
        case .inFlight, .warnings: 9
        case .failed: 10
        case .oldest: 7
        case .trend: 12
        case .chains: 7
        case .note: 12
        }
    }

    /// The columns by importance: on a narrow screen, the last of them are left out first.
    static let priority: [ProgramColumn] = [
        .name, .inFlight, .failed, .oldest, .warnings, .pid, .note, .trend, .age, .chains,
    ]
}

/// The order of a list of programs: by a column, or, without a column, busy programs first.
struct ProgramSort: Equatable, ColumnSort {
    var column: ProgramColumn?
    var isInverted = false

    /// Whether the smallest comes first.
    var isAscending: Bool { (column == .name || column == .pid) != isInverted }

    /// The order in a sentence.
    var words: String {
        guard let column else { return isInverted ? "idle programs first" : "busy programs first" }
        let order =
            switch column {
            case .name: isAscending ? "from A to Z" : "from Z to A"
            case .oldest, .age: isAscending ? "the shortest first" : "the longest first"
            default: isAscending ? "the lowest first" : "the highest first"
            }
        return "sorted by \(column.title): \(order)"
    }
}
