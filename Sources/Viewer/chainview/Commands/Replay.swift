// SPDX-License-Identifier: MIT

import ArgumentParser
import ChainRecording
import ChainZstd
import Dashboard
import Foundation

/// `chainview replay`: the dashboard on a recording.
struct Replay: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Opens the dashboard on a recording.",
        discussion: """
            It shows the end of the recording first. Space plays and pauses, < and > go a second back and on, comma and period \
            an event, [ and ] to the rejection, warning or mark before and the next one, + and - change the speed; `:at 12:04:31.2`, \
            `:at 90s` (from the beginning), `:at -5s`, `:at start` and `:at end` go anywhere, and so does a click on the time strip \
            over the last line. Nothing can be cancelled.

            M marks the moment, `:mark NAME` names it, `:at NAME` goes there. The marks are kept in FILE.marks, beside the \
            recording, for you only (mode 0600).

            A recording that was cut off, or that has damaged parts, is shown without them, and a message says so. Without a \
            terminal, or with --headless, one frame is printed.

            Exit codes: 0 quit, 64 wrong usage, 65 no recording, a damaged one or one of another version, 66 no such \
            file, 74 input or output failed.
            """)

    @Argument(help: ArgumentHelp("The recording.", valueName: "file"), completion: .file())
    var path: String

    // Unconditional, because a moment may begin with a hyphen, such as -5s.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Show this moment first: 12:04:31.2, 90s from the beginning, -5s from the end, start, end or a mark.",
            valueName: "time"))
    var at: String?

    @OptionGroup var display: DisplayOptions

    func run() throws {
        let file: RecordingFile
        do { file = try RecordingFile(path: path, codec: Zstandard()) } catch {
            throw Failure(recording: path, error)
        }
        try show(file)
    }

    /// Shows an open recording.
    ///
    /// - Parameter note: a remark to show about the recording, in a phrase.
    func show(_ file: RecordingFile, note: String? = nil) throws {
        var settings = try display.settings()
        settings.clockOffset = file.clockOffset
        let playback = Playback(file, marks: MarkList(ofRecording: path))
        playback.note = note
        var moment: UInt64?
        if let at {
            moment = playback.marks.moment(at, in: file, clockOffset: settings.clockOffset)
            guard moment != nil else { throw ValidationError("--at \(at) is not a time: \(ReplayMoment.forms).") }
        }
        let first = playback.start(at: moment)
        guard !settings.isHeadless else { return try showHeadless(playback, first, settings) }
        let session = Session(playback, of: path, first, settings, screen: try settings.openScreen())
        if let signal = try session.run() { Signals.raiseAgain(signal) }
    }

    private func showHeadless(_ playback: Playback, _ first: [Action], _ settings: Settings) throws {
        let state = settings.state(after: first, wall: playback.wall, monotonic: playback.time)
        try Streams.print(picture(of: state, as: .text))
        for track in playback.tracks { track.file.readAll() }
        for note in playback.openingNotes { Streams.printError(note + ".") }
    }
}

extension Failure {
    /// Makes the failure to open a recording.
    init(recording path: String, _ error: RecordingError) {
        let status: ExitStatus
        switch error {
        case .system(let cause): status = [ENOENT, ENOTDIR].contains(cause.code) ? .noInput : .inputOutput
        default: status = .badData
        }
        if status == .noInput {
            self.init(status: status, message: "there is no file \(DisplayText.shown(path)).")
        } else {
            self.init(status: status, message: "\(DisplayText.shown(path)) \(error.description).")
        }
    }
}
