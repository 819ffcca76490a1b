// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainEvents
import ChainRecording
import ChainSystem

/// A recorder that writes an inspector's batches into a file of limited size, on a thread of its own.
///
/// The thread subscribes as a viewer does. When it is late, events are dropped and counted, and the state is sent
/// again. So neither the program nor the collector waits for the disk.
final class FlightRecorder: Sendable {
    /// A request for a dump.
    struct DumpRequest: Sendable {
        /// How many nanoseconds of the past the dump holds.
        var span: UInt64
        /// The new file.
        var target: RecordingFileStorage
    }

    /// Copies the newest part of the recording into a new file, and returns the size of that file in bytes.
    typealias Copying = (RecordingFileStorage) -> Result<UInt64, RecordingError>

    private let work: FlightWork
    private let thread: SystemThread
    private let file: FlightFile
    let options: InspectorOptions.FlightRecorder
    let folder: String
    /// The number of the last dump by a signal or a trigger.
    private let dumpCount = Lock(0)

    /// Starts the thread. If the system has no thread left, removes the file and throws.
    init(_ inspector: Inspector, _ options: InspectorOptions.FlightRecorder, in file: FlightFile) throws(ServerFailure)
    {
        self.options = options
        self.file = file
        folder = parentFolder(of: file.path)
        work = FlightWork(inspector, options, file)
        guard let thread = SystemThread("chain-flight", { [work] in work.run() }) else {
            work.abandon()
            file.remove()
            throw ServerFailure("The system has no thread left for the flight recorder")
        }
        self.thread = thread
    }

    /// Copies the newest part of the recording into another file, and returns the size of that file in bytes. Waits for
    /// the thread.
    func dump(_ request: DumpRequest) throws(RecordingError) -> UInt64 {
        let result = Lock<Result<UInt64, RecordingError>>(.failure(.empty))
        let isDone = Semaphore()
        let isTaken = work.enqueue(request) { outcome in
            result.withLock { $0 = outcome }
            isDone.signal()
        }
        guard isTaken else { throw .empty }
        isDone.wait()
        return try result.withLock { $0 }.get()
    }

    /// Whether recording has ended, because the file could not be written any more.
    var hasEnded: Bool { work.hasEnded.load(ordering: .relaxed) }

    var path: String { file.path }

    /// Ends the thread, waits for it, and removes its files.
    func stop() {
        work.stop()
        thread.join()
        file.remove()
    }

    /// Returns the path of the next dump by a signal or a trigger.
    func nextDumpPath(of process: ProcessDescription) -> String {
        let number = dumpCount.withLock { count in
            count += 1
            return count
        }
        let folder = options.dumpFolder ?? folder
        let name = process.name.unicodeScalars.prefix(40).map { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789-_".unicodeScalars.contains(scalar))
                ? Character(scalar) : "_"
        }
        return "\(folder)/\(String(name))-\(process.pid)-\(number).chain"
    }
}
