// SPDX-License-Identifier: MIT

import ChainInsight

/// A row of the view of warnings.
enum WarningRow: Equatable {
    /// The warnings of a kind at a call site. The row of a single warning stands for that warning, and does not fold.
    case group(WarningGroup, isFolded: Bool)
    /// A warning of an unfolded group.
    case warning(Warning, WarningGroup.ID, programIndex: Int)
    /// How many warnings of a kind hold but are not kept.
    case more(WarningKind, count: Int)
    /// The number of warnings that hold and that the filter hides.
    case filtered(Int)
    /// The number of warnings that ended lately.
    case ended(Int, isFolded: Bool)
    /// A kind that is muted.
    case muted(WarningKind)
    /// On the page of failures: the failed chains with one cause.
    case failure(FailureTable.Group, SourceID, programIndex: Int)
    /// On the page of failures: how many chains failed for causes beyond the limit.
    case omittedFailures(Int)

    /// The identity of a row, which stays the same when the row moves.
    enum ID: Hashable {
        case group(WarningGroup.ID)
        case warning(Warning.ID, SourceID)
        case more(WarningKind)
        case filtered, ended
        case muted(WarningKind)
        case failure(FailureTable.Cause, SourceID)
        case omittedFailures
    }

    var id: ID {
        switch self {
        case .group(let group, _): .group(group.id)
        case .warning(let warning, let group, _): .warning(warning.id, group.source)
        case .more(let kind, _): .more(kind)
        case .filtered: .filtered
        case .ended: .ended
        case .muted(let kind): .muted(kind)
        case .failure(let failure, let source, _): .failure(failure.cause, source)
        case .omittedFailures: .omittedFailures
        }
    }

    /// The kind of warnings that the row is about; nil if the row is about several kinds.
    var kind: WarningKind? {
        switch self {
        case .group(let group, _): group.id.kind
        case .warning(let warning, _, _): warning.kind
        case .more(let kind, _), .muted(let kind): kind
        case .filtered, .ended, .failure, .omittedFailures: nil
        }
    }

    /// The index of the row's program in ``State/programs``; nil for rows of all programs.
    var programIndex: Int? {
        switch self {
        case .group(let group, _): group.programIndex
        case .warning(_, _, let programIndex), .failure(_, _, let programIndex): programIndex
        case .more, .filtered, .ended, .muted, .omittedFailures: nil
        }
    }

    /// The one warning that the row stands for; nil if the row stands for no warning or for several.
    var warning: (warning: Warning, programIndex: Int)? {
        switch self {
        case .group(let group, _) where group.warnings.count == 1: (group.warnings[0], group.programIndex)
        case .warning(let warning, _, let programIndex): (warning, programIndex)
        default: nil
        }
    }

    /// Whether the row can be folded and unfolded.
    var folds: Bool {
        switch self {
        case .group(let group, _): group.warnings.count > 1
        case .ended: true
        default: false
        }
    }
}
