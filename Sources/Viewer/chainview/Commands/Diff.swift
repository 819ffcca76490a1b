// SPDX-License-Identifier: MIT

import ArgumentParser
import ChainEvents
import ChainListing
import Foundation
import Frames

/// `chainview diff`: what differs between two recordings, or between two moments of one recording.
struct Diff: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Compares two recordings, or two moments of one, by call site.",
        discussion: """
            Of a recording all of it is compared; of FILE@TIME (12:04:31.2, 90s from the beginning, -5s from the end, start or \
            end) the minute before that moment, or what --over says. A call site is listed if its settlements a second, the \
            share of them that were rejected, a percentile of the total duration (by 1 ms at least), or what is live at the \
            end changed by at least --threshold, and beyond chance. The greatest change is first: the sum of the relative changes, times the \
            logarithm of how often the call site settled. A call site on another line is found again by its label.

            Of two moments of one run, nodes that are live at one and not at the other are listed, with their state there.

            With --json: an object with before and after (file, process, from, to, span), sites (file, line, formerLine, kind, \
            label, weight, changed, before, after), liveOnlyBefore and liveOnlyAfter (id, kind, label, state, otherState, chain, \
            file, line, createdAt; null for different runs). Figures are settled, rejected, cancelled, live, rate, total, run \
            and wait, the last three with count, p50, p90, p99 and max. Times are seconds.

            Exit codes: 0 done, 64 wrong usage, 65 no recording, or a damaged one, 66 no such file, 74 input or output \
            failed.
            """)

    @Argument(help: ArgumentHelp("The earlier recording, or FILE@TIME.", valueName: "a"), completion: .file())
    var first: String

    @Argument(help: ArgumentHelp("The later one.", valueName: "b"), completion: .file())
    var second: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Compare so long a time before each moment, such as 10s or 5m.", valueName: "duration"))
    var over: DurationArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The least relative change of a figure, in percent.", valueName: "percent"))
    var threshold: Double = 10

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "Print ASCII only; the default if the locale is not UTF-8, and on the Linux console.")
    var ascii = false

    @Flag(name: .customLong("no-color"), help: "Use no colours, as the environment variable NO_COLOR does.")
    var noColor = false

    func validate() throws {
        guard (0...100).contains(threshold) else {
            throw ValidationError("--threshold is a percentage from 0 to 100, not \(threshold).")
        }
        if let over, over.duration <= .zero {
            throw ValidationError("--over 0s has nothing to compare: write a time such as 10s or 5m.")
        }
    }

    func run() throws {
        let difference = Difference(try side(first), try side(second), threshold: threshold / 100)
        guard !json else { return try Streams.print(DifferenceJSON.text(difference)) }
        let isPlain = noColor || ProcessInfo.processInfo.environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        let text = DifferenceText(
            glyphs: .of(DisplayOptions.charset(ascii: ascii)),
            isColored: !isPlain && isatty(STDOUT_FILENO) == 1)
        try Streams.print(text.text(difference))
    }

    /// Returns one side of the comparison, and prints what is wrong with its recording.
    private func side(_ word: String) throws -> Difference.Side {
        guard case .recording(let file, let moment) = try ForestSource(word) else {
            let shown = DisplayText.shown(word)
            throw ValidationError(
                "\(shown) is not a recording: `chainview record \(shown) -o FILE` makes one of a program.")
        }
        let span = over?.duration.clampedNanoseconds ?? (moment == nil ? nil : Self.minute)
        let end = moment ?? file.range.upperBound
        let side = file.side(named: word, from: span.map { end.subtractingClamped($0) }, to: end)
        for note in file.notes { Streams.printError("\(DisplayText.shown(word)): \(note).") }
        return side
    }

    private static let minute: UInt64 = 60_000_000_000
}
