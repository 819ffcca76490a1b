// SPDX-License-Identifier: MIT

import ChainListing
import ChainModel
import ChainText

// Names and arguments in a trace.
extension PerfettoExport {
    static func name(of view: NodeView, in forest: borrowing ChainForest) -> String {
        let (text, isLabel) = NodeText.label(of: view.index, in: forest)
        return isLabel ? "\(view.kind.word) \(text)" : "\(view.kind.word) at \(text)"
    }

    static func arguments(of node: NodeIndex, in forest: borrowing ChainForest) -> String {
        let view = forest.node(node)
        var members: [(name: String, value: String)] = [
            ("node", "\(view.id.rawValue)"), ("state", JSONText.string(view.stateWord)),
        ]
        if let site = forest.site(of: node), !site.fileID.isEmpty {
            members.append(("site", JSONText.string(site.place)))
        }
        if let name = forest.executors[view.executor] { members.append(("executor", JSONText.string(name))) }
        if let wait = view.handlerTiming(now: forest.now).wait { members.append(("queued_ns", "\(wait)")) }
        if let text = forest.summary(of: node) { members.append(("summary", JSONText.string(text))) }
        return JSONText.object(members)
    }
}
