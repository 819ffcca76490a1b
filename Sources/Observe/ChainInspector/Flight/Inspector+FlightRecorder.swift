// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainEvents
import ChainRecording
import ChainSystem
import PromiseRuntime

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension Inspector {
    /// The path of the flight recorder's file (``InspectorOptions/flightRecorder``), which `chainview replay` opens at
    /// any time; nil if there is no such file.
    public var flightRecordingPath: String? { usableFlight?.path }

    /// Copies the last part of the flight recording into a new file of mode 0600, a recording for `chainview replay`.
    /// The copy begins with the last state that was written before the beginning of that part. That is up to 10 s
    /// earlier, or longer if the program made no events in these seconds.
    ///
    ///     let inspector = try Inspector.start()
    ///     try inspector.dumpFlightRecording(last: .seconds(30), to: "/var/tmp/shop.chain")
    ///
    /// The copy contains all events made before the call. Waits for the copy, about a second for each gigabyte.
    ///
    /// - Parameter duration: the length of the last part; nil copies everything that the flight recording has.
    /// - Throws: ``InspectorError/noFlightRecorder``; ``InspectorError/dumpNotWritten(path:reason:)`` if the file
    ///   exists already or cannot be written, or if the flight recorder has ended or has recorded nothing yet.
    public func dumpFlightRecording(last duration: Duration? = nil, to path: String) throws {
        guard let flight = usableFlight else { throw InspectorError.noFlightRecorder }
        let target: RecordingFileStorage
        do throws(SystemError) { target = try RecordingFileStorage(path: path, overwrites: false) } catch {
            throw InspectorError.dumpNotWritten(
                path: path, reason: ServerFailure("\(path) cannot be made", error).sentence)
        }
        do throws(RecordingError) {
            _ = try dump(flight, last: duration?.clampedNanoseconds ?? .max, to: target)
        } catch {
            unlink(path)
            throw InspectorError.dumpNotWritten(path: path, reason: flight.sentence(error, of: path))
        }
    }

    private var usableFlight: FlightRecorder? {
        collector.recorder.isInOwnProcess ? flight.withLock { $0 } : nil
    }

    private func dump(
        _ flight: FlightRecorder, last span: UInt64, to target: RecordingFileStorage
    ) throws(RecordingError) -> UInt64 {
        // The collecting thread publishes, so that no observer runs here.
        collector.pass(publishes: false)
        return try flight.dump(FlightRecorder.DumpRequest(span: span, target: target))
    }

    // MARK: Starting

    /// Makes the file of the requested flight recorder, and for a black box also the file of the rings. Called before
    /// anything is recorded. If a file cannot be made, a sentence on standard error has the reason.
    func makeFlightFile(_ options: InspectorOptions) -> FlightFile? {
        guard let wanted = options.flightRecorder else { return nil }
        do throws(ServerFailure) {
            let file = try FlightFile(in: try options.flightFolder(wanted), limit: wanted.limit)
            guard wanted.isBlackBox else { return file }
            do throws(ServerFailure) { try file.mapRings(of: collector, process: info.key) } catch {
                chain_log("chainview: \(error.sentence)\n")
            }
            return file
        } catch {
            chain_log("chainview: \(error.sentence)\n")
            return nil
        }
    }

    /// Starts the flight recorder. If that fails, a sentence on standard error has the reason.
    func startFlightRecorder(_ options: InspectorOptions, in file: FlightFile?) {
        guard let wanted = options.flightRecorder, let file else { return }
        do throws(ServerFailure) {
            let started = try FlightRecorder(self, wanted, in: file)
            flight.withLock { $0 = started }
        } catch { chain_log("chainview: \(error.sentence)\n") }
    }

    // MARK: Dumps by signals and triggers

    /// Writes a dump for a signal, on the thread that waits for the signal.
    func dumpForSignal() {
        guard let flight = usableFlight else { return }
        writeOwnDump(because: "a signal") { target in
            Result { () throws(RecordingError) in
                try self.dump(flight, last: flight.options.dumpSpan.clampedNanoseconds, to: target)
            }
        }
    }

    /// Writes a dump into the next file of the dumps' folder, and a sentence about it to standard error.
    func writeOwnDump(because reason: String, _ body: FlightRecorder.Copying) {
        guard let flight = usableFlight else { return }
        do throws(SystemError) {
            var made: (path: String, target: RecordingFileStorage)?
            while made == nil {
                let path = flight.nextDumpPath(of: info)
                do throws(SystemError) {
                    made = (path, try RecordingFileStorage(path: path, overwrites: false))
                } catch { guard error.code == EEXIST else { throw error } }
            }
            guard let (path, target) = made else { return }
            switch body(target) {
            case .success: chain_log("chainview: recorded what led to \(reason) in \(path)\n")
            case .failure(let error):
                unlink(path)
                chain_log("chainview: \(flight.sentence(error, of: path))\n")
            }
        } catch { chain_log("chainview: \(ServerFailure("No dump can be made for \(reason)", error).sentence)\n") }
    }

    // MARK: Dumps for viewers

    /// Returns a copy of the last `span` nanoseconds in an unlinked file, or the reason why there is none.
    func flightDump(last span: UInt64) -> Result<FlightDump, ServerFailure> {
        guard let flight = usableFlight else {
            return .failure(
                ServerFailure(
                    "The program has no flight recorder: start it with CHAINVIEW_FLIGHT_RECORDER=1, or set InspectorOptions.flightRecorder"
                ))
        }
        let (path, descriptor) = makeTemporary(in: flight.folder) { chain_open_new($0) }
        guard descriptor >= 0 else {
            return .failure(ServerFailure("The dump cannot be made", SystemError(code: -descriptor)))
        }
        defer { unlink(path) }
        let target = RecordingFileStorage(Descriptor(owning: descriptor))
        do throws(RecordingError) {
            let size = try dump(flight, last: span, to: target)
            let file = chain_open_to_read(path)
            guard file >= 0 else { throw .system(SystemError(code: -file)) }
            return .success(FlightDump(file: Descriptor(owning: file), size: size))
        } catch { return .failure(ServerFailure(flight.sentence(error, of: path))) }
    }
}

/// A copy of a flight recording that is sent to a viewer.
struct FlightDump: Sendable {
    var file: Descriptor
    /// Bytes of the file.
    var size: UInt64
}

extension FlightRecorder {
    /// Returns the sentence for a failed dump at a path.
    func sentence(_ error: RecordingError, of path: String) -> String {
        switch error {
        case .empty: "The flight recorder has ended, or has recorded nothing yet"
        case .system(let cause): ServerFailure("The dump \(path) cannot be written", cause).sentence
        default: "The dump \(path) \(error.description)"
        }
    }
}
