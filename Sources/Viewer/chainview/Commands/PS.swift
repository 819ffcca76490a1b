// SPDX-License-Identifier: MIT

import ArgumentParser
import ChainAttach
import ChainListing
import ChainModel
import ChainOutside
import ChainText
import Foundation
import Frames

/// `chainview ps`: lists programs, or prints the tree of one program.
struct PS: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ps", abstract: "Prints the programs that can be attached to, or the tree of one.",
        discussion: """
            Without a target: one line for each program, and one if killed programs have left recordings; or with --json an array of objects with target, pid, name, run, \
            recordingSince, age, isReadFromOutside, isReadOnly, chains, nodes, live, running, rejected, viewers, missing \
            (what cannot be shown of tasks), flightRecorder (none, recording or ended), problem.

            With a target, or a recording (FILE, or FILE@TIME: 12:04:31.2, 90s from its beginning, -5s from its end, start or end; \
            its end without a time): one line for each node, or with --json an object with process, totals, time, leftOut, and nodes, which \
            are objects with id, under, parent, chain, inGroupOf, calledFrom, depth, kind, label, state, outcome, outcomeSummary, \
            isLive, marks, thread, threadID, executor, file, line, function, frames, createdAt, seenAt (where its creation was not seen: durations from \
            then on are lower bounds), queuedAt, startedAt, endedAt, settledAt, wait, run, total, \
            summary, cancelledBy, blockedIn (what its thread is blocked in, such as futex wait), blockedAt, waitsFor (an object with kind, \
            id and label: what a Swift task of a program that is read from outside waits for), heldBy (an object with kind, id, label and threadID: who \
            holds an actor or a lock). A Swift task has \
            its function in place of file and line; the frames of a suspended task are the functions in which it continues, \
            innermost first (none in a recording). A root has the outcome of its chain: \
            \(ChainOutcome.allCases.map(\.word).joined(separator: ", ")). Times are seconds since 1970, durations seconds; unknown values are null. The marks are a list \
            of \(NodeMark.allCases.map(\.name).joined(separator: ", ")), moving (it changed each time that it was read from outside).

            With --stacks: one row for all tasks that are suspended in the same functions, or with --json an object with pid, name, \
            time and stacks, which are objects with tasks, cancelled, oldest (a node), oldestSince, oldestAge, frames.

            Live chains come first, the newest at the top, then settled ones, the last to end at the top.

            Exit codes: 0 done (also if the list is empty), 64 an invalid or ambiguous target, 65 another version of \
            the protocol, no recording or a damaged one, 66 no such program or file, 69 the program is gone, does not \
            answer or has too many viewers, 74 input or output failed, or another error of the system, 77 the program \
            refuses access.
            """)

    @Argument(
        help: ArgumentHelp("The program: \(ForestSource.words).", valueName: "target"), completion: Completions.sources)
    var name: String?

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "List Swift programs that were not prepared, too: their tasks can be read from outside.")
    var all = false

    @Flag(help: "Print one row for all tasks that are suspended in the same functions.")
    var stacks = false

    @Flag(
        help: """
            Stop a program without an inspector while it is read, so that all facts are of one instant. It goes on \
            afterwards, also if chainview is killed.
            """)
    var pause = false

    @Flag(
        name: .customLong("thread-stacks"),
        help: """
            Of a program without an inspector, print the stacks of the threads that run tasks. Each thread is stopped \
            meanwhile, for some 0.1 ms.
            """)
    var threadStacks = false

    @Flag(help: "Print only nodes that are not settled, and their ancestors.")
    var live = false

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp(
            "Print only nodes that match a query, and their ancestors: \(QueryArgument.examples)", valueName: "query"))
    var query: String?

    @Option(parsing: .unconditional, help: "Print at most this many nodes, and the number of nodes left out.")
    var limit: Int?

    @Flag(help: "Print ASCII only; the default if the locale is not UTF-8, and on the Linux console.")
    var ascii = false

    @OptionGroup var symbols: SymbolOptions

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit is a number of nodes, not \(limit).") }
        if let query { _ = try QueryArgument.nodes(query, readsFrames: true) }
        if name != nil, all {
            throw ValidationError("--all is for the list of programs: leave out the target, or --all.")
        }
        if stacks, live || query != nil {
            throw ValidationError("--stacks counts all suspended tasks: leave out --live and --where.")
        }
        if threadStacks, json || stacks {
            throw ValidationError("--thread-stacks prints text below the tree: leave out --json and --stacks.")
        }
        if name == nil, stacks || pause || threadStacks || live || limit != nil || query != nil {
            throw ValidationError(
                "--live, --where, --limit, --stacks, --pause and --thread-stacks are for the tree of a target: name one."
            )
        }
    }

    private var charset: Charset { DisplayOptions.charset(ascii: ascii) }

    func run() throws {
        guard let name else {
            let found = try Discovery.patient.found()
            let others = SwiftProcessSearch.ofSystem().listed(besides: found)
            let listed = found.map(\.listed) + (all ? others : [])
            guard !json else { return try ProcessList.printJSON(listed) }
            try ProcessList.print(listed, charset: charset)
            if !all, !others.isEmpty {
                let programs = others.count == 1 ? "1 Swift program runs" : "\(others.count) Swift programs run"
                try Streams.print(
                    "\n\(programs) without an inspector: `chainview ps --all` lists them, `chainview attach PID` reads their tasks.\n"
                )
            }
            // The list is printed also where the folder of the recordings cannot be read.
            let left = (try? LeftRecording.all()) ?? []
            if let hint = LeftRecording.hint(left, now: Date()) { try Streams.print("\n" + hint + "\n") }
            return
        }
        let query = try self.query.map { try QueryArgument.nodes($0, readsFrames: true) }
        var reading = symbols.reading
        reading.options = OutsideProcess.ReadOptions(pauses: pause, readsThreadStacks: threadStacks)
        let (state, forest) = try ForestSource(name, reading)
            .stateWithFrames(areNeeded: stacks || query?.readsFrames == true)
        guard !stacks else {
            let listing = StackListing(limit: limit ?? .max, glyphs: .of(charset))
            return try Streams.print(
                json
                    ? listing.json(forest, of: state.process, now: state.time)
                    : listing.text(forest, of: state.process, now: state.time))
        }
        let listing = TreeListing(isLiveOnly: live, query: query, nodeLimit: limit ?? .max)
        var output = OutputBuffer()
        if json {
            try TreeJSON(listing: listing).write(forest, of: state.process, now: state.time) { try output.add($0) }
        } else {
            try TreeText(listing: listing, glyphs: .of(charset))
                .write(forest, of: state.process, now: state.time) { try output.add($0) }
        }
        try output.flush()
        if let outside = state.outside { try printStops(outside) }
    }

    /// Prints the stacks of threads, and for how long threads were stopped.
    private func printStops(_ read: OutsideProcess.State) throws {
        for (task, stack) in read.threadStacks.sorted(by: { $0.key < $1.key }) {
            let time = DurationText.settled(stack.stoppedTime)
            var text = "\nthread \(stack.thread) runs \(task) (stopped for \(time))\n"
            for frame in stack.frames { text += "    " + DisplayText.shown(frame) + "\n" }
            try Streams.print(text)
        }
        if let time = read.stoppedTime {
            Streams.printError("the process was stopped for \(DurationText.settled(time)).")
        }
    }
}
