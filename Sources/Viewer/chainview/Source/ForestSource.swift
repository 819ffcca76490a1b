// SPDX-License-Identifier: MIT

import ArgumentParser
import ChainAttach
import ChainModel
import ChainOutside
import ChainRecording
import ChainSystem
import ChainZstd
import Dashboard
import Foundation

/// The source that a command reads the chains of a program from, as typed: `TARGET` or `FILE[@TIME]`.
///
/// A word that names a recording is that recording, even if a program has the same name. Otherwise, if the text before
/// the word's last `@` names a recording, the text after it is a moment of that recording. Otherwise the word names a
/// program.
enum ForestSource {
    /// A recording; the moment is in nanoseconds of the program's clock, nil if no moment was typed.
    case recording(RecordingFile, moment: UInt64?)
    /// A program that runs, and how it is read if it has no inspector.
    case program(Target, OutsideReading)

    /// What a forest can be read from, for the help of a command.
    static let words =
        "pid, name, unix:PATH, tcp:HOST:PORT, ssh:HOST/PROCESS or exec:COMMAND; or a recording, as in shop.chain@12:04:31"

    /// Reads a word; opens the recording, and connects to nothing.
    ///
    /// - Parameters:
    ///   - outside: how a program without an inspector is read.
    ///   - clockOffset: seconds to add to UTC for times of day; by default the seconds at the recording's end.
    /// - Throws: `ValidationError`, or ``Failure`` if a file is missing, is no recording, or cannot be read.
    init(
        _ text: String, _ outside: OutsideReading = OutsideReading(), clockOffset: Int? = nil
    ) throws {
        if let file = try Self.recording(text) {
            self = .recording(file, moment: nil)
            return
        }
        var path = text
        if let sign = text.lastIndex(of: "@") {
            path = String(text[..<sign])
            let time = String(text[text.index(after: sign)...])
            if let file = try Self.recording(path) {
                let offset = clockOffset ?? file.clockOffset
                self = .recording(file, moment: try Self.moment(time, in: file, at: path, offset))
                return
            }
        }
        let target = try Target(validating: text)
        if case .name = target, Self.isPath(path) {
            throw Failure(status: .noInput, message: "there is no recording \(DisplayText.shown(path)).")
        }
        self = .program(target, outside)
    }

    /// Returns what to write for a word that stands for a program and is a recording; nil for other words.
    static func replayAdvice(for word: String) -> String? {
        guard (try? recording(word)) != nil else { return nil }
        let shown = DisplayText.shown(word)
        return "\(shown) is a recording: `chainview replay \(shown)` shows it."
    }

    /// Opens a recording. Returns nil if there is no file, or if the file is no recording and the word may name a
    /// program.
    private static func recording(_ path: String) throws -> RecordingFile? {
        var facts = stat()
        guard stat(path, &facts) == 0 else {
            let error = SystemError()
            if isPath(path), ![ENOENT, ENOTDIR].contains(error.code) { throw Failure(recording: path, .system(error)) }
            return nil
        }
        do {
            // The kind of the file is checked first, because opening a pipe would wait for its writer.
            guard facts.st_mode & S_IFMT == S_IFREG else { throw RecordingError.notRecording }
            return try RecordingFile(path: path, codec: Zstandard())
        } catch let error as RecordingError {
            // The word may name a program, with a file of the same name in this folder.
            if !isPath(path), error.isOfOtherFile { return nil }
            throw Failure(recording: path, error)
        }
    }

    /// Whether a word looks like a path rather than the name of a program.
    private static func isPath(_ text: String) -> Bool {
        guard case .name? = try? Target(text) else { return false }
        return text.contains("/") || text.hasSuffix(".chain")
    }

    /// Returns the moment that a word names: a time, or the name of a mark; clamped to the recording.
    private static func moment(
        _ time: String, in file: RecordingFile, at path: String, _ clockOffset: Int
    ) throws -> UInt64 {
        guard let moment = MarkList(ofRecording: path).moment(time, in: file, clockOffset: clockOffset) else {
            throw ValidationError("@\(DisplayText.shown(time)) is not a time: \(ReplayMoment.forms).")
        }
        if !file.range.contains(moment) {
            let (words, shown) =
                moment > file.range.upperBound ? ("after the end", "end") : ("before the beginning", "beginning")
            Streams.printError("@\(DisplayText.shown(time)) is \(words) of the recording: this is its \(shown).")
        }
        return min(max(moment, file.range.lowerBound), file.range.upperBound)
    }

    /// The result of ``clockOffset(at:in:)`` for the present moment.
    var clockOffset: Int { clockOffset(at: WallClock.now) }

    /// Returns the seconds to add to UTC for the times of day of what is read. For a recording they are the seconds at
    /// its end, so that all its times are by one clock. For a program they are the seconds at `moment`, in nanoseconds
    /// since 1970.
    func clockOffset(at moment: UInt64, in zone: TimeZone = .current) -> Int {
        switch self {
        case .recording(let file, _): file.clockOffset
        case .program: WallClock.offset(at: moment, in: zone)
        }
    }

    // MARK: Reading

    /// The state of a program at one moment.
    struct ProgramState {
        var process: ProcessDescription
        /// The batches that lead to the state from an empty forest.
        var batches: [EventBatch]
        /// The moment, in nanoseconds of the program's clock.
        var time: UInt64
        /// What was read of a program without an inspector.
        var outside: OutsideProcess.State?

        /// The forest at the moment, made anew at each access; it reports no changes.
        var forest: ChainForest {
            var forest = ChainForest(of: process, limits: ForestLimits(changeLimit: 0))
            for batch in batches { forest.apply(batch) }
            return forest
        }
    }

    /// Reads the state of a recording at the typed moment or else at its end, or the state of a program now. Prints
    /// what is wrong with a recording on standard error.
    func state() throws -> ProgramState {
        switch self {
        case .recording(let file, let moment):
            var player = RecordingPlayer(file)
            let batches = player.seek(to: moment ?? file.range.upperBound)
            for note in file.notes { Streams.printError(note + ".") }
            return ProgramState(process: file.process, batches: batches, time: player.time)
        case .program(let target, let reading):
            let discovery = Discovery.patient
            let program = try RunningProgram(target, discovery, symbols: reading.symbols)
            if case .outside(let process, _) = program {
                if let notice = program.notice { Streams.printError(notice) }
                return try Self.state(of: process, reading.options)
            }
            guard !reading.options.pauses, !reading.options.readsThreadStacks else {
                throw Failure(
                    status: .usage, message: "--pause and --thread-stacks are for programs without an inspector.")
            }
            let endpoint = try discovery.find(target)
            do {
                // The first answer has a shorter limit, so that a program that hangs is noticed soon. The tree may take
                // longer.
                let (hello, batches) = try OneShotClient.state(
                    of: endpoint, viewerName: DisplayOptions.viewer, timeLimit: .seconds(30),
                    answerLimit: target.isFar ? nil : discovery.timeLimit)
                return ProgramState(process: hello.process, batches: batches, time: batches.last?.time ?? hello.time)
            } catch { throw Failure(error) }
        }
    }

    /// Reads the tasks of a process from its memory.
    private static func state(
        of process: OutsideProcess, _ options: OutsideProcess.ReadOptions
    ) throws -> ProgramState {
        do throws(OutsideError) {
            let read = try process.state(options)
            return ProgramState(
                process: read.process, batches: read.batches, time: read.batches.last?.time ?? 0, outside: read)
        } catch { throw Failure(error) }
    }

    /// Reads the state as ``state()`` does, and where the suspended tasks of a program continue.
    ///
    /// - Parameter areNeeded: whether to throw if the frames cannot be read, instead of leaving them out.
    func stateWithFrames(areNeeded: Bool) throws -> (state: ProgramState, forest: ChainForest) {
        let state = try self.state()
        var forest = state.forest
        for reading in try frames(of: state, forest, areNeeded: areNeeded) { forest.apply(reading) }
        return (state, forest)
    }

    /// Reads where the suspended tasks of a state's forest continue; nothing if there are none, or if the state has it.
    func frames(of state: ProgramState, _ forest: ChainForest, areNeeded: Bool = false) throws -> [FrameReading] {
        guard state.outside == nil else { return [] }
        guard case .program(let target, _) = self else {
            if areNeeded { Streams.printError("a recording has no frames of tasks: in: finds nothing.") }
            return []
        }
        let all = 0..<UInt32(forest.indexBound)
        guard forest.firstIndex(in: all, madeBy: .task, at: { _ in true }) != nil else { return [] }
        do {
            let endpoint = try Discovery.patient.find(target)
            return try OneShotClient.frames(
                of: endpoint, viewerName: DisplayOptions.viewer, timeLimit: target.loginLimit ?? .seconds(30))
        } catch {
            guard areNeeded else { return [] }
            if let error = error as? AttachError { throw Failure(error) }
            throw error
        }
    }

    /// Opens the source for reading batch by batch: a recording from the typed moment, or else from its beginning, to
    /// its end; or a program from now until it ends.
    func reader() throws -> any BatchReader {
        switch self {
        case .recording(let file, let moment): RecordedBatches(file, from: moment ?? 0)
        case .program(let target, let reading): try LiveBatches(target, symbols: reading.symbols)
        }
    }
}

extension RecordingError {
    /// Whether the file is no recording or cannot be read, so that the word may name a program.
    fileprivate var isOfOtherFile: Bool {
        switch self {
        case .notRecording, .system: true
        default: false
        }
    }
}

extension RecordingFile {
    /// What is wrong with the recording, as far as it was read: phrases without a full stop.
    var notes: [String] {
        [Self.note(of: damage[...]), endingNote].compactMap(\.self)
    }

    /// Returns the damage in a phrase; nil if there is no damage.
    static func note(of damage: ArraySlice<RecordingDamage>) -> String? {
        damage.first.map { first in
            "the recording is damaged: \(first)" + (damage.count > 1 ? " (and \(damage.count - 1) more)" : "")
        }
    }

    /// Why the recording is not whole, in a phrase; nil if it was ended in good order.
    var endingNote: String? {
        switch header.ending {
        case .finished: nil
        case .open: "this recording was cut off, or is still being made: it ends with what was written"
        case .diskFull: "this recording ends early: its disk was full"
        case .failed: "this recording ends early: its file could not be written"
        }
    }
}
