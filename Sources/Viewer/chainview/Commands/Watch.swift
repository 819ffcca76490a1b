// SPDX-License-Identifier: MIT

import ArgumentParser
import ChainInsight
import ChainListing
import ChainModel
import ChainText
import Dashboard
import Foundation
import Frames

/// `chainview watch`: does something when nodes match a query, for scripts.
struct Watch: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs a command, or ends with exit code 1, when nodes of a program match a query.",
        discussion: """
            Each node counts once, also one that matches from the beginning. A state that lasts for less than 100 ms may be \
            missed; ages, which only live nodes have, are exact to a second. It ends when the program or the recording \
            ends, or after --for.

            --exec runs a command line of /bin/sh for each node, one after the other. Its environment has \
            \(AlertCommand.variables); its standard input is one object of JSON with query, process, time, and node, as \
            `chainview ps --json` has them. Texts of the program are never a part of the command line: quote the variables, \
            as in --exec 'notify-send "$CHAINVIEW_LABEL"'. While the command is slow, up to 1,000 nodes of a \
            running program wait for it; it is not run for further ones, which are counted on standard error. If the \
            program or the recording ends, the rest is run; after --for or a signal only the running one is waited for, \
            for at most 5 s.

            --fail prints the first node that matches, and ends with exit code 1.

            Exit codes: 0 done, or nothing matched, 1 something matched (--fail), 64 wrong usage, 65 another version \
            of the protocol, no recording or a damaged one, 66 no such program or file, 69 the program is gone, does \
            not answer or has too many viewers, 74 input or output failed, or another error of the system, 77 the \
            program refuses access.
            """)

    @Argument(
        help: ArgumentHelp("The program: \(ForestSource.words).", valueName: "target"), completion: Completions.sources)
    var name: String

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp("The nodes to watch for: 'age>30s', \(QueryArgument.examples)", valueName: "query"))
    var query: String

    @Option(help: ArgumentHelp("Run a command line for each node.", valueName: "command"))
    var exec: String?

    @Flag(help: "End with exit code 1 when a node matches.")
    var fail = false

    @OptionGroup var symbols: SymbolOptions

    @OptionGroup var limit: TimeLimit

    func validate() throws {
        guard (exec != nil) != fail else { throw ValidationError("watch needs --exec or --fail, and not both.") }
        if let exec, exec.allSatisfy(\.isWhitespace) { throw ValidationError("--exec needs a command line.") }
        _ = try QueryArgument.nodes(query)
    }

    func run() throws {
        let source = try ForestSource(name, symbols.reading)
        let loop = BatchLoop(source, for: limit.duration)
        let watcher = Watcher(
            query: try QueryArgument.nodes(query), queue: exec.map { CommandQueue($0) }, isStopped: { loop.isStopped })
        // Reading a recording can wait for a slow command, so no node has to be dropped.
        if case .recording = source { watcher.waitsForRoom = true }
        try loop.run(
            begin: { watcher.begin($0.process) }, take: watcher.take,
            whilePaused: {
                try watcher.queue?.advance()
                return true
            },
            end: watcher.finish)
        if watcher.hasFailed { Foundation.exit(ExitStatus.matched.rawValue) }
    }
}

/// The consumer of a program's batches. It runs the command for each node that matches, or with `--fail` prints the
/// first node that matches.
private final class Watcher {
    let queue: CommandQueue?
    /// Whether a node waits until a full queue has room; if false, the node is counted as dropped.
    var waitsForRoom = false
    /// Whether a node matched, with `--fail`.
    private(set) var hasFailed = false
    private let query: Query
    /// Returns whether a signal came or the time is over.
    private let isStopped: () -> Bool
    private var process: ProcessDescription?
    private var watch: NodeWatch?

    init(query: Query, queue: CommandQueue?, isStopped: @escaping () -> Bool) {
        (self.query, self.queue, self.isStopped) = (query, queue, isStopped)
    }

    func begin(_ process: ProcessDescription) {
        self.process = process
        watch = NodeWatch(process: process.key, query: query)
    }

    /// Applies a batch; returns whether to go on.
    func take(_ batch: EventBatch) throws -> Bool {
        let new = watch?.apply(batch) ?? []
        for node in new { try take(node) }
        watch?.evictSettled(after: batch)
        try queue?.advance()
        return !hasFailed
    }

    private func take(_ node: NodeIndex) throws {
        guard let forest = watch?.forest, let process, !hasFailed else { return }
        guard let queue else {
            hasFailed = true
            let text = TreeText(glyphs: .of(DisplayOptions.charset()))
            return try Streams.print(text.node(node, forest, now: forest.now) + "\n")
        }
        if waitsForRoom { try queue.waitForRoom(unless: isStopped) }
        // The room is checked first, because making the notice costs much more than dropping a job.
        guard queue.hasRoom else { return try queue.drop() }
        let notice = AlertNotice(query, node, in: forest, program: process.name, pid: process.pid)
        let input = JSONText.object([
            ("query", JSONText.string(query.text)), ("process", TreeJSON.process(process)),
            ("time", JSONText.seconds(forest.now &+ process.wallOffset)),
            ("node", TreeJSON().node(node, forest, wallOffset: process.wallOffset, now: forest.now)),
        ])
        try queue.add(CommandQueue.Job(environment: notice.variables, input: input + "\n"))
    }

    /// Runs the waiting commands, until a signal comes or the time is over. Then prints for how many nodes the command
    /// was not run.
    func finish() throws {
        for node in watch?.takeIncomplete() ?? [] { try take(node) }
        guard let queue else { return }
        let rest = try queue.finish(unless: isStopped) + queue.droppedCount
        guard rest > 0 else { return }
        Streams.printError("the command was not run for \(CountText.counted(rest, "node")).")
    }
}
