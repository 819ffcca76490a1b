// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel

/// A ``Difference`` as one JSON object. The names of its fields are kept from release to release.
package enum DifferenceJSON {
    /// Returns the object, closed by a newline.
    package static func text(_ difference: Difference) -> String {
        let (before, after) = (difference.before, difference.after)
        let members: [(name: String, value: String)] = [
            ("before", side(before)), ("after", side(after)),
            ("sites", list(difference.sites.map(site))),
            ("liveOnlyBefore", nodes(difference.live?.onlyBefore, before, other: after.forest)),
            ("liveOnlyAfter", nodes(difference.live?.onlyAfter, after, other: before.forest)),
        ]
        return "{" + members.map { "\"\($0.name)\": \($0.value)" }.joined(separator: ",\n ") + "}\n"
    }

    private static func list(_ values: [String]) -> String {
        "[" + values.map { "\n  " + $0 }.joined(separator: ",") + "]"
    }

    private static func side(_ side: Difference.Side) -> String {
        let range = side.report.range
        return JSONText.object([
            ("file", JSONText.string(side.name)), ("process", TreeJSON.process(side.process)),
            ("from", JSONText.seconds(range.lowerBound &+ side.process.wallOffset)),
            ("to", JSONText.seconds(range.upperBound &+ side.process.wallOffset)),
            ("span", JSONText.seconds(range.upperBound - range.lowerBound)),
        ])
    }

    private static func site(_ change: SiteChange) -> String {
        let label = (change.after ?? change.before)?.label
        let changed = SiteChange.Figure.allCases.filter { change.changes[$0] != nil }.map {
            JSONText.string($0.rawValue)
        }
        return JSONText.object([
            ("file", JSONText.string(change.name.location.file)),
            ("line", JSONText.number(change.name.location.fileLine)),
            ("function", JSONText.string(change.name.location.function)),
            ("formerLine", JSONText.number(change.formerName?.line)),
            ("kind", JSONText.string(change.name.kind.word)), ("label", JSONText.string(label)),
            ("weight", decimal(change.weight)), ("changed", JSONText.array(changed)),
            ("before", figures(change.before)), ("after", figures(change.after)),
        ])
    }

    private static func figures(_ figures: SiteReport.Figures?) -> String {
        guard let figures else { return "null" }
        func durations(_ durations: DurationFigures) -> String {
            guard durations.count > 0 else { return "null" }
            return JSONText.object([
                ("count", "\(durations.count)"), ("p50", JSONText.seconds(durations.p50)),
                ("p90", JSONText.seconds(durations.p90)), ("p99", JSONText.seconds(durations.p99)),
                ("max", JSONText.seconds(durations.max)),
            ])
        }
        return JSONText.object([
            ("settled", "\(figures.ended)"), ("rejected", "\(figures.failed)"), ("cancelled", "\(figures.cancelled)"),
            ("live", "\(figures.live)"), ("rate", decimal(figures.rate)), ("total", durations(figures.total)),
            ("run", durations(figures.run)), ("wait", durations(figures.wait)),
        ])
    }

    /// Returns a number from 0 on with up to six decimals, rounded.
    package static func decimal(_ value: Double) -> String {
        JSONText.seconds(UInt64(min((value * 1e6).rounded(), 1e16)) * 1_000)
    }

    private static func nodes(_ ids: [NodeID]?, _ side: Difference.Side, other: ChainForest) -> String {
        guard let ids else { return "null" }
        let objects = ids.compactMap { id -> String? in
            guard let node = side.forest.index(of: id) else { return nil }
            let (view, site) = (side.forest.node(node), side.forest.site(of: node))
            return JSONText.object([
                ("id", "\(id.rawValue)"), ("kind", JSONText.string(view.kind.word)),
                ("label", JSONText.string(side.forest.label(of: node))), ("state", JSONText.string(view.stateWord)),
                ("otherState", JSONText.string(other.index(of: id).map { other.node($0).stateWord })),
                ("chain", "\(side.forest.id(of: side.forest.root(of: node)).rawValue)"),
                ("file", JSONText.string(site?.file)), ("line", JSONText.number(site?.fileLine)),
                ("function", JSONText.string(site?.function)),
                ("createdAt", JSONText.seconds(view.created &+ side.process.wallOffset)),
            ])
        }
        return list(objects)
    }
}
