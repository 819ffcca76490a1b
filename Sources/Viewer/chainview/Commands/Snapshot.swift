// SPDX-License-Identifier: MIT

import ArgumentParser
import ChainEvents
import Dashboard
import Foundation
import Frames
import PromiseRuntime

/// `chainview snapshot`: one frame of the dashboard.
struct Snapshot: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints one frame of the dashboard on a program or a recording.",
        discussion: """
            The frame shows the program's present state; the command does not wait for further events. Views of what \
            happens over time (the load in the header, events) show only what the state holds. Of a recording, FILE@TIME \
            is a moment (12:04:31.2, 90s from the beginning, -5s from the end, start or end); without one, its end.

            Exit codes: 0 done, 64 wrong usage, 65 another version of the protocol, no recording or a damaged one, 66 \
            no such program or file, 69 the program is gone, does not answer or has too many viewers, 74 input or \
            output failed, or another error of the system, 77 the program refuses access.
            """)

    @Argument(
        help: ArgumentHelp("The program: \(ForestSource.words).", valueName: "target"), completion: Completions.sources)
    var name: String

    @Option(help: "The format: text, ansi (with a terminal's colours) or svg.")
    var format: PictureFormat = .text

    @OptionGroup var symbols: SymbolOptions

    @OptionGroup var frame: FrameOptions

    func validate() throws {
        let (size, least) = (frame.size.size, State.leastSize)
        guard size.columns >= least.columns, size.rows >= least.rows else {
            throw ValidationError("--size must be at least \(least), not \(size).")
        }
    }

    func run() throws {
        var settings = try frame.headlessSettings()
        let source = try ForestSource(name, symbols.reading)
        settings.clockOffset = source.clockOffset
        // An SVG has Unicode, whatever the locale of the terminal.
        let (state, notes) = try source.dashboard(settings, glyphs: format == .svg && !frame.ascii ? .unicode : nil)
        try Streams.print(picture(of: state, as: format))
        for note in notes { Streams.printError(note + ".") }
    }
}

extension PictureFormat: ExpressibleByArgument {}

extension ForestSource {
    /// Returns the dashboard, of a recording at the typed moment or of a program now, and what is wrong with the
    /// recording.
    fileprivate func dashboard(_ settings: Settings, glyphs: Glyphs?) throws -> (State, notes: [String]) {
        switch self {
        case .recording(let file, let moment):
            let playback = Playback(file)
            let first = playback.start(at: moment)
            let state = settings.state(
                after: first, wall: playback.wall, monotonic: playback.time, glyphs: glyphs)
            return (state, playback.openingNotes)
        case .program:
            let now = try self.state()
            let source = SourceID(0)
            let frames = try self.frames(of: now, now.forest).map {
                Action.replied(source, CommandReply(command: 0, outcome: .frames($0)))
            }
            let actions = [.connected(source, now.process)] + now.batches.map { Action.received(source, $0) } + frames
            let state = settings.state(
                after: actions, wall: WallClock.now, monotonic: SystemClock.shared.nanoseconds, glyphs: glyphs)
            return (state, [])
        }
    }
}
