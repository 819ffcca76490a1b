// SPDX-License-Identifier: MIT

import ChainModel
import ChainText

/// An event as one JSON object on one line. The names of its fields are kept from release to release.
///
///     {"time":1.5,"event":"rejected","node":12,"kind":"then","label":"charge","chain":9,"other":null,…}
///
/// All fields are always present, `null` where unknown. Kind, label, chain, file, line and function describe the event's
/// node in the forest.
package enum EventJSON {
    /// The names of the fields, in order.
    package static let fields = [
        "time", "event", "node", "kind", "label", "chain", "other", "text", "flags", "thread", "threadID", "executor",
        "file", "line", "function",
    ]

    /// Returns the object, without a newline.
    ///
    /// - Parameters:
    ///   - text: the event's dynamic text.
    ///   - forest: the forest after the event.
    ///   - wallOffset: what to add to the event's time to get nanoseconds since 1970.
    package static func object(
        _ event: ChainEvent, text: String?, in forest: borrowing ChainForest, wallOffset: UInt64
    ) -> String {
        let node = forest.index(of: event.node)
        let site = node.flatMap { forest.site(of: $0) }
        let chain = node.map { forest.id(of: forest.root(of: $0)).rawValue }
        let executor = event.kind == .queued || event.kind == .blocked ? forest.executors[event.detail] : nil
        let values = [
            JSONText.seconds(event.time &+ wallOffset), JSONText.string(EventText.word(event.kind)),
            "\(event.node.rawValue)", JSONText.string(node.map { forest.kind(of: $0).word }),
            JSONText.string(node.flatMap { forest.label(of: $0) }), JSONText.number(chain),
            JSONText.number(event.other == .none || event.kind == .renamed ? nil : event.other.rawValue),
            JSONText.string(text),
            JSONText.array(names(of: event.flags).map { JSONText.string($0) }),
            JSONText.string(event.thread == 0 ? nil : forest.threads[event.thread] ?? "\(event.thread)"),
            JSONText.number(event.thread == 0 ? nil : event.thread), JSONText.string(executor),
            JSONText.string(site?.file), JSONText.number(site?.fileLine), JSONText.string(site?.function),
        ]
        return JSONText.object(zip(fields, values).map { (name: $0, value: $1) })
    }

    /// The words for the events, in the order of their numbers.
    package static let words = EventKind.allCases.map(EventText.word)

    private static let flagNames: [(flag: EventFlags, name: String)] = [
        (.hasParent, "hasParent"), (.handlerEnded, "handlerEnded"), (.error, "error"), (.external, "external"),
        (.byViewer, "byViewer"), (.late, "late"), (.separateChain, "separateChain"),
    ]

    private static func names(of flags: EventFlags) -> [String] {
        flagNames.filter { flags.contains($0.flag) }.map(\.name)
    }

    /// The names of the flags.
    package static let flags = flagNames.map(\.name)
}
