import ArgumentParser
import ChainAttach
import ChainEvents
import ChainInsight
import ChainListing
import ChainModel
import Dashboard
import Frames

/// `chainview ps`: lists programs, or prints the tree of one.
struct PS: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ps", abstract: "Prints the programs that can be attached to, or the tree of one.",
        discussion: """
            Without a target: one line for each program, or with --json an array of objects with target, pid, name, run, \
            recordingSince, age, isReadOnly, chains, nodes, live, running, rejected, viewers, missing \
            (what cannot be shown of tasks), problem.

            With a target: one line for each node, or with --json an object with process, totals, time, leftOut, and nodes, which \
            are objects with id, under, parent, chain, calledFrom, depth, kind, label, state, outcome, outcomeSummary, \
            isLive, marks, thread, threadID, executor, file, line, createdAt, queuedAt, startedAt, endedAt, settledAt, wait, run, total, \
            summary, cancelledBy. A root has the outcome of its chain: \
            \(ChainOutcome.allCases.map(\.word).joined(separator: ", ")). Times are seconds since 1970, durations seconds; unknown values are null. The marks are a list \
            of \(NodeMark.allCases.map(\.name).joined(separator: ", ")).

            Exit codes: 0 done (also if the list is empty), 64 an invalid or ambiguous target, 65 another version of the \
            protocol, 66 no such program, 69 the program is gone or does not answer, 77 the program refuses access.
            """)

    @Argument(
        help: ArgumentHelp("The program: pid, name, unix:PATH, tcp:HOST:PORT or ssh:HOST/PID.", valueName: "target"),
        completion: Completions.targets)
    var name: String?

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "Print only nodes that are not settled, and their ancestors.")
    var live = false

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp(
            """
            Print only nodes that match a query, and their ancestors: 'failed', 'live total>5s', 'Order.swift:42', \
            'state:rejected kind:all', 'charge|bank -refund', 'warning:any', 'not run<=100ms', or '@name' for a query of the \
            configuration file.
            """, valueName: "query"))
    var query: String?

    @Option(help: "Print at most so many nodes, and how many were left out.")
    var limit: Int?

    @Flag(help: "Print ASCII only; the default if the locale is not UTF-8.")
    var ascii = false

    func validate() throws {
        if let name { _ = try Target(validating: name) }
        if let limit, limit < 0 { throw ValidationError("The limit is a number of nodes, not \(limit).") }
        if let query { _ = try Self.query(query) }
        if name == nil, live || limit != nil || query != nil {
            throw ValidationError("--live, --where and --limit are for the tree of a target: name one.")
        }
    }

    private var charset: Charset { ascii || DisplayOptions.isASCIILocale ? .ascii : .unicode }

    func run() throws {
        let discovery = Discovery.patient
        guard let name else {
            let found = try discovery.found()
            return try json ? ProcessList.printJSON(found) : ProcessList.print(found, charset: charset)
        }
        let target = try Target(validating: name)
        let endpoint = try discovery.find(target)
        // A limit for the first answer, because the tree may take long, but a program that hangs is noticed sooner.
        let (info, forest) = try Self.state(of: endpoint, answerLimit: target.isFar ? nil : discovery.timeLimit)
        let listing = TreeListing(
            isLiveOnly: live, query: try query.map { try Self.query($0) }, nodeLimit: limit ?? .max)
        // Printed in pieces, because a tree may have a million lines.
        var waiting = ""
        func output(_ text: String) throws {
            waiting += text
            guard waiting.utf8.count > 1 << 16 else { return }
            try Streams.print(waiting)
            waiting = ""
        }
        if json {
            try TreeJSON(listing: listing).write(forest, of: info, now: forest.now, to: output)
        } else {
            try TreeText(listing: listing, glyphs: .of(charset)).write(forest, of: info, now: forest.now, to: output)
        }
        try Streams.print(waiting)
    }

    private static func state(
        of endpoint: Endpoint, answerLimit: Duration?
    ) throws -> (ProcessDescription, ChainForest) {
        do {
            let (hello, batches) = try OneShotClient.state(
                of: endpoint, viewerName: DisplayOptions.viewer, timeLimit: .seconds(30), answerLimit: answerLimit)
            var forest = ChainForest(process: hello.process.key, limits: ForestLimits(changeLimit: 0))
            for batch in batches { forest.apply(batch) }
            return (hello.process, forest)
        } catch { throw Failure(error) }
    }

    /// Parses a query; `@name` is a query of the configuration file.
    private static func query(_ text: String) throws -> Query {
        guard SavedQueries.name(in: text) == nil else {
            let saved = ConfigFile.saved(Folders()).configuration.queries
            do { return try SavedQueries.query(text, among: saved) } catch {
                throw ValidationError("--where: \(DisplayText.shown(error.description)).")
            }
        }
        do { return try Query(text) } catch {
            throw ValidationError("--where cannot be read \(error.words(in: text)).")
        }
    }
}
