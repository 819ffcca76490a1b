// SPDX-License-Identifier: MIT

import ArgumentParser
import ChainExport
import ChainListing
import Foundation

/// `chainview export`: writes chains for other tools.
struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes chains for other tools: Perfetto, OTLP collectors, JSON, Mermaid, Graphviz, SVG, HTML.",
        discussion: """
            Of a recording --perfetto, --otlp and --jsonl take all nodes from the beginning, or from the moment of \
            FILE@TIME on; of a program those that it keeps, and with --follow what comes, until ^C, until --for is over, or \
            until the program ends. The others show one moment: that of FILE@TIME, the end of a recording, or now; live chains \
            first, then the newest.

            --perfetto: handlers on their threads, chains and their steps on at most 200 tracks, and flows from each \
            handler to those that it let run. Open the file at ui.perfetto.dev; nothing of it is uploaded.

            --otlp: each settled node is a span, posted as JSON to a collector of OTLP over HTTP; /v1/traces is added to an \
            address without a path. The ids are stable, so a second export of the same nodes yields the same spans. Requests \
            that fail are repeated for up to a minute; then a program is followed on, and otherwise the export ends. After \
            --for and the program's end the rest is sent for up to 10 s, after ^C for 1 s. What was not accepted is counted on \
            standard error.

            --jsonl: a line a node, with the fields of `ps --json`, and type, follows, members; the first line is on the \
            program, the last one on the end. `events --json` has a line an event.

            Exit codes: 0 done, 64 wrong usage or the file exists, 65 another version of the protocol, no recording or \
            a damaged one, 66 no such program or file, 69 the program is gone, does not answer or has too many \
            viewers, or the collector cannot be reached, 74 input or output failed, or another error of the system, 77 \
            the program refuses access, or the collector refuses spans.
            """)

    @Argument(
        help: ArgumentHelp("The program: \(ForestSource.words).", valueName: "target"), completion: Completions.sources)
    var name: String

    @OptionGroup var symbols: SymbolOptions

    @OptionGroup var format: ExportFormat

    @Option(
        name: .shortAndLong, help: ArgumentHelp("The file to make; standard output without it.", valueName: "file"),
        completion: .file())
    var output: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "A moment of a recording, as in FILE@TIME: 12:04:31.2, 90s, -5s, start or end.", valueName: "time"))
    var at: String?

    @OptionGroup var follow: FollowOptions

    @OptionGroup var selection: NodeSelection

    @Flag(help: "Replace the file if it exists.")
    var overwrite = false

    func validate() throws {
        if follow.isOn, format.moment != nil {
            throw ValidationError(
                "--follow and --for are for --perfetto, --otlp and --jsonl: the others show one moment.")
        }
        if selection.isOn, format.moment == nil {
            throw ValidationError("--where, --live and --limit are for the formats that show one moment.")
        }
        if output != nil, format.perfetto != nil || format.otlp != nil {
            throw ValidationError("-o is not for --perfetto and --otlp, which name where they write.")
        }
    }

    func run() throws {
        let source = try ForestSource(at.map { "\(name)@\($0)" } ?? name, symbols.reading)
        if case .program = source, at != nil {
            throw ValidationError("--at is for recordings: there is no recording \(DisplayText.shown(name)).")
        }
        if case .recording = source, follow.isOn {
            throw ValidationError("--follow and --for are for programs: \(DisplayText.shown(name)) is a recording.")
        }
        if let address = format.otlp { return try StreamCommands(source, follow, waits: true).sendSpans(to: address) }
        if let moment = format.moment { return try write(moment, of: source) }
        let file = try ExportOutput(format.perfetto ?? output, overwrites: overwrite)
        let commands = StreamCommands(source, follow)
        if format.perfetto != nil { try commands.writeTrace(to: file) } else { try commands.writeLines(to: file) }
    }

    private func write(_ format: MomentFormat, of source: ForestSource) throws {
        let listing = try selection.listing(limit: format.nodeLimit)
        let state = try source.state()
        let moment = Moment(
            state.forest, of: state.process, at: state.time, listing: listing,
            clockOffset: source.clockOffset)
        let file = try ExportOutput(output, overwrites: overwrite)
        let note = try format.write(moment, to: file.write)
        try file.end()
        if let note { Streams.printError(note) }
    }
}

/// The options that choose one format.
struct ExportFormat: ParsableArguments {
    @Option(
        help: ArgumentHelp("Write a trace for Perfetto to a file; - is standard output.", valueName: "file"),
        completion: .file())
    var perfetto: String?

    @Option(help: ArgumentHelp("Send spans to a collector, such as http://127.0.0.1:4318.", valueName: "url"))
    var otlp: String?

    @Flag(help: "Write nodes as JSON, one a line.")
    var jsonl = false

    @Flag(help: "Write a flowchart of Mermaid.")
    var mermaid = false

    @Flag(help: "Write a graph of Graphviz.")
    var dot = false

    @Flag(help: "Write a picture: the tree, and when each node waited and ran.")
    var svg = false

    @Flag(help: "Write one page with tree, timeline, call sites and warnings, which needs no network.")
    var html = false

    private var moments: [MomentFormat] {
        [(mermaid, MomentFormat.mermaid), (dot, .dot), (svg, .svg), (html, .html)].filter(\.0).map(\.1)
    }

    /// The chosen format if it shows one moment; nil for the other formats, which take nodes as they settle.
    var moment: MomentFormat? { moments.first }

    func validate() throws {
        guard [perfetto != nil, otlp != nil, jsonl].count(where: { $0 }) + moments.count == 1 else {
            throw ValidationError(
                "Choose one format: --perfetto FILE, --otlp URL, --jsonl, --mermaid, --dot, --svg or --html.")
        }
        if let otlp {
            do { _ = try CollectorURL(otlp) } catch { throw ValidationError("--otlp: \(error.description).") }
        }
    }
}

/// The options that select nodes for the formats that show one moment.
struct NodeSelection: ParsableArguments {
    @Option(
        name: .customLong("where"),
        help: ArgumentHelp(
            "Show only nodes that match a query, and their ancestors: \(QueryArgument.examples)", valueName: "query"))
    var query: String?

    @Flag(help: "Show only nodes that are not settled, and their ancestors.")
    var live = false

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Show at most this many nodes.", valueName: "count"))
    var limit: Int?

    /// Whether any of the options was given.
    var isOn: Bool { query != nil || live || limit != nil }

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit is a number of nodes from 1 on, not \(limit).") }
        if let query { _ = try QueryArgument.nodes(query) }
    }

    /// Returns the selection; without `--limit` it has at most `defaultLimit` nodes.
    func listing(limit defaultLimit: Int) throws -> TreeListing {
        TreeListing(
            isLiveOnly: live, query: try query.map { try QueryArgument.nodes($0) }, nodeLimit: limit ?? defaultLimit)
    }
}

/// The options that continue an export while the program runs.
struct FollowOptions: ParsableArguments {
    @Flag(help: "Go on while the program runs.")
    var follow = false

    @Option(
        name: .customLong("for"), parsing: .unconditional,
        help: ArgumentHelp("Go on for so long, such as 500ms, 30s or 10m.", valueName: "duration"))
    var duration: DurationArgument?

    var isOn: Bool { follow || duration != nil }
}
