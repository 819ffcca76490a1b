// SPDX-License-Identifier: MIT

import ChainModel
import Frames

/// A moment as a graph of Graphviz.
package enum DOTExport {
    /// The maximum number of nodes that are shown by default.
    package static let nodeLimit = 1_000

    package static func write(_ moment: Moment, to output: TextOutput) throws {
        try output(
            """
            digraph chains {
              graph [rankdir=LR, charset="UTF-8", fontname="sans-serif", labelloc=t, label=\(quoted(moment.title))];
              node [shape=box, style="rounded,filled", fontname="sans-serif", fontsize=10];
              edge [fontname="sans-serif", fontsize=9, color="#868e96"];

            """)
        for row in moment.rows {
            let forest = moment.forest
            let color = StateColor.of(forest.state(of: row.node))
            let text = [moment.name(row.node, columns: 60), moment.status(row.node, columns: 60)]
            let site = SafeText.line(forest.site(of: row.node)?.description ?? "")
            let id = forest.id(of: row.node).rawValue
            try output(
                "  n\(id) [label=\(quoted(text)), fillcolor=\"\(color.fill)\", color=\"\(color.stroke)\", "
                    + "tooltip=\(quoted(site))];\n")
            if !row.flags.contains(.root), let parent = forest.treeParent(of: row.node) {
                try output("  n\(forest.id(of: parent).rawValue) -> n\(id);\n")
            }
        }
        for link in moment.links {
            let word = link.isFollowing ? "follows" : "member"
            try output(
                "  n\(link.from.rawValue) -> n\(link.to.rawValue) [style=dashed, constraint=false, label=\"\(word)\"];\n"
            )
        }
        try output("}\n")
    }

    private static func quoted(_ line: String) -> String { quoted([line]) }

    /// Returns lines as one quoted string. Escapes ampersands, because Graphviz replaces entities.
    static func quoted(_ lines: [String]) -> String {
        let escaped = lines.map { line in
            var result = ""
            for scalar in line.unicodeScalars {
                switch scalar {
                case "\"": result += "\\\""
                case "\\": result += "\\\\"
                case "&": result += "&amp;"
                default: result.unicodeScalars.append(scalar)
                }
            }
            return result
        }
        return "\"" + escaped.joined(separator: "\\n") + "\""
    }
}
