// SPDX-License-Identifier: MIT

import ArgumentParser
import ChainAttach
import ChainRecording
import ChainSource
import ChainSystem
import Foundation
import Terminal

/// `chainview run`: starts a program and attaches to it.
struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Starts a program and opens the dashboard on it.",
        discussion: """
            The program is started with CHAINVIEW=1, so that `Inspector.startIfRequested()` in it starts an inspector. \
            Processes that it starts in turn (`chainview run swift run shop`) are found, too. The program cannot read \
            from the terminal. Its output is shown in a pane (o hides and shows it), and written to the terminal when \
            the dashboard closes; of more than 16 MiB the middle is dropped, and a line says so.

            q closes the dashboard; the program goes on in the foreground, where ^C and all signals sent to chainview \
            reach it. The exit code is the program's; a signal that ended it ends chainview, too. 66: there is no such \
            program, or it cannot be started.

            With --record what the program does is written into a file until it ends, also after q: `chainview replay` \
            shows it, and `chainview record --help` has more. A line on standard error says at the end what was \
            recorded.

            Without a terminal the program replaces chainview, or is recorded only. With --headless the last frame is \
            printed after --for, and the program goes on.
            """)

    @Option(
        name: .customLong("record"),
        help: ArgumentHelp("Record the program into a file.", valueName: "file"), completion: .file())
    var recordingPath: String?

    @OptionGroup var form: RecordingForm

    @Flag(help: "Replace the recording's file if it exists.")
    var overwrite = false

    @OptionGroup var display: DisplayOptions

    @Flag(help: "Show every task of a program of Swift that links nothing of chainview (Linux).")
    var tasks = false

    @Argument(
        parsing: .captureForPassthrough, help: "The program and its arguments.", completion: .file())
    var command: [String] = []

    /// The program and its arguments; `--` in front of them separates them from chainview's own options.
    private var words: [String] { command.first == "--" ? Array(command.dropFirst()) : command }

    func validate() throws {
        // Unknown options are found here, because the parser takes them for options of the program.
        if let first = command.first, first.hasPrefix("-"), first != "--" {
            if ["-h", "--help"].contains(first) { throw CleanExit.helpRequest(Run.self) }
            throw ValidationError("Unknown option '\(first)'. Write `--` before a program of that name.")
        }
        guard !words.isEmpty else { throw ValidationError("Name the program to run.") }
        guard recordingPath != nil || !(form.isChosen || overwrite) else {
            throw ValidationError("--max-size, --raw and --overwrite are for --record.")
        }
        if let recordingPath { try RecordingOutput.validate(recordingPath) }
    }

    func run() throws {
        let path = try ChildProgram.find(words[0], path: ProcessInfo.processInfo.environment["PATH"])
        let program = (path: path, environment: try environment(path))
        let isShown = !display.isHeadless || display.headless
        guard isShown || recordingPath != nil else { try replaceItself(program) }
        let settings = try display.settings()
        let storage = try recordingPath.map { try RecordingOutput.create($0, overwrites: overwrite) }
        var recording: RunRecording?
        let child: ChildProgram
        do {
            child =
                display.isHeadless
                ? try showHeadless(program, settings, isShown: isShown, storage, &recording)
                : try showDashboard(program, settings, storage, &recording)
        } catch {
            // The file is removed, because the program did not start and nothing was recorded.
            if recording == nil { storage?.discard() }
            recording?.finish()
            throw error
        }
        _ = child.waitForEnd()
        recording?.finish()
        switch child.waitForEnd() {
        case .exited(let code): Foundation.exit(code)
        case .signalled(let signal):
            // chainview dumps no core of its own, because the useful core is the program's.
            var none = rlimit(rlim_cur: 0, rlim_max: 0)
            setrlimit(Resource.core, &none)
            Signals.raiseAgain(signal)
        case .unknown: throw Failure(status: .inputOutput, message: "\(child.name) \(ProgramEnding.unknown.words).")
        }
    }

    private enum Resource {
        #if canImport(Darwin)
            static let core = RLIMIT_CORE
        #else
            static let core = __rlimit_resource_t(RLIMIT_CORE.rawValue)
        #endif
    }

    /// The path of the program's file, and the variables to add to its environment.
    private typealias Executable = (path: String, environment: [String: String])

    /// Returns the variables to add to the program's environment.
    private func environment(_ path: String) throws -> [String: String] {
        var variables = ["CHAINVIEW": "1"]
        if tasks { variables.merge(try TaskPreload.environment(for: path)) { $1 } }
        return variables
    }

    /// Replaces this process with the program, because there is no terminal for a dashboard.
    private func replaceItself(_ program: Executable) throws -> Never {
        for (name, value) in program.environment { setenv(name, value, 1) }
        for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_DFL) }
        _ = withCStrings(words) { execv(program.path, $0) }
        throw Failure(notStarted: words[0], errno)
    }

    private func start(_ program: Executable, _ output: (standard: Int32, error: Int32)) throws -> ChildProgram {
        try ChildProgram(
            words[0], at: program.path, arguments: Array(words.dropFirst()), environment: program.environment,
            output: output)
    }

    private func options(_ settings: Settings) -> AttachOptions {
        var options = AttachOptions()
        options.isReadOnly = settings.isReadOnly
        options.viewerName = DisplayOptions.viewer
        return options
    }

    /// Returns a source for the program, and starts a recording of it if there is a file.
    private func source(
        _ child: ChildProgram, _ settings: Settings, _ storage: RecordingFileStorage?, _ recording: inout RunRecording?
    ) -> any BatchSource {
        let source = LaunchedSource(child, options: options(settings))
        guard let storage, let recordingPath else { return source }
        let begun = RunRecording(source, file: recordingPath, storage: storage, form)
        recording = begun
        return begun.shownSource
    }

    private func showHeadless(
        _ program: Executable, _ settings: Settings, isShown: Bool, _ storage: RecordingFileStorage?,
        _ recording: inout RunRecording?
    ) throws -> ChildProgram {
        // Close-on-exec, because each started program would otherwise hold a pipe open.
        let ends = (
            standard: fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3), error: fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
        )
        let child = try start(program, ends)
        SignalRelay.start(to: child)
        let source = source(child, settings, storage, &recording)
        guard isShown else {
            source.start()
            return child
        }
        // A failure to connect is not fatal, because the program runs on and its exit code is the result.
        do {
            try settings.show([NamedSource(name: child.name, source: source)])
        } catch let failure as Failure where failure.status == .gone {
            Streams.printError(failure.message)
        }
        return child
    }

    private func showDashboard(
        _ program: Executable, _ settings: Settings, _ storage: RecordingFileStorage?,
        _ recording: inout RunRecording?
    ) throws -> ChildProgram {
        let screen = try settings.openScreen()
        let waker = screen.waker
        let (child, output): (ChildProgram, ProgramOutput)
        do {
            let (opened, ends) = try ProgramOutput.open(wake: { waker.wake() })
            output = opened
            child = try start(program, ends)
        } catch {
            screen.close()
            throw error
        }
        child.whenEnded { waker.wake() }
        let shown = OutputPaneState(child, output, willClose: { SignalRelay.start(to: child) })
        let source = NamedSource(name: child.name, source: source(child, settings, storage, &recording))
        let session = settings.session([source], on: screen, output: shown)
        do {
            if let signal = try session.run() { child.send(signal) }
        } catch {
            // SIGHUP, because the terminal that is gone was the program's terminal, too.
            child.send(SIGHUP)
            output.pass()
            _ = child.waitForEnd()
            throw error
        }
        output.pass()
        _ = child.waitForEnd()
        output.finish()
        return child
    }
}
