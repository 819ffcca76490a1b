// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel

/// A row of the profile: a path of call sites, or a row that stands for several paths.
struct ProfileRow: Equatable, ComparedRow {
    /// The identity of a row, which stays the same when the row moves, and when another moment of a recording is shown.
    /// The `NodeKey` stands for the process; its node is `.none`.
    enum ID: Hashable {
        /// A path, by the hash of its call sites and operations.
        case frame(NodeKey, Int)
        /// The short steps under a path, by the hash of that path.
        case more(NodeKey, Int)
        /// Paths beyond the limit.
        case omitted(NodeKey)
    }

    var id: ID
    /// The program's index in ``State/programs``.
    var programIndex: Int
    /// The index of the path's `ProfileCount.Frame`; for `more`, the index of the frame above it; for `omitted`, -1.
    var frame: Int
    /// The call site; nil where it is unknown.
    var site: CodeLocation?
    var key: SiteKey
    /// The common part of its nodes' labels; hostile until it is escaped.
    var label = ""
    var depth = 0
    /// At depth 0, the number of chains; below that, and for `omitted`, the number of nodes. For `more`, the number of
    /// rows that it stands for.
    var count = 0
    /// Total time and self time, summed up, in nanoseconds.
    var total: UInt64 = 0, ownTime: UInt64 = 0
    /// The total time of the row at depth 0 that this row is under, or is itself; 0 for `omitted`.
    var rootTotal: UInt64 = 0
    /// Where the row's bar begins, in nanoseconds of `rootTotal`.
    var offset: UInt64 = 0
    var failed = 0
    var time = DurationFigures()
    var slowest = NodeID.none, newest = NodeID.none
    var hasChildren = false
    var isFolded = false
    /// Whether the row has the greatest self time among a row at depth 0 and the paths that are shown under that row.
    var isHottest = false
    var changes: [Double?] = []
    var isNew = false

    var isFrame: Bool { if case .frame = id { true } else { false } }

    /// The total time as a share of the whole chains, from 0 to 1.
    var share: Double { rootTotal == 0 ? 0 : min(1, Double(total) / Double(rootTotal)) }
    /// The self time as a share of the whole chains, from 0 to 1.
    var ownShare: Double { rootTotal == 0 ? 0 : min(1, Double(ownTime) / Double(rootTotal)) }
    var failedShare: Double { count == 0 ? 0 : Double(failed) / Double(count) }

    var siteText: String {
        guard let site, !site.fileID.isEmpty else { return "unknown" }
        return site.description
    }

    /// The name in a sentence.
    var name: String {
        switch id {
        case .frame: label.isEmpty ? "\(key.kind.word) at \(siteText)" : label
        case .more: "\(count) more"
        case .omitted: "other call paths"
        }
    }

    func figure(_ column: ProfileColumn) -> Double? {
        switch column {
        case .path, .bar: nil
        case .totalShare: share
        case .ownShare: ownShare
        case .errors: failedShare
        case .totalSum, .ownSum, .count: number(column)
        case .p50, .p99, .max: time.count == 0 ? nil : number(column)
        }
    }

    /// Returns what a sort by a column compares, unless the column shows changes.
    func number(_ column: ProfileColumn) -> Double {
        switch column {
        case .path: 0
        case .bar, .totalShare, .totalSum: Double(total)
        case .ownShare, .ownSum: Double(ownTime)
        case .count: Double(count)
        case .p50: Double(time.p50)
        case .p99: Double(time.p99)
        case .max: Double(time.max)
        case .errors: failedShare
        }
    }
}

/// The rows of one program's profile.
struct ProfileRows {
    /// If two or more steps under the same row have smaller shares of the whole chains than this, one row stands for
    /// them.
    static let leastShare = 0.01

    let frames: [ProfileCount.Frame]
    let sites: [SiteID: CodeLocation]
    let process: NodeKey
    let programIndex: Int
    let sort: ProfileSort
    let folded: Set<ProfileRow.ID>
    let expanded: Set<ProfileRow.ID>
    /// The hash of each frame's path. The index of a frame is no identity, because it depends on which path was counted
    /// first. After a jump in a recording, all paths are counted anew.
    private var paths: [Int] = []
    /// The row of each frame; without what depends on its place.
    private(set) var frameRows: [ProfileRow] = []
    private var children: [[Int]] = []
    private var roots: [Int] = []
    private(set) var rows: [ProfileRow] = []

    /// - Parameter compare: compares the row of a frame with the baseline, if there is one.
    init(
        _ program: borrowing Program, at programIndex: Int, _ view: ProfileView,
        compare: (inout ProfileRow, borrowing Program) -> Void
    ) {
        let profile = program.insight.profile.figures
        frames = profile?.frames ?? []
        sites = program.forest.sites
        process = NodeKey(process: program.forest.process, id: .none)
        self.programIndex = programIndex
        (sort, folded, expanded) = (view.sort, view.folded, view.expanded)
        children = Array(repeating: [], count: frames.count)
        for (index, frame) in frames.enumerated() {
            paths.append(path(of: frame))
            var row = row(index)
            row.rootTotal = frame.parent.map { frameRows[$0].rootTotal } ?? frame.total
            compare(&row, program)
            frameRows.append(row)
            if let parent = frame.parent { children[parent].append(index) } else { roots.append(index) }
        }
        for root in sorted(roots) {
            let first = rows.count
            add(root, offset: 0)
            markHottest(from: first)
        }
        if let omitted = profile?.omittedCount, omitted > 0 {
            var row = ProfileRow(
                id: .omitted(process), programIndex: programIndex, frame: -1, key: SiteKey(site: 0, kind: .other))
            row.count = omitted
            rows.append(row)
        }
    }

    /// Returns the hash of a frame's path; the path of the frame above is hashed already. A call site is hashed by its
    /// location, or by its number if the location is unknown. A program may have several numbers for one location, and
    /// a frame has the number that was counted first.
    private func path(of frame: ProfileCount.Frame) -> Int {
        var hasher = Hasher()
        hasher.combine(frame.parent.map { paths[$0] })
        if let site = sites[frame.key.site] { hasher.combine(site) } else { hasher.combine(frame.key.site) }
        hasher.combine(frame.key.kind)
        return hasher.finalize()
    }

    private func sorted(_ indices: [Int]) -> [Int] {
        // A row without a change comes last.
        let (column, none) = (sort.column, sort.isInverted ? Double.infinity : -.infinity)
        func ranks(_ row: ProfileRow) -> [Double] {
            [row.changes.isEmpty ? 0 : row.changes[column.rawValue] ?? none, row.number(column)]
        }
        return indices.map { ($0, ranks(frameRows[$0])) }.sorted { left, right in
            for (own, other) in zip(left.1, right.1) where own != other { return (own > other) != sort.isInverted }
            return left.0 < right.0
        }.map(\.0)
    }

    private func row(_ index: Int) -> ProfileRow {
        let frame = frames[index]
        var row = ProfileRow(
            id: .frame(process, paths[index]), programIndex: programIndex, frame: index, site: sites[frame.key.site],
            key: frame.key)
        (row.label, row.depth, row.count) = (frame.label ?? "", frame.depth, frame.count)
        (row.total, row.ownTime, row.failed, row.time) = (frame.total, frame.ownTime, frame.failed, frame.time)
        (row.slowest, row.newest) = (frame.slowest, frame.newest)
        return row
    }

    /// Adds the row of a frame and, unless the row is folded, the rows under it.
    private mutating func add(_ index: Int, offset: UInt64) {
        var row = frameRows[index]
        let rootTotal = row.rootTotal
        row.offset = offset
        row.hasChildren = !children[index].isEmpty
        row.isFolded = row.hasChildren && folded.contains(row.id)
        rows.append(row)
        guard !row.isFolded else { return }
        let more = ProfileRow.ID.more(process, paths[index])
        let all = sorted(children[index])
        var short = all.filter { Double(frames[$0].total) < Self.leastShare * Double(rootTotal) }
        if short.count < 2 || expanded.contains(more) { short = [] }
        let hidden = Set(short)
        // A bar begins where the previous bar ends, clamped to its parent's bar.
        var begin = offset
        let end = offset.addingClamped(row.total)
        for child in all where !hidden.contains(child) {
            let total = frames[child].total
            add(child, offset: max(offset, min(begin, end - min(end, total))))
            begin = min(end, begin.addingClamped(total))
        }
        guard !short.isEmpty else { return }
        var last = ProfileRow(
            id: more, programIndex: programIndex, frame: index, key: SiteKey(site: 0, kind: .other))
        (last.depth, last.count, last.rootTotal, last.offset) = (row.depth + 1, short.count, rootTotal, begin)
        last.total = short.reduce(0) { $0.addingClamped(frames[$1].total) }
        last.ownTime = short.reduce(0) { $0.addingClamped(frames[$1].ownTime) }
        rows.append(last)
    }

    private mutating func markHottest(from first: Int) {
        let shown = rows.indices[first...].filter { rows[$0].isFrame }
        guard let hottest = shown.max(by: { rows[$0].ownTime < rows[$1].ownTime }), rows[hottest].ownTime > 0 else {
            return
        }
        rows[hottest].isHottest = true
    }
}
