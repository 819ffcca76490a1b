// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel
import ChainText
import Frames

/// A ``Difference`` as lines of text. Texts of the programs are escaped.
package struct DifferenceText: Sendable {
    /// The glyphs, and whether all text is reduced to ASCII.
    package var glyphs: Glyphs
    /// Whether figures that changed have a terminal's colours: red where they are worse, green where they are better.
    package var isColored: Bool

    /// Writes without colours by default.
    package init(glyphs: Glyphs = .unicode, isColored: Bool = false) {
        (self.glyphs, self.isColored) = (glyphs, isColored)
    }

    /// The most call sites, and the most nodes of a list, that are written; the others are only counted.
    private static let limit = 40
    private static let operationWidth = 32

    /// Returns the text, each line closed by a newline.
    package func text(_ difference: Difference) -> String {
        var lines = [head("A", difference.before), head("B", difference.after), ""]
        lines += table(difference.sites)
        guard let live = difference.live else {
            return (lines + ["", "A and B are different runs: what is live is compared by call site."])
                .joined(separator: "\n") + "\n"
        }
        let (before, after) = (difference.before.forest, difference.after.forest)
        lines += list("live in A, not in B", live.onlyBefore, before) { id in
            difference.otherState(of: id, in: after)?.word ?? "no longer there"
        }
        lines += list("live in B, not in A", live.onlyAfter, after) { id in
            difference.otherState(of: id, in: before)?.word ?? "new"
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func head(_ letter: String, _ side: Difference.Side) -> String {
        let (first, last) = (side.report.range.lowerBound, side.report.range.upperBound)
        let ended = side.report.sites.values.reduce(0) { $0 + $1.ended }
        func clock(_ time: UInt64) -> String {
            ClockText.milliseconds(time &+ side.process.wallOffset, offset: side.clockOffset)
        }
        return "\(letter)  \(safe(side.name))  \(safe(side.process.name)) \(side.process.pid)  "
            + "\(clock(first)) to \(clock(last)) (\(DurationText.settled(last - first)))  "
            + "\(CountText.grouped(ended)) settled"
    }

    // MARK: Call sites

    /// A text, and the number of its colour on a terminal if it has one.
    private typealias Cell = (text: String, color: String?)

    private func table(_ sites: [SiteChange]) -> [String] {
        guard !sites.isEmpty else { return ["no call site changed"] }
        var rows: [[Cell]] = [
            ["CALL SITE", "OPERATION", "RATE/s", "REJECTED", "P50", "P90", "P99", "LIVE"].map { ($0, nil) }
        ]
        rows += sites.prefix(Self.limit).map(row)
        let widths = rows[0].indices.map { column in
            rows.map { glyphs.width(of: $0[column].text) }.max() ?? 0
        }
        var lines = rows.map { row in
            let cells = zip(row, widths).enumerated().map { index, pair in
                let (cell, width) = pair
                let room = String(repeating: " ", count: max(0, width - glyphs.width(of: cell.text)))
                let text = index < 2 ? cell.text + room : room + cell.text
                guard isColored, let color = cell.color else { return text }
                return "\u{1B}[\(color)m\(text)\u{1B}[0m"
            }
            return cells.joined(separator: "  ")
        }
        if sites.count > Self.limit {
            lines.append("\(glyphs.ellipsis) \(CountText.grouped(sites.count - Self.limit)) more (--json has all)")
        }
        return lines
    }

    private func row(_ change: SiteChange) -> [Cell] {
        let (old, new) = (change.before, change.after)
        var site = location(change.name)
        if let former = change.formerName { site = "\(location(former)) \(arrow) " + site }
        let label = (new ?? old)?.label ?? ""
        func cell(
            _ figure: SiteChange.Figure, isWorse: Bool, _ words: (SiteReport.Figures) -> String
        ) -> Cell {
            let (left, right) = (old.map(words) ?? "-", new.map(words) ?? "-")
            let text = left == right ? left : "\(left) \(arrow) \(right)"
            return (text, change.changes[figure] == nil ? nil : isWorse ? "31" : "32")
        }
        func percentile(_ figure: SiteChange.Figure, _ path: KeyPath<DurationFigures, UInt64>) -> Cell {
            let isWorse = (new?.total[keyPath: path] ?? 0) > (old?.total[keyPath: path] ?? 0)
            return cell(figure, isWorse: isWorse) { figures in
                figures.total.count == 0 ? "-" : Self.duration(figures.total[keyPath: path])
            }
        }
        return [
            (safe(site), nil), (cut(change.name.kind.word + (label.isEmpty ? "" : " " + label)), nil),
            cell(.rate, isWorse: (new?.rate ?? 0) < (old?.rate ?? 0)) { Self.rate($0.rate) },
            cell(.rejections, isWorse: (new?.failedShare ?? 0) > (old?.failedShare ?? 0)) { figures in
                figures.ended == 0 ? "-" : Self.percent(figures.failedShare)
            },
            percentile(.p50, \.p50), percentile(.p90, \.p90), percentile(.p99, \.p99),
            cell(.live, isWorse: (new?.live ?? 0) > (old?.live ?? 0)) { CountText.grouped($0.live) },
        ]
    }

    private var arrow: String { glyphs.charset == .ascii ? "->" : "→" }

    private func location(_ name: SiteReport.Name) -> String {
        guard !name.file.isEmpty else { return "?" }
        return "\(name.file.split(separator: "/").last ?? ""):\(name.line)"
    }

    /// Returns a duration that never reads as zero.
    private static func duration(_ duration: UInt64) -> String {
        duration < 50_000 ? "<0.1ms" : DurationText.settled(duration)
    }

    private static func rate(_ rate: Double) -> String {
        let tenths = Int((rate * 10).rounded())
        return rate >= 100 ? CountText.grouped(Int(rate.rounded())) : "\(tenths / 10).\(tenths % 10)"
    }

    private static func percent(_ share: Double) -> String {
        let tenths = Int((share * 1_000).rounded())
        return "\(tenths / 10).\(tenths % 10)%"
    }

    // MARK: Live nodes

    private func list(
        _ title: String, _ nodes: [NodeID], _ forest: ChainForest, _ fate: (NodeID) -> String
    ) -> [String] {
        var lines = ["", "\(title): \(CountText.grouped(nodes.count))"]
        for id in nodes.prefix(Self.limit) {
            guard let node = forest.index(of: id) else { continue }
            lines.append("  \(safe(NodeText.line(node, in: forest, now: forest.now)))  \(arrow) \(fate(id))")
        }
        if nodes.count > Self.limit {
            lines.append("  \(glyphs.ellipsis) \(CountText.grouped(nodes.count - Self.limit)) more (--json has all)")
        }
        return lines
    }

    private func cut(_ text: String) -> String {
        glyphs.cut(text, to: Self.operationWidth)
    }

    private func safe(_ text: String) -> String { glyphs.safe(text) }
}
