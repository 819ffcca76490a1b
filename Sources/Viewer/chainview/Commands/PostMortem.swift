// SPDX-License-Identifier: MIT

import ArgumentParser
import ChainAttach
import ChainRecording
import ChainText
import ChainWire
import ChainZstd
import Foundation

/// `chainview post-mortem`: the dashboard on what the flight recorder of a killed program left.
struct PostMortem: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "post-mortem",
        abstract: "Opens the dashboard on what the flight recorder of a killed program left.",
        discussion: """
            A program with a flight recorder (InspectorOptions.flightRecorder, or CHAINVIEW_FLIGHT_RECORDER=1 beside \
            CHAINVIEW=1) that is killed, or that traps, leaves its last minutes, all but the last 250 ms; with a black box \
            (isBlackBox, or CHAINVIEW_BLACK_BOX=1) to its last event. The newest four such files of a user are kept; a program that ends normally leaves none. The keys are those of `chainview replay`; \
            without a terminal, or with --headless, one frame is printed.

            Without an argument it lists what is left. Of several programs with one name, the one that ended last is shown.

            Exit codes: 0 quit, 64 wrong usage, 65 the file is no recording, or a damaged one, 66 there is no such \
            program or file, 74 input or output failed, or another error of the system, 77 the folder of the files is open to \
            others, or another user's.
            """)

    @Argument(
        help: ArgumentHelp(
            "The program: its pid or name, or the file that it left.", valueName: "pid|name|file"),
        completion: Completions.left)
    var program: String?

    @OptionGroup var display: DisplayOptions

    func run() throws {
        guard let program else { return try printList() }
        var replay = Replay()
        replay.path = try path(program)
        replay.at = nil
        replay.display = display
        let rings = SocketFolder.ringsPath(ofFlight: replay.path)
        let left: (file: RecordingFile, rings: RecordingFile.Rings)
        do { left = try RecordingFile.postMortem(path: replay.path, rings: rings, codec: Zstandard()) } catch {
            throw Failure(recording: replay.path, error)
        }
        try replay.show(left.file, note: Self.note(left.rings, rings))
    }

    private static func note(_ rings: RecordingFile.Rings, _ path: String) -> String? {
        switch rings {
        case .none, .added(0): nil
        case .added(1): "1 event is from the black box"
        case .added(let count): "the last \(CountText.grouped(count)) events are from the black box"
        case .unusable(let reason): "the last moments are missing: \(DisplayText.shown(path)) \(reason)"
        }
    }

    /// Returns the path of the file that ``program`` names.
    private func path(_ program: String) throws -> String {
        if let pid = Int32(program), pid > 0 {
            // The newest file, because earlier processes with this pid may have left files, too.
            if let newest = try LeftRecording.files().first(where: { $0.pid == pid }) { return newest.path }
            throw Failure(
                status: .noInput,
                message:
                    "no flight recorder of process \(pid) left a file: it had none, the program ended normally, or its "
                    + "file is in another folder.")
        }
        guard !program.contains("/") else { return program }
        if let newest = try LeftRecording.all().first(where: { $0.name == program }) { return newest.path }
        guard FileManager.default.fileExists(atPath: program) else {
            let shown = DisplayText.shown(program)
            throw Failure(
                status: .noInput,
                message:
                    "no killed program \(shown) left a recording, and there is no file \(shown): "
                    + "`chainview post-mortem` lists what is left.")
        }
        return program
    }

    private func printList() throws {
        let left = try LeftRecording.all()
        guard !left.isEmpty else {
            return try Streams.print(
                "No killed program left a recording. A program keeps one with CHAINVIEW=1 and "
                    + "CHAINVIEW_FLIGHT_RECORDER=1.\n")
        }
        try Streams.print(LeftRecording.text(left, now: Date()) + "\nchainview post-mortem PID shows one.\n")
    }
}
