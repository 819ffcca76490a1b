// SPDX-License-Identifier: MIT

import ChainSystem
import ChainWire
import PromiseRuntime

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The options of an ``Inspector``.
public struct InspectorOptions: Sendable {
    /// The time between two collections, at least 1 ms. Without viewers and subscribers it is at least 100 ms. With
    /// viewers or subscribers it is at most a second, so that viewers see that the program runs. With a flight recorder
    /// alone it is 100 ms. For five seconds after a cancellation has found a node, the interval is not raised to 100
    /// ms. A half full ring of a thread causes an earlier collection.
    public var interval: Duration = .milliseconds(20)
    /// How many events of a thread may wait to be collected, 48 bytes each, at least 16. A text takes the room of
    /// further events. The default lasts 80 ms at 200,000 events a second on one thread: a busy system may delay the
    /// collecting thread that long.
    public var ringCapacity = 16_384
    /// How many bytes the buffers of all threads take together at most. A thread takes blocks of 4 KiB as it reports,
    /// and the collecting thread gives the blocks back that it has read. An idle thread keeps one block until it ends,
    /// so the default is enough for 7,700 threads. A quarter of the bytes is left to threads of which no more than a
    /// block waits. The events of threads that get no block are dropped and counted.
    public var ringByteLimit = 32 << 20
    /// How many bytes of one label or error summary are kept.
    public var textByteLimit = 480
    /// What the process's own forest keeps, for late subscribers and ``Inspector/dump(settled:limit:)``.
    public var retention = Retention()
    /// Which chains are recorded. A chain that is not recorded costs its threads 1 ns for each step and 11 ns for its
    /// root; viewers can neither see nor cancel it.
    public var recording = RecordingFilter()
    /// Whether the texts of the program's own errors are published; they may hold secrets. An error is rendered when
    /// its promise is settled. Unless an error has a description of its own (`CustomStringConvertible`), rendering it
    /// ends the program if the error has an `unowned` reference to an object that is gone. The errors of cancelled and
    /// abandoned promises hold only labels, call sites and reasons, and are always published.
    public var capturesErrorText = true
    /// Whether values are published; each is rendered on the thread that settles the promise.
    public var capturesValues = false
    /// Whether viewers' cancellations are refused; other commands are carried out.
    public var isReadOnly = false
    /// How the recorded events are collected.
    public var collection = CollectionMode.automatic

    /// A signal (such as `SIGUSR1` or `SIGQUIT`) on which the text of ``Inspector/dump(settled:limit:)`` is written to
    /// ``dumpTarget``. The inspector replaces the signal's action until it stops. At least one thread of the program
    /// must not block the signal, and only one inspector of a process at a time may use the signal. Nil: no signal.
    public var dumpSignal: Int32?
    /// The destination of the dumps that ``dumpSignal`` requests.
    public var dumpTarget = DumpTarget.standardError

    /// A recording of the program's last minutes in a file, to be read after a failure. Nil: no recording, which costs
    /// nothing.
    public var flightRecorder: FlightRecorder?

    /// The endpoints at which viewers may attach; if the list is empty, no viewer can. Nil: ``InspectorEndpoint/unix``,
    /// or no endpoint if no thread collects (``collection``).
    public var endpoints: [InspectorEndpoint]?
    /// The folder of the sockets and tokens, an absolute path. A missing folder is made; the folder has to be the
    /// user's own, with mode 0700. Nil: `$XDG_RUNTIME_DIR/chainview`, else `chainview-UID` in `$TMPDIR` or `/tmp`,
    /// where `chainview` looks for sockets. If that folder belongs to another user, a folder beside it is used, which
    /// `chainview` finds, too.
    public var socketFolder: String?
    /// How many viewers may watch at a time, from 0 to 512. Unless the limit is 0, eight further connections are for
    /// viewers that attach for single commands or one state.
    public var viewerLimit = 64

    /// Changes the server's options, for tests.
    var adjustServer: (@Sendable (inout ServerOptions) -> Void)?

    /// Makes the defaults, which suit production.
    public init() {}

    var recorder: RecorderOptions {
        var options = RecorderOptions()
        options.ringCapacity = ringCapacity
        options.ringByteLimit = ringByteLimit
        options.textLimit = textByteLimit
        options.capturesErrorText = capturesErrorText
        return options
    }

    var collector: CollectorOptions {
        var options = CollectorOptions()
        let (seconds, attoseconds) = interval.components
        let nanoseconds = Double(seconds) * 1e9 + Double(attoseconds) / 1e9
        options.interval = UInt64(min(max(nanoseconds, 1_000_000), 3_600_000_000_000))
        // Texts of events have the same upper limit, whatever the option.
        options.textLimit = min(max(0, textByteLimit), 0x7FFF)
        // These limits keep each batch within the limit of a message: a node has three texts and 256 members at most.
        options.chunkLimit = min(options.chunkLimit, Wire.programMessageLimit / (3 * options.textLimit + 8_192))
        options.batchLimit = min(options.batchLimit, Wire.programMessageLimit / (options.textLimit + 64))
        options.isNarrowed = recording.isNarrowing
        options.forest = retention.limits
        return options
    }
}

extension InspectorOptions {
    /// How the recorded events are collected.
    public enum CollectionMode: Hashable, Sendable {
        /// By a thread, unless the runtime's clock is virtual: neither one of the system's clocks, nor `.continuous` or
        /// `.suspending`.
        case automatic
        /// By a thread of the inspector, whatever the clock.
        case thread
        /// By the program, which calls ``Inspector/collectNow()``.
        case manual
    }
}

/// The reason why an inspector could not be started, or a flight recording could not be dumped.
public enum InspectorError: Error, Hashable, CustomStringConvertible {
    /// The runtime's events already go to a sink other than an inspector.
    case runtimeIsRecorded
    /// The system has no thread left.
    case noThread
    /// The signal (``InspectorOptions/dumpSignal``, or the signal of a flight recorder) cannot be handled; the error
    /// number has the reason.
    case dumpSignal(Int32, errorNumber: Int32)
    /// The inspector has no flight recorder, or was stopped.
    case noFlightRecorder
    /// A dump of the flight recorder could not be written to the path; the text has the reason.
    case dumpNotWritten(path: String, reason: String)

    /// What happened and what to do.
    public var description: String {
        switch self {
        case .runtimeIsRecorded:
            "The runtime's events go to another sink already: stop that recording first (ChainRuntime.stopRecording)"
        case .noThread:
            "The system has no thread left for the inspector: raise the limit, or set collection to .manual"
        case .dumpSignal(let number, EBUSY):
            "Signal \(number) is another inspector's already: give each its own dumpSignal, or stop the other one"
        case .dumpSignal(let number, EINVAL):
            "Signal \(number) cannot ask for a dump: set dumpSignal to one that a program may handle, as SIGUSR1"
        case .dumpSignal(let number, let errorNumber):
            ServerFailure("Signal \(number) cannot be watched for dumps", SystemError(code: errorNumber)).sentence
        case .noFlightRecorder:
            "The inspector has no flight recorder: set InspectorOptions.flightRecorder"
        case .dumpNotWritten(_, let reason): reason
        }
    }
}
