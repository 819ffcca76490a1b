// SPDX-License-Identifier: MIT

import ChainInsight
import ChainListing
import ChainModel
import ChainRows
import ChainText

/// What a page shows, as JSON: times are nanoseconds since the first shown node was made.
struct PageData {
    private let moment: Moment
    private let begin: UInt64

    init(_ moment: Moment) {
        self.moment = moment
        var begin = moment.time
        for row in moment.rows { begin = min(begin, moment.forest.node(row.node).created) }
        self.begin = begin
    }

    /// The whole object, without `<`, so that no tag can begin in it.
    var json: String {
        let members: [(name: String, value: String)] = [
            ("title", JSONText.string(moment.title)), ("begin", JSONText.seconds(begin &+ moment.process.wallOffset)),
            ("nodes", JSONText.array(moment.rows.map(node))), ("sites", JSONText.array(sites)),
            ("warnings", JSONText.array(warnings)),
        ]
        // By scalars, because a `<` can be part of a longer character.
        var safe = ""
        for scalar in JSONText.object(members).unicodeScalars {
            if scalar == "<" { safe += "\\u003c" } else { safe.unicodeScalars.append(scalar) }
        }
        return safe
    }

    private func time(_ time: UInt64?) -> String { JSONText.number(time.map { $0.subtractingClamped(begin) }) }

    private func node(_ row: TreeRow) -> String {
        let forest = moment.forest
        let view = forest.node(row.node)
        let last = view.settled ?? moment.time
        let timing = forest.timing(of: row.node, now: moment.time)
        let (text, isLabel) = NodeText.label(of: row.node, in: forest)
        let site = forest.site(of: row.node).flatMap { $0.fileID.isEmpty ? nil : $0 }
        let runs = view.kind.role != .combinator && !view.kind.runsInTask
        return JSONText.object([
            ("id", "\(view.id.rawValue)"), ("depth", "\(row.depth)"),
            ("root", "\(row.flags.contains(.root))"), ("kind", JSONText.string(view.kind.word)),
            ("label", JSONText.string(text)), ("named", "\(isLabel)"), ("state", JSONText.string(view.state.word)),
            ("word", JSONText.string(NodeText.state(of: row.node, isRoot: false, in: forest, now: moment.time).word)),
            ("live", "\(view.isLive)"),
            ("outcome", row.flags.contains(.root) ? JSONText.string(forest.chain(of: row.node).outcome.word) : "null"),
            ("site", JSONText.string(site?.description)), ("file", JSONText.string(site?.file)),
            ("function", JSONText.string(site?.function)),
            ("thread", JSONText.string(view.thread == 0 ? nil : forest.threads[view.thread] ?? "\(view.thread)")),
            ("executor", JSONText.string(forest.executors[view.executor])),
            ("created", time(view.created)), ("from", time(timing.total.map { last.subtractingClamped($0) })),
            ("to", time(last)), ("started", runs ? time(view.started) : "null"),
            ("ended", runs ? time(view.started == nil ? nil : view.ended ?? last) : "null"),
            ("wait", JSONText.number(timing.wait)), ("run", JSONText.number(timing.run)),
            ("total", JSONText.number(timing.total)), ("summary", JSONText.string(forest.summary(of: row.node))),
            ("by", JSONText.string(forest.canceller(of: row.node))),
            ("marks", JSONText.array(view.marks.list.compactMap(\.note).map { JSONText.string($0) })),
        ])
    }

    private var sites: [String] {
        var sites = Recount<SiteCount>()
        sites.count(moment.forest)
        let lines = (sites.figures ?? [:])
            .sorted { ($1.1.total, $0.0.site, $0.0.kind.rawValue) < ($0.1.total, $1.0.site, $1.0.kind.rawValue) }
        return lines.map { key, site in
            let name = moment.forest.sites[key.site].flatMap { $0.fileID.isEmpty ? nil : $0.description }
            return JSONText.object([
                ("site", JSONText.string(name ?? "?")), ("kind", JSONText.string(key.kind.word)),
                ("label", JSONText.string(site.flow.label)), ("total", "\(site.total)"), ("live", "\(site.live)"),
                ("running", "\(site.running)"), ("rejected", "\(site.rejected)"), ("cancelled", "\(site.cancelled)"),
                ("p50", "\(site.flow.time.p50)"), ("p90", "\(site.flow.time.p90)"), ("p99", "\(site.flow.time.p99)"),
                ("max", "\(site.flow.time.max)"),
            ])
        }
    }

    private var warnings: [String] {
        var table = WarningTable()
        repeat { table.tick(moment.forest, now: moment.time, options: WarningOptions()) } while table.isSweeping
        return WarningKind.byWeight.flatMap { kind in
            table.warnings(of: kind).map { warning in
                let node = moment.forest.index(of: warning.node)
                let name = node.map { NodeText.name(of: $0, in: moment.forest) } ?? warning.label
                return JSONText.object([
                    ("kind", JSONText.string(kind.rawValue)), ("severity", JSONText.string(kind.severity.name)),
                    ("headline", JSONText.string(kind.headline)), ("text", JSONText.string(kind.explanation)),
                    ("advice", JSONText.string(kind.advice(for: warning.nodeKind))),
                    ("node", JSONText.number(warning.node == .none ? nil : warning.node.rawValue)),
                    ("name", JSONText.string(name)), ("age", "\(moment.time.subtractingClamped(warning.since))"),
                ])
            }
        }
    }
}
