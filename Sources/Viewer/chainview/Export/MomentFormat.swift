// SPDX-License-Identifier: MIT

import ChainExport
import ChainText

/// An export format that shows one moment of a program.
enum MomentFormat: CaseIterable {
    case mermaid, dot, svg, html

    /// The maximum number of nodes that are shown without `--limit`.
    var nodeLimit: Int {
        switch self {
        case .mermaid: MermaidExport.nodeLimit
        case .dot: DOTExport.nodeLimit
        case .svg: SVGExport.nodeLimit
        case .html: HTMLExport.nodeLimit
        }
    }

    /// Writes a moment; returns how much is not shown, in a sentence, or nil.
    func write(_ moment: Moment, to output: TextOutput) throws -> String? {
        switch self {
        case .mermaid:
            let chart = MermaidExport(moment)
            try chart.write(to: output)
            return Self.note(
                nodes: moment.leftOutCount, cutNodes: chart.moment.leftOutCount, links: chart.leftOutLinkCount)
        case .dot: try DOTExport.write(moment, to: output)
        case .svg: try SVGExport(moment).write(to: output)
        case .html: try HTMLExport.write(moment, to: output)
        }
        return Self.note(nodes: moment.leftOutCount, cutNodes: moment.leftOutCount, links: 0)
    }

    /// Returns what is not shown and why, in one sentence; nil if nothing is left out.
    ///
    /// - Parameters:
    ///   - nodes: the number of nodes that `--limit` leaves out.
    ///   - cutNodes: the number of nodes that are left out in all.
    ///   - links: the number of links that are left out.
    private static func note(nodes: Int, cutNodes: Int, links: Int) -> String? {
        let counts = [(cutNodes, "node"), (links, "link")].filter { $0.0 > 0 }
            .map { CountText.counted($0.0, $0.1) }
        guard !counts.isEmpty else { return nil }
        let isLimited = cutNodes > nodes || links > 0
        return counts.joined(separator: " and ") + " not shown: "
            + (isLimited
                ? "Mermaid draws at most 500 edges and 50,000 characters. --where and --live show others."
                : "--limit shows more, --where and --live others.")
    }
}
