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
            It records until ^C, until --for is over, or until the program ends; a line on standard error shows time, events, \
            bytes and loss. Of the file everything is of use at any moment, also if chainview is killed: at most the \
            last 250 ms are missing then. A recording holds the labels, values and errors of the program: the file is \
            for its user only (mode 0600).

            The file is packed with Zstandard, which makes it a tenth as long; --raw leaves that, for programs that read recordings \
            themselves.

            With --max-size, or once the disk is full, the oldest part of the recording is dropped for the newest. If \
            too little could be kept, the recording ends, and the file says so.

            With --last it records nothing: a program with a flight recorder (InspectorOptions.flightRecorder, or \
            CHAINVIEW_FLIGHT_RECORDER=1 beside CHAINVIEW=1) sends what it has of the time before, with the state at its \
            beginning.

            Exit codes: 0 done, 64 wrong usage or the file exists, 65 another version of the protocol, 66 no such program, \
            69 the program is gone or does not answer, 74 the file cannot be written, 77 the program refuses access, \
            or has no flight recorder.
            """)

    @Argument(
        help: ArgumentHelp("The program: pid, name, unix:PATH, tcp:HOST:PORT or ssh:HOST/PID.", valueName: "target"),
        completion: Completions.targets)
    var name: String

    @Option(name: .shortAndLong, help: ArgumentHelp("The file to make.", valueName: "file"), completion: .file())
    var output: String

    @OptionGroup var limit: TimeLimit

    @Option(
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
        guard last == nil || limit.duration == nil && form.maximum == nil && !form.raw && !wait else {
            throw ValidationError(
                "--last is of what the program has recorded: it goes without --for, --max-size, --raw and --wait.")
        }
    }

    func run() throws {
        let target = try Target(validating: name)
        if let last {
            return try FlightRequest(target: target, span: last.duration, output: output, overwrites: overwrite).run()
        }
        let discovery = Discovery.patient
        // Before the file is made, because an error then leaves none.
        if !wait { try discovery.probe(target) }
        var options = AttachOptions(discovery: Discovery())
        (options.isReadOnly, options.waits, options.viewerName) = (true, wait, DisplayOptions.viewer)
        let source = AttachedProcess(target, options: options)
        var endsWhenLost = true
        if case .pid = target { endsWhenLost = false }
        let storage = try RecordingOutput.create(output, overwrites: overwrite)
        let signals = EndingSignals()
        let recorder = SourceRecorder(
            source, into: storage, limit: form.limit, codec: form.codec, endsWhenLost: endsWhenLost)
        signals.whenReceived { recorder.stop() }
        source.start()
        let report = follow(recorder)
        source.stop()
        if report.report.isEmpty {
            storage.discard()
            // Of a source that ended only words are known; this throws the error with its exit code.
            if case .ended = report.report.ending { try discovery.probe(target) }
        }
        if let failure = report.failure() {
            if !report.report.isEmpty { Streams.printError(report.summary) }
            throw failure
        }
        Streams.printError(report.summary)
        if let signal = signals.received, signal != SIGINT { Signals.raiseAgain(signal) }
    }

    /// Prints the progress until the end of the recording.
    private func follow(_ recorder: SourceRecorder) -> RecordingReport {
        var line = ProgressLine()
        let end = limit.duration.map { DispatchTime.now() + .nanoseconds(Int($0.duration.clampedNanoseconds)) }
        while !recorder.wait(for: .milliseconds(100)) {
            line.show(RecordingReport(file: output, report: recorder.report).line)
            if let end, DispatchTime.now() >= end { recorder.stop() }
        }
        line.clear()
        return RecordingReport(file: DisplayText.shown(output), report: recorder.report)
    }
}

/// How a recording is stored.
struct RecordingForm: ParsableArguments {
    @Option(
        name: .customLong("max-size"),
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

    /// What packs it; nil where it is stored as it is.
    var codec: (any PayloadCodec)? { raw ? nil : Zstandard() }

    /// Whether any option was written.
    var isChosen: Bool { maximum != nil || raw }
}

/// One line on standard error that is overwritten; without a terminal a line each ten seconds.
private struct ProgressLine {
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var next = DispatchTime.now()
    private var isShown = false

    mutating func show(_ text: String) {
        guard DispatchTime.now() >= next else { return }
        if isTerminal {
            Streams.write("\r\u{1B}[K\(text)", to: STDERR_FILENO)
            next = .now() + .milliseconds(250)
        } else {
            if isShown { Streams.printError(text) }
            next = .now() + .seconds(10)
        }
        isShown = true
    }

    func clear() { if isTerminal, isShown { Streams.write("\r\u{1B}[K", to: STDERR_FILENO) } }
}
