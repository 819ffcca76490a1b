import ChainInsight

enum WarningRow: Equatable {
    /// The warnings of a kind at a call site; one alone stands for itself.
    case group(WarningGroup, isFolded: Bool)
    /// One of a group that is unfolded.
    case warning(Warning, WarningGroup.ID, programIndex: Int)
    /// How many more of a kind hold than are kept.
    case more(WarningKind, count: Int)
    /// So many that hold on nodes that the filter hides.
    case filtered(Int)
    /// How many ended lately.
    case ended(Int, isFolded: Bool)
    /// A kind that is muted.
    case hidden(WarningKind)

    /// The identity of a row, wherever it is.
    enum ID: Hashable {
        case group(WarningGroup.ID)
        case warning(Warning.ID, SourceID)
        case more(WarningKind)
        case filtered, ended
        case hidden(WarningKind)
    }

    var id: ID {
        switch self {
        case .group(let group, _): .group(group.id)
        case .warning(let warning, let group, _): .warning(warning.id, group.source)
        case .more(let kind, _): .more(kind)
        case .filtered: .filtered
        case .ended: .ended
        case .hidden(let kind): .hidden(kind)
        }
    }

    /// The kind of warnings that the row is about; nil where it is about several.
    var kind: WarningKind? {
        switch self {
        case .group(let group, _): group.id.kind
        case .warning(let warning, _, _): warning.kind
        case .more(let kind, _), .hidden(let kind): kind
        case .filtered, .ended: nil
        }
    }

    /// The program that the row is of, in ``State/programs``.
    var programIndex: Int? {
        switch self {
        case .group(let group, _): group.programIndex
        case .warning(_, _, let programIndex): programIndex
        case .more, .filtered, .ended, .hidden: nil
        }
    }

    /// The one warning that the row stands for.
    var warning: (warning: Warning, programIndex: Int)? {
        switch self {
        case .group(let group, _) where group.warnings.count == 1: (group.warnings[0], group.programIndex)
        case .warning(let warning, _, let programIndex): (warning, programIndex)
        default: nil
        }
    }

    /// Whether something is folded under it, or could be.
    var folds: Bool {
        switch self {
        case .group(let group, _): group.warnings.count > 1
        case .ended: true
        default: false
        }
    }
}
