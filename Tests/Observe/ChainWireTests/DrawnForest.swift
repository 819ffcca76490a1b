import ChainEvents
import ChainModel

extension ChainForest {
    /// Returns a line for each node: indentation, state, kind, id, label, and call site.
    func drawn() -> String {
        var lines: [String] = []
        var stack: [NodeIndex] = roots.reversed()
        while let index = stack.popLast() {
            let view = node(index)
            var line =
                String(repeating: "  ", count: depth(of: index)) + "\(view.state.word) \(view.kind.word) \(view.id)"
            if let label = label(of: index) { line += " \(label)" }
            if let site = site(of: index), !site.fileID.isEmpty { line += " (\(site))" }
            lines.append(line)
            var child = lastChild(of: index)
            while let current = child {
                stack.append(current)
                child = previousSibling(of: current)
            }
        }
        return lines.joined(separator: "\n")
    }
}

// SPDX-License-Identifier: MIT
