// SPDX-License-Identifier: MIT

import ChainEvents

extension InspectorOptions {
    /// A recording of the program's last minutes. ``Inspector/dumpFlightRecording(last:to:)``, a viewer
    /// (`chainview record TARGET --last 30s`), a signal or a trigger copies the newest part into a file for
    /// `chainview replay`.
    ///
    ///     var options = InspectorOptions()
    ///     options.flightRecorder = .init(maxAge: .seconds(600), maxBytes: 1 << 30)
    ///
    /// The recording is kept in one file of mode 0600, `PID.flight`, in which the newest events overwrite the oldest. A
    /// stop of the inspector and a normal exit of the program remove the file. A killed program leaves it, with all but
    /// the last 250 ms. In a folder, the newest four files of killed programs are kept.
    ///
    /// A thread of its own writes the file. Now and then it writes the state of the program, with at most the newest 15,000
    /// settled nodes, from the process's own forest. The thread takes some 5 % of a processor at 200,000 events a second.
    public struct FlightRecorder: Hashable, Sendable {
        /// An event that triggers a dump of the recording.
        ///
        /// These are the warnings of the dashboard that a single event decides. The other warnings depend on the time
        /// or on the whole forest: the dashboard computes them, and they trigger nothing in the program.
        public enum Trigger: Hashable, Sendable, CaseIterable {
            /// A rejected promise was released without a handler for its error.
            case unhandledRejection
            /// A promise was released before anything had settled it.
            case abandoned
            /// A promise was settled a second time, without effect.
            case settledAgain
            /// A handler blocked a worker of a pool.
            case blockedWorker
            /// A handler tried to wait for something that could only run after the handler.
            case refusedWait
        }

        /// How far back a dump reaches at most. A dump begins with the last state before that time; see
        /// ``Inspector/dumpFlightRecording(last:to:)``.
        public var maxAge: Duration
        /// The most bytes of the file; at least 4 MiB. An event takes some 42 bytes. The state of the program takes
        /// some 100 bytes for each node, and is written every 10 s or 200,000 events. If the state takes more than a
        /// third of the file, recording ends, with a sentence on standard error.
        public var maxBytes: Int
        /// The folder of the file, an absolute path; a missing folder is made. Nil: the folder of the sockets, where
        /// `chainview` looks. `$XDG_RUNTIME_DIR` is in memory on most systems, and counts as the container's memory.
        public var folder: String?
        /// Whether the program has a black box: its rings, into which events are first written, lie in a file beside
        /// the recording, `PID.rings` of mode 0600. A program that is killed, or that traps, then leaves its very last
        /// events, too, and `chainview post-mortem` shows them. Without a black box such a program leaves all but the
        /// last 250 ms. The file takes up to ``InspectorOptions/ringByteLimit`` bytes and 2.25 MiB more, and is removed
        /// with the recording. A black box costs the program nothing more if ``folder`` is in memory; on a disk the
        /// system writes the file back every half minute. The folder should be in memory, or on ext4, XFS or APFS. Over
        /// a network, and where files are compressed or copied on write (ZFS, Btrfs), room cannot be reserved, and a
        /// full disk ends the program (SIGBUS).
        public var isBlackBox = false
        /// A signal (such as `SIGUSR2`) that triggers a dump of the recording, under the conditions of
        /// ``InspectorOptions/dumpSignal``. Nil: none.
        public var dumpSignal: Int32?
        /// The events that trigger a dump of the recording as soon as they reach the recording's thread. Another dump
        /// does not follow within ``dumpSpan``, and there are at most eight in a run of the inspector.
        public var dumpTriggers: Set<Trigger> = []
        /// How much of the past a dump by a signal or a trigger holds.
        public var dumpSpan: Duration = .seconds(30)
        /// The folder of the dumps by signals and triggers: `NAME-PID-1.chain` and so on, of mode 0600. A sentence on
        /// standard error names each file. They are never removed. Nil: the folder of the recording.
        public var dumpFolder: String?

        /// Makes a flight recorder; by default it holds ten minutes of 10,000 events a second, or 25 s of 200,000.
        public init(maxAge: Duration = .seconds(600), maxBytes: Int = 256 << 20) {
            self.maxAge = maxAge
            self.maxBytes = maxBytes
        }

        var limit: UInt64 { UInt64(max(maxBytes, 4 << 20)) }
    }
}

extension InspectorOptions.FlightRecorder.Trigger {
    /// The kind of the event, and words for it on standard error.
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
