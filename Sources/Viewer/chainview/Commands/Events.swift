// SPDX-License-Identifier: MIT

import ArgumentParser
import ChainEvents
import ChainInsight
import ChainListing
import ChainText
import Foundation
import Frames

/// `chainview events`: the events of a program, one line each.
struct Events: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the events of a program as they happen, or those of a recording.",
        discussion: """
            One line for each event: time, thread, event, node, text. The events of a program are printed from now \
            until it ends. The events of a recording are printed from its beginning, or from FILE@TIME on, to its end. \
            ^C ends the command. Events that were lost are counted on standard error.

            With --json: one object a line, with \(EventJSON.fields.joined(separator: ", ")). The event is one of \
            \(EventJSON.words.joined(separator: ", ")); the flags are a list of \
            \(EventJSON.flags.joined(separator: ", ")). The field 'time' is in seconds since 1970. The field 'chain' \
            is the id of the chain's first node, and 'other' is the id of the parent, creator, member or followed \
            node. The fields 'label', 'kind', 'file' and 'line' are those of the node. Unknown values are null.

            A query of --where finds events by their node as it was right after the event; 'event:rejected,cancelled' \
            restricts the kinds.

            Exit codes: 0 done or interrupted, 64 wrong usage, 65 another version of the protocol, no recording or a \
            damaged one, 66 no such program or file, 69 the program is gone, does not answer or has too many viewers, \
            74 input or output failed, or another error of the system, 77 the program refuses access.
            """)

    @Argument(
        help: ArgumentHelp("The program: \(ForestSource.words).", valueName: "target"), completion: Completions.sources)
    var name: String

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp(
            "Print only events that match a query: 'event:rejected', \(QueryArgument.examples)", valueName: "query"))
    var query: String?

    @Flag(help: "Print JSON, an object a line.")
    var json = false

    @OptionGroup var symbols: SymbolOptions

    @OptionGroup var limit: TimeLimit

    @Flag(help: "Print ASCII only; the default if the locale is not UTF-8, and on the Linux console.")
    var ascii = false

    func validate() throws { if let query { _ = try QueryArgument.events(query) } }

    func run() throws {
        let query = try query.map { try QueryArgument.events($0) } ?? .everything
        let source = try ForestSource(name, symbols.reading)
        var line = EventLine(glyphs: .of(DisplayOptions.charset(ascii: ascii)))
        let loop = BatchLoop(source, for: limit.duration)
        var selection = EventSelection(process: ProcessKey(rawValue: 0), query: query)
        var (wallOffset, start, reportedLoss): (UInt64, UInt64, UInt64) = (0, 0, 0)
        var resyncPosition = ResyncPosition()
        var output = OutputBuffer()
        func flush() throws {
            try output.flush()
            guard selection.lostCount > reportedLoss else { return }
            let count = CountText.counted(Int(clamping: selection.lostCount - reportedLoss), "event")
            Streams.printError("\(count) lost: more came than could be kept.")
            reportedLoss = selection.lostCount
        }
        try loop.run(
            begin: { reader in
                selection = EventSelection(process: reader.process.key, query: query)
                (wallOffset, start) = (reader.process.wallOffset, reader.start)
            },
            take: { batch in
                if resyncPosition.isResyncRepeated(by: batch, after: start) {
                    Streams.printError("rereading state: events may be missing until it is complete.")
                }
                // The offset is read for each batch, because the command may run when summer time begins or ends.
                line.clockOffset = source.clockOffset(at: batch.time &+ wallOffset)
                try selection.apply(batch) { event, text, forest in
                    // A batch that begins or ends a resync (the program's whole state) has no new events: its events
                    // are waits that belong to that state.
                    guard event.time > start, batch.resync == nil else { return }
                    let shown =
                        json
                        ? EventJSON.object(event, text: text, in: forest, wallOffset: wallOffset)
                        : line.text(event, text: text, in: forest, wallOffset: wallOffset)
                    try output.add(shown + "\n")
                }
                return true
            },
            whilePaused: {
                try flush()
                return true
            },
            end: { try flush() })
    }
}

/// The position in a stream of batches relative to its resyncs. A resync is the program's whole state, sent as batches.
private struct ResyncPosition {
    private var isInResync = false
    /// Whether a batch outside of any resync has come since the last resync.
    private var hasFollowed = false

    /// Returns whether a batch begins a resync before which events may be missing. A recording may begin with
    /// two resyncs: its own state, and the program's state.
    mutating func isResyncRepeated(by batch: EventBatch, after start: UInt64) -> Bool {
        switch batch.resync {
        case .begin?:
            defer { (isInResync, hasFollowed) = (true, false) }
            return hasFollowed
        case .end?: isInResync = false
        case nil: if !isInResync, batch.time > start { hasFollowed = true }
        }
        return false
    }
}
