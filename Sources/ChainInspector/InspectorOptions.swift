import ChainSystem
import PromiseRuntime

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The costs and contents of an ``Inspector``'s recording.
public struct InspectorOptions: Sendable {
    /// The time between two collections, 100 ms or more without viewers and subscribers; a thread's half full ring is
    /// collected earlier. At least 1 ms.
    public var interval: Duration = .milliseconds(20)
    /// How many events a thread's ring holds, 48 bytes each; rounded up to a power of two, at least 16. Texts need
    /// further slots. At 200,000 events a second on one thread the default lasts 80 ms, for which a busy system may keep
    /// the collecting thread waiting.
    public var ringCapacity = 16_384
    /// How many bytes all rings take together at most. Rings made once half of them is in use hold 4,096 events at
    /// most; threads that get no ring lose their events, counted.
    public var ringByteLimit = 32 << 20
    /// How many bytes of one label or error summary are kept.
    public var textByteLimit = 480
    /// What the process's own forest keeps, for late comers and ``Inspector/dump(settled:limit:)``.
    public var retention = Retention()
    /// Which chains are recorded. Those that are left out cost their threads 1 ns a step and 11 a root; viewers neither
    /// see nor cancel them.
    public var recording = RecordingFilter()
    /// Whether the texts of the program's own errors are published; they may hold secrets. Those of cancelled and
    /// abandoned promises, which hold labels, call sites and reasons, always are.
    public var capturesErrorText = true
    /// Whether values are published; each is rendered on the thread that settles the promise.
    public var capturesValues = false
    /// Whether commands are refused.
    public var isReadOnly = false
    /// Whether no thread is started: the program calls ``Inspector/collectNow()``. Nil: so where the runtime's clock is
    /// a virtual one.
    public var collectsByHand: Bool?

    /// A signal (as `SIGUSR1`, or `SIGQUIT`) that has ``Inspector/dump(settled:limit:)`` written to ``dumpTarget``,
    /// instead of what it does otherwise, until the inspector stops. It must not be blocked on all threads of the
    /// program, and one inspector of a process at a time may have it. Nil: none.
    public var dumpSignal: Int32?
    /// Where a dump that a signal asked for is written.
    public var dumpTarget = DumpTarget.standardError

    /// A recording of the program's last minutes in a file, to be looked at after something has happened. Nil: none, which
    /// costs nothing.
    public var flightRecorder: FlightRecorder?

    /// Where viewers may attach; empty: nowhere. Nil: at ``InspectorEndpoint/unix``, but for a program on a virtual
    /// clock or that collects by hand (``collectsByHand``), nowhere.
    public var endpoints: [InspectorEndpoint]?
    /// The folder of the sockets and tokens, an absolute path; it is made where it is not there, and has to be the
    /// user's alone, with mode 0700. Nil: `$XDG_RUNTIME_DIR/chainview`, else `chainview-UID` in `$TMPDIR` or `/tmp`,
    /// which is where `chainview` looks; where that is another user's, one beside it, which `chainview` finds, too.
    public var socketFolder: String?
    /// How many viewers may watch at a time, from 0 to 512. Single commands have eight places of their own, unless it
    /// is 0.
    public var viewerLimit = 64

    /// What tests change of the server.
    var adjustServer: (@Sendable (inout ServerOptions) -> Void)?

    /// The defaults suit production.
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
        options.textLimit = textByteLimit
        options.isNarrowed = recording.isNarrowing
        options.forest = retention.limits
        return options
    }
}

/// Why an inspector could not be started.
public enum InspectorError: Error, Hashable, CustomStringConvertible {
    /// Something else than an inspector records the runtime.
    case runtimeIsRecorded
    /// The system has no thread to give.
    case noThread
    /// That signal (``InspectorOptions/dumpSignal``, or that of a flight recorder) cannot be had, for the reason that the
    /// error number names.
    case dumpSignal(Int32, errorNumber: Int32)
    /// The inspector has no flight recorder, or has stopped.
    case noFlightRecorder
    /// A dump of the flight recorder could not be written; the text has the reason.
    case flightRecording(String)

    /// What happened and what to do.
    public var description: String {
        switch self {
        case .runtimeIsRecorded:
            "The runtime's events go to another sink already: stop that recording first (ChainRuntime.stopRecording)"
        case .noThread:
            "The system has no thread left for the inspector: raise the limit, or set collectsByHand"
        case .dumpSignal(let number, EBUSY):
            "Signal \(number) is another inspector's already: give each its own dumpSignal, or stop the other one"
        case .dumpSignal(let number, EINVAL):
            "Signal \(number) cannot ask for a dump: set dumpSignal to one that a program may handle, as SIGUSR1"
        case .dumpSignal(let number, let errorNumber):
            ServerFailure("Signal \(number) cannot be watched for dumps", SystemError(code: errorNumber)).sentence
        case .noFlightRecorder:
            "The inspector has no flight recorder: set InspectorOptions.flightRecorder"
        case .flightRecording(let reason): reason
        }
    }
}
