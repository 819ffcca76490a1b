// SPDX-License-Identifier: MIT

import ChainModel
import ChainText

/// A moment as a flowchart of Mermaid, within Mermaid's limits.
///
/// A moment that exceeds the limits is shown without some of its links. If its nodes alone exceed the limits, nodes are
/// left out, too, as by ``Moment`` with a smaller limit.
package struct MermaidExport {
    /// The maximum number of nodes that are shown by default.
    package static let nodeLimit = 200

    /// The maximum number of edges that Mermaid accepts (`maxEdges`).
    private static let edgeLimit = 500
    /// The maximum number of units of UTF-16 that Mermaid accepts (`maxTextSize`).
    private static let textLimit = 50_000

    /// What is shown.
    package let moment: Moment
    /// How many links between shown nodes are left out, because of the limits of Mermaid.
    package let leftOutLinkCount: Int
    package let text: String

    package init(_ moment: Moment) {
        var shown = moment
        var chart = Chart(shown)
        while chart.nodeEdgeCount > Self.edgeLimit || chart.nodeSize > Self.textLimit, shown.nodeCount > 1 {
            // The share of nodes that fits if all are of one size. They are not, so the loop tries again.
            let share = min(
                Double(Self.edgeLimit) / Double(max(1, chart.nodeEdgeCount)),
                Double(Self.textLimit) / Double(chart.nodeSize))
            let limit = min(shown.nodeCount - 1, Int(Double(shown.nodeCount) * share))
            shown = moment.limited(to: max(1, limit))
            chart = Chart(shown)
        }
        var room = (edges: Self.edgeLimit - chart.nodeEdgeCount, size: Self.textLimit - chart.nodeSize)
        let kept = chart.links.prefix { link in
            room.edges -= 1
            room.size -= link.utf16.count
            return room.edges >= 0 && room.size >= 0
        }
        (self.moment, leftOutLinkCount) = (shown, chart.links.count - kept.count)
        text = chart.text(links: kept, leftOut: leftOutLinkCount)
    }

    package func write(to output: TextOutput) throws { try output(text) }

    /// Returns a text for use between quotes. ASCII other than letters, digits and harmless signs becomes `#NUMBER;`.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", " ", ".", ",", ":", "(", ")", "+", "/", "'", "=", "!", "?":
                result.unicodeScalars.append(scalar)
            default:
                if scalar.value < 0x80 { result += "#\(scalar.value);" } else { result.unicodeScalars.append(scalar) }
            }
        }
        return result
    }
}

/// The lines of a flowchart.
private struct Chart {
    private let head: String
    private var nodes = ""
    private let tail: String
    /// How many edges lead from parents to children.
    private(set) var nodeEdgeCount = 0
    /// The lines of the links between shown nodes, one line for each link.
    let links: [String]

    /// The greatest size of the note on left-out links, in units of UTF-16.
    private static let noteSize = 40

    init(_ moment: Moment) {
        head = "%% \(Self.comment(moment.title))\nflowchart TD\n"
        for row in moment.rows {
            let state = moment.forest.state(of: row.node)
            let (name, status) = (moment.name(row.node, columns: 48), moment.status(row.node, columns: 48))
            let id = moment.forest.id(of: row.node).rawValue
            let text = MermaidExport.escaped(name) + "<br/>" + MermaidExport.escaped(status)
            nodes += "  n\(id)[\"\(text)\"]:::\(state.word)\n"
            if !row.flags.contains(.root), let parent = moment.forest.treeParent(of: row.node) {
                nodes += "  n\(moment.forest.id(of: parent).rawValue) --> n\(id)\n"
                nodeEdgeCount += 1
            }
        }
        links = moment.links.map { link in
            "  n\(link.from.rawValue) -. \(link.isFollowing ? "follows" : "member") .-> n\(link.to.rawValue)\n"
        }
        tail = NodeState.allCases.map { state in
            let color = StateColor.of(state)
            return "  classDef \(state.word) fill:\(color.fill),stroke:\(color.stroke),color:#212529\n"
        }.joined()
    }

    /// The size of everything but the links, in units of UTF-16.
    var nodeSize: Int { head.utf16.count + nodes.utf16.count + tail.utf16.count + Self.noteSize }

    func text(links: some Sequence<String>, leftOut count: Int) -> String {
        let note = count > 0 ? "%% \(CountText.counted(count, "link")) not shown\n" : ""
        return note + head + nodes + links.joined() + tail
    }

    /// Returns a line for a comment. Replaces braces, because they could begin a directive.
    private static func comment(_ text: String) -> String {
        String(text.map { "{}".contains($0) ? "_" : $0 })
    }
}
