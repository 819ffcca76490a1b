// SPDX-License-Identifier: MIT

import ArgumentParser
import ChainAttach
import ChainRecording
import ChainZstd
import Dispatch
import Foundation

/// `chainview record`: writes what a program does into a file.
struct Record: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Records a running program into a file, for `chainview replay`.",
        discussion: """
            It begins once the program's state is read, and records until ^C, until --for is over, or until the program \
            ends; a line on standard error shows time, events, bytes and loss. The file can be read at any moment, also \
            after chainview was killed: then at most the last 250 ms are missing. A recording holds the labels, values \
            and errors of the program: the file is for its user only (mode 0600).

            The file is packed with Zstandard, which makes it a tenth as long; --raw does not pack it, for programs \
            that read recordings themselves.

            With --max-size, or once the disk is full, the oldest part of the recording is dropped for the newest. If \
            that does not make enough room, the recording ends, and the file says so.

            With --last nothing new is recorded: a program with a flight recorder (InspectorOptions.flightRecorder, or \
            CHAINVIEW_FLIGHT_RECORDER=1 beside CHAINVIEW=1) sends what that holds of the last 30s, 10m and so on, \
            beginning with the program's state at the start of that time.

            Exit codes: 0 done, 64 wrong usage or the file exists, 65 another version of the protocol, 66 no such \
            program, 69 the program is gone, does not answer or has too many viewers, 74 the file cannot be written, \
            was removed, or another error of the system, 77 the program refuses access, or has no flight recorder.
            """)

    @Argument(
        help: ArgumentHelp(
            "The program: pid, name, unix:PATH, tcp:HOST:PORT, ssh:HOST/PROCESS or exec:COMMAND.", valueName: "target"),
        completion: Completions.targets)
    var name: String

    @Option(name: .shortAndLong, help: ArgumentHelp("The file to make.", valueName: "file"), completion: .file())
    var output: String

    @OptionGroup var symbols: SymbolOptions

    @OptionGroup var limit: TimeLimit

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Write what the program's flight recorder has of the last 30s, 10m and so on, and end.",
            valueName: "duration"))
    var last: DurationArgument?

    @OptionGroup var form: RecordingForm

    @Flag(help: "Replace the file if it exists.")
    var overwrite = false

    @Flag(help: "Wait until the program runs.")
    var wait = false

    func validate() throws {
        _ = try Target(validating: name)
        try RecordingOutput.validate(output)
        guard last == nil || limit.duration == nil && form.maximum == nil && !form.raw && !wait else {
            throw ValidationError(
                "--last copies what the program has recorded: leave out --for, --max-size, --raw and --wait.")
        }
    }

    func run() throws {
        let target = try Target(validating: name)
        if let last {
            return try FlightRequest(target: target, span: last.duration, output: output, overwrites: overwrite).run()
        }
        let discovery = Discovery.patient
        // The target is checked before the file is created, so that an error leaves no file.
        let program = wait ? .prepared(target) : try RunningProgram(target, discovery, symbols: symbols.files)
        if !wait, case .prepared = program { try discovery.probe(target) }
        if let notice = program.notice { Streams.printError(notice) }
        var options = AttachOptions(discovery: Discovery())
        (options.isReadOnly, options.waits, options.viewerName) = (true, wait, DisplayOptions.viewer)
        options.endsWithRun = true
        let source = program.source(options)
        let storage = try RecordingOutput.create(output, overwrites: overwrite)
        let signals = EndingSignals()
        let recorder = SourceRecorder(
            source, into: storage, limit: form.limit, codec: form.codec,
            whenBegun: { [output] in MarkList.remove(ofRecording: output) })
        signals.whenReceived { recorder.stop() }
        source.start()
        let report = follow(recorder)
        source.stop()
        if report.recorded.isEmpty {
            storage.discard()
            // The source gives the reason of its end as a text only; probing throws the error with its exit code.
            if case .ended = report.recorded.ending, case .prepared = program { try discovery.probe(target) }
        }
        if let failure = report.failure() {
            if !report.recorded.isEmpty, !report.isLost { Streams.printError(report.summary) }
            throw failure
        }
        Streams.printError(report.summary)
        if case .ended(let reason)? = report.recorded.ending { Streams.printError(reason + ".") }
        if let signal = signals.received, signal != SIGINT { Signals.raiseAgain(signal) }
    }

    /// Prints the progress until the end of the recording, and returns the last report.
    private func follow(_ recorder: SourceRecorder) -> RecordingReport {
        var line = ProgressLine()
        var deadline = StateDeadline(limit.duration)
        while !recorder.wait(for: .milliseconds(100)) {
            let report = recorder.report
            line.show(RecordingReport(file: output, recorded: report).line)
            if report.process != nil { deadline.reached(isStateComplete: !report.isEmpty) }
            if deadline.isOver { recorder.stop() }
        }
        line.clear()
        return RecordingReport(file: DisplayText.shown(output), recorded: recorder.report)
    }
}

/// The options for how a recording is stored.
struct RecordingForm: ParsableArguments {
    @Option(
        name: .customLong("max-size"), parsing: .unconditional,
        help: ArgumentHelp(
            "Drop the oldest part once the file is so large, such as 64M or 2G; at least 4M.", valueName: "size"))
    var maximum: String?

    @Flag(help: "Do not pack the recording.")
    var raw = false

    func validate() throws {
        guard let maximum else { return }
        guard let count = ByteCount(maximum)?.count, count >= 4 << 20 else {
            throw ValidationError("--max-size is a number of bytes from 4M on, such as 64M or 2G, not \(maximum).")
        }
    }

    var limit: UInt64? { maximum.flatMap { ByteCount($0)?.count } }

    /// The codec that packs the recording; nil with `--raw`.
    var codec: (any PayloadCodec)? { raw ? nil : Zstandard() }

    /// Whether any of the options was given.
    var isChosen: Bool { maximum != nil || raw }
}

/// The progress on standard error: one line that is overwritten; without a terminal a new line every ten seconds.
private struct ProgressLine {
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var next = DispatchTime.now()
    private var isShown = false

    mutating func show(_ text: String) {
        guard DispatchTime.now() >= next else { return }
        if isTerminal {
            Streams.write("\r\u{1B}[K\(Self.row(of: text))", to: STDERR_FILENO)
            next = .now() + .milliseconds(250)
        } else {
            if isShown { Streams.printError(text) }
            next = .now() + .seconds(10)
        }
        isShown = true
    }

    /// Returns the part of a text that fits into a row of the terminal. A longer line would wrap, and a carriage return
    /// leads back to the last row of a wrapped line only.
    private static func row(of text: String) -> String {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return text }
        return String(text.prefix(Int(size.ws_col) - 1))
    }

    func clear() { if isTerminal, isShown { Streams.write("\r\u{1B}[K", to: STDERR_FILENO) } }
}
