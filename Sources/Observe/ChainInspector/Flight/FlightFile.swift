// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainEvents
import ChainRecording
import ChainSystem
import ChainWire

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The file of a flight recorder, which is locked while the process lives, and removed at a normal exit.
final class FlightFile: Sendable {
    let path: String
    let storage: RecordingFileStorage
    /// The registration of the file for removal at exit.
    private let own: OwnFile?
    /// The registration of the file of the rings, if there is one.
    private let rings = Lock<OwnFile?>(nil)

    /// How many files of killed programs are kept in a folder.
    private static let leftoverLimit = 4

    /// Makes the file, and removes the files of killed programs except the newest ``leftoverLimit``.
    ///
    /// - Parameter limit: the most bytes that the file may grow to.
    init(in folder: SocketFolder, limit: UInt64) throws(ServerFailure) {
        try FlightFile.checkSize(limit, "The flight recorder's file")
        FlightFile.removeLeftovers(in: folder.path)
        var result = -EEXIST
        var path = ""
        for number in 1...64 where result == -EEXIST {
            // A file of an earlier process with this pid is kept: in a container every run may have the same pid.
            path = folder.flightPath(pid: getpid(), number: number)
            result = chain_create_locked(path)
        }
        guard result >= 0 else {
            throw ServerFailure("The flight recorder's file \(path) cannot be made", SystemError(code: -result))
        }
        storage = RecordingFileStorage(Descriptor(owning: result))
        own = OwnFile(path)
        self.path = path
    }

    /// Makes a file beside this file. The collector's recorder makes its later rings in the new file.
    func mapRings(of collector: Collector, process: ProcessKey) throws(ServerFailure) {
        let path = SocketFolder.ringsPath(ofFlight: path)
        let recorder = collector.recorder
        try FlightFile.checkSize(UInt64(RingFile.size(byteLimit: recorder.pool.byteLimit)), "The black box")
        do throws(SystemError) {
            let file = try RingFile(
                path: path, process: process.rawValue, recorder: recorder, byteLimit: recorder.pool.byteLimit)
            rings.withLock { $0 = OwnFile(path) }
            recorder.pool.use(file)
            collector.withState { $0.use(file) }
        } catch { throw ServerFailure("The black box \(path) cannot be made", error) }
    }

    /// Throws if a file may grow past the process's limit of file sizes, because the system would then end the program.
    private static func checkSize(_ size: UInt64, _ name: String) throws(ServerFailure) {
        let limit = UInt64(chain_file_size_limit())
        guard size > limit else { return }
        throw ServerFailure(
            "\(name) may get \(size) bytes, but this process may write files of \(limit) only: raise that limit (ulimit -f)"
        )
    }

    /// Keeps the files from being removed as old files: a write into the mapped rings does not change the times of a
    /// file.
    func touch() {
        own?.touch()
        rings.withLock { $0 }?.touch()
    }

    func remove() {
        if let own { own.remove() } else { unlink(path) }
        rings.withLock { $0.take() }?.remove()
    }

    // MARK: Files of killed programs

    /// Removes recordings of killed programs except the newest ``leftoverLimit``, and rings without a recording.
    private static func removeLeftovers(in folder: String) {
        let names = fileNames(in: folder)
        // Rings without a recording are left over, because a program makes its recording first, and removes it first.
        for name in names where name.hasSuffix(".rings") && SocketFolder.isFlight(name.dropLast(6) + ".flight") {
            let path = "\(folder)/\(name)"
            let isAlone = FileFacts(at: path.dropLast(6) + ".flight") == nil
            if isAlone, FileFacts(at: path).map({ $0.isFile && $0.isOurs }) ?? false { unlink(path) }
        }
        let leftovers = names.filter { SocketFolder.isFlight($0) }.map { "\(folder)/\($0)" }.filter(isLeftover)
        let oldestFirst = leftovers.map { (path: $0, time: modificationTime(of: $0)) }.sorted { $0.time < $1.time }
        for (path, _) in oldestFirst.dropLast(leftoverLimit) {
            unlink(path)
            unlink(SocketFolder.ringsPath(ofFlight: path))
        }
    }

    /// Returns whether a path is a file of this user that no program records into.
    private static func isLeftover(_ path: String) -> Bool {
        FileFacts(at: path).map { $0.isFile && $0.isOurs } ?? false && isUnlockedFile(path)
    }

    /// Returns when a file was written last, in seconds since 1970; 0 if that is not known.
    private static func modificationTime(of path: String) -> Int {
        var facts = stat()
        guard lstat(path, &facts) == 0 else { return 0 }
        #if canImport(Darwin)
            return facts.st_mtimespec.tv_sec
        #else
            return facts.st_mtim.tv_sec
        #endif
    }
}

extension InspectorOptions {
    /// Returns the folder of the flight recorder's file; makes a missing one.
    func flightFolder(_ options: FlightRecorder) throws(ServerFailure) -> SocketFolder {
        guard let path = options.folder else {
            let folder = socketFolder.map { SocketFolder(path: $0) } ?? SocketFolder.usable(of: SocketFolder.own)
            try folder.prepare()
            return folder
        }
        guard path.hasPrefix("/") else {
            throw ServerFailure("The folder of the flight recorder has to be an absolute path, not “\(path)”")
        }
        // Not checked like the folder of the sockets, because no link in it is followed, and no file in it is replaced.
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            throw ServerFailure("The folder \(path) of the flight recorder cannot be made", SystemError())
        }
        return SocketFolder(path: path)
    }
}
