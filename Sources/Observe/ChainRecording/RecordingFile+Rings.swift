// SPDX-License-Identifier: MIT

import ChainEvents
import ChainSystem
import ChainWire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension RecordingFile {
    /// The contribution of a killed program's rings (the buffers that its threads wrote events into) to its flight
    /// recording.
    package enum Rings: Hashable {
        /// There is no file of rings.
        case none
        /// The number of added events, which the recording did not have.
        case added(Int)
        /// Why the rings are of no use, in a phrase.
        case unusable(String)
    }

    /// The length of the recording's last part, in which events may be missing, in nanoseconds. The collector had read
    /// these events from the rings, but the recorder had not written them.
    private static let lateness: UInt64 = 1_000_000_000
    /// The greatest difference between the times of one event in the recording and in the rings, in nanoseconds. The
    /// two times are computed from different anchors (pairs of ticks and time).
    private static let tolerance: UInt64 = 1_000_000
    /// The longest time after the end of the recording at which an event is accepted, in nanoseconds: the recorder may
    /// have been held up. Events after that are taken for damaged and left out.
    private static let longestDelay: UInt64 = 3_600_000_000_000

    /// Opens the flight recording of a program that has died, and adds the events of its rings that the recording does
    /// not have.
    ///
    /// - Parameter rings: the path of the file of rings, which need not exist.
    package static func postMortem(
        path: String, rings ringsPath: String, codec: (any PayloadCodec)? = nil
    ) throws(RecordingError) -> (file: RecordingFile, rings: Rings) {
        let base: ByteFile
        do { base = try ByteFile(path: path) } catch { throw .system(error) }
        let file = try RecordingFile(base, codec)
        let rings: ByteFile
        do { rings = try ByteFile(path: ringsPath) } catch {
            return (file, error.code == ENOENT ? .none : .unusable("cannot be read: \(error)"))
        }
        guard rings.count <= UInt64(RingFileFormat.sizeLimit) else { return (file, .unusable("is no file of rings")) }
        let bytes = rings.bytes(at: 0, count: Int(rings.count))
        let read = bytes.withUnsafeBytes { bytes in
            Result { () throws(RingEvents.Problem) in try RingEvents(bytes, of: file.process.key) }
        }
        switch read {
        case .failure(.notRings): return (file, .unusable("is no file of rings, or is cut off"))
        case .failure(.otherVersion): return (file, .unusable("is of another version of chainview"))
        case .failure(.otherProgram): return (file, .unusable("is of another run of the program"))
        case .success(let rings):
            let new = file.unrecorded(of: rings.events)
            // A recording with an index was ended in good order, and no chunk can follow it.
            guard !new.isEmpty, !file.hasIndex else { return (file, .added(0)) }
            let added = file.chunks(of: new, rings.threads, from: base.count)
            return (try RecordingFile(base, codec, added: added), .added(new.count))
        }
    }

    /// Returns the events of rings that the recording does not have, in the order of time.
    private func unrecorded(of events: [RingEvents.Event]) -> [RingEvents.Event] {
        struct Key: Hashable {
            var node: NodeID, other: NodeID
            var thread: ThreadID
            var kind: EventKind
            init(_ event: ChainEvent) {
                (node, other, thread, kind) = (event.node, event.other, event.thread, event.kind)
            }
        }
        let first = range.upperBound.subtractingClamped(Self.lateness)
        var recorded: [Key: [UInt64]] = [:]
        for index in chunks.indices.reversed() {
            guard chunks[index].header.lastTime >= first.subtractingClamped(Self.lateness) else { break }
            guard chunks[index].header.kind == .batches else { continue }
            for batch in batches(ofChunk: index) ?? [] {
                for event in batch.events { recorded[Key(event), default: []].append(event.time) }
            }
        }
        let new = events.filter { one in
            guard one.event.time <= range.upperBound.addingClamped(Self.longestDelay) else { return false }
            guard !one.isUnread else { return true }
            guard one.event.time >= first else { return false }
            let times = recorded[Key(one.event)] ?? []
            return !times.contains { max($0, one.event.time) - min($0, one.event.time) <= Self.tolerance }
        }
        return new.sorted { $0.event.time < $1.event.time }
    }

    /// Returns chunks with the events, to follow the chunks of the recording. The offsets of the new chunks begin with
    /// `offset`, the end of the recording's file.
    private func chunks(
        of events: [RingEvents.Event], _ threads: [ThreadID: String], from offset: UInt64
    ) -> AddedChunks {
        guard let last = chunks.last?.header else { return AddedChunks() }
        let before = batches(ofChunk: chunks.count - 1)?.last
        var batch = EventBatch(
            process: process.key, sequence: (before?.sequence ?? 0) + 1,
            time: max(last.lastTime, events.last?.event.time ?? 0))
        batch.loss = before?.loss ?? EventCounts()
        batch.threads = threads
        for one in events {
            var event = one.event
            if let text = one.text {
                batch.texts.append(text)
                event.text = UInt32(batch.texts.count)
            }
            batch.events.append(event)
        }
        var (result, counts, number) = (AddedChunks(), last.counts, last.number)
        for part in batch.parts(upTo: RecordingFormat.chunkLimit - Wire.headerSize) {
            var encoder = MessageWriter()
            do { try encoder.write(.batch(part)) } catch { continue }
            number += 1
            counts.add(part.events)
            var header = ChunkHeader(.batches)
            (header.number, header.segment, header.counts) = (number, last.segment, counts)
            (header.storedCount, header.rawCount) = (UInt32(encoder.bytes.count), UInt32(encoder.bytes.count))
            header.note(part)
            header.payloadChecksum = encoder.bytes.withUnsafeBytes { Checksum.of($0) }
            result.chunks.append(ChunkEntry(offset: offset + UInt64(result.bytes.count), header: header))
            result.bytes += header.bytes(in: self.header.id) + encoder.bytes
        }
        return result
    }
}

/// Chunks that are shown as a part of a recording, but are not in its file.
struct AddedChunks {
    /// The chunks, with offsets as if their bytes followed the bytes of the file.
    var chunks: [ChunkEntry] = []
    var bytes: [UInt8] = []
}

/// The bytes of a recording's file, followed by added bytes.
struct AppendedBytes: StoredBytes {
    let base: any StoredBytes
    let added: [UInt8]

    var count: UInt64 { base.count + UInt64(added.count) }

    func bytes(at offset: UInt64, count: Int) -> [UInt8] {
        let first = base.bytes(at: offset, count: count)
        guard first.count < count else { return first }
        let start = Int(clamping: offset.subtractingClamped(base.count))
        return first + added.dropFirst(start).prefix(count - first.count)
    }
}
