import ChainEvents

extension InspectorOptions {
    /// A recording of the program's last minutes, which ``Inspector/dumpFlightRecording(last:to:)``, a viewer
    /// (`chainview record TARGET --last 30s`), a signal or a trigger copies into a file for `chainview replay`.
    ///
    ///     var options = InspectorOptions()
    ///     options.flightRecorder = .init(maxAge: .seconds(600), maxBytes: 1 << 30)
    ///
    /// It is kept in one file of mode 0600, `PID.flight`, in which the newest events overwrite the oldest. A stop of
    /// the inspector and a normal exit of the program remove the file; a program that is killed leaves it, with all but
    /// the last 250 ms. Of programs that were killed, the newest four files are kept in a folder.
    ///
    /// A thread of its own writes it, which takes some 5 % of a processor at 200,000 events a second, and keeps a
    /// forest for it: the live nodes, and the newest 10,000 settled ones at most.
    public struct FlightRecorder: Hashable, Sendable {
        /// What has the recording dumped without being asked for.
        ///
        /// The other warnings of the dashboard are computed there, by time or over the whole forest, and trigger nothing
        /// here.
        public enum Trigger: Hashable, Sendable, CaseIterable {
            /// A rejected promise was released without a handler for its error.
            case unhandledRejection
            /// A promise was released before anything had settled it.
            case abandoned
            /// A promise was settled a second time, without effect.
            case settledAgain
            /// A handler blocked a worker of a pool.
            case blockedWorker
            /// A handler wanted to wait for what could only run after it.
            case refusedWait
        }

        /// How far back a dump reaches at most.
        public var maxAge: Duration
        /// Bytes of the file at most; at least 4 MiB. An event takes some 42 bytes, and the state of the program, which
        /// is written each 10 s or 200,000 events, some 100 a node. Where the state takes more than a third of it,
        /// recording ends, with a sentence on standard error.
        public var maxBytes: Int
        /// The folder of the file, an absolute path; it is made where it is not there. Nil: that of the sockets, where
        /// `chainview` looks. `$XDG_RUNTIME_DIR` is in memory on most systems.
        public var folder: String?
        /// Whether the program's rings, which events are first written into, lie in a file beside the recording, `PID.rings`
        /// of mode 0600: a black box. Then a program that is killed, or that traps, leaves its very last events, too,
        /// and `chainview post-mortem` shows them; else it leaves all but the last 250 ms. The file takes up to 32 MiB,
        /// is removed with the recording, and costs the program nothing more where ``folder`` is in memory; on a disk the
        /// system writes it back every half a minute.
        public var isBlackBox = false
        /// A signal (as `SIGUSR2`) that has the recording dumped; as ``InspectorOptions/dumpSignal``. Nil: none.
        public var dumpSignal: Int32?
        /// What has the recording dumped by itself: at once, but not again within ``dumpSpan``, and eight times in a run of
        /// the program at most.
        public var dumpTriggers: Set<Trigger> = []
        /// How much a dump by a signal or a trigger holds.
        public var dumpSpan: Duration = .seconds(30)
        /// Where dumps by signals and triggers are written, as `NAME-PID-1.chain` and so on, of mode 0600; a sentence on
        /// standard error names the file. They are never removed. Nil: ``folder``.
        public var dumpFolder: String?

        /// The defaults last for ten minutes of 10,000 events a second, or for 25 s of 200,000.
        public init(maxAge: Duration = .seconds(600), maxBytes: Int = 256 << 20) {
            self.maxAge = maxAge
            self.maxBytes = maxBytes
        }

        var limit: UInt64 { UInt64(max(maxBytes, 4 << 20)) }
    }
}

extension InspectorOptions.FlightRecorder.Trigger {
    /// The kind of event that it is decided by, and words for standard error.
    var event: (kind: EventKind, words: String) {
        switch self {
        case .unhandledRejection: (.unhandled, "an unhandled rejection")
        case .abandoned: (.abandoned, "an abandoned promise")
        case .settledAgain: (.settledAgain, "a promise that was settled again")
        case .blockedWorker: (.blocked, "a blocked worker")
        case .refusedWait: (.awaitMisused, "a refused wait")
        }
    }
}
