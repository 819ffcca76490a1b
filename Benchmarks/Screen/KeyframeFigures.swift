// SPDX-License-Identifier: MIT

import Calibration
import ChainEvents
import ChainModel
import ChainRecording

/// Keyframes from a forest that exists, as a program's flight recorder takes them from that of its collector.
enum KeyframeFigures {
    private static let process = ProcessDescription(
        key: Traffic.process, pid: 1, name: "bench", wallOffset: 1_790_000_000_000_000_000)
    /// The limits of a flight recorder.
    private static let settledLimit = 5_000, partLimit = 1_024

    static func all() {
        do {
            try compare()
            try measureParts()
        } catch { print("keyframe failed: \(error)") }
    }

    /// A program's forest, and its events.
    private struct Program {
        var traffic: Traffic
        var forest = ChainForest(process: Traffic.process, limits: ForestLimits(changeLimit: 0))

        init(rate: Int) { traffic = Traffic(rate: rate) }

        mutating func apply(_ batch: EventBatch) {
            forest.apply(batch)
            forest.evictSettled(now: forest.now, budget: max(4_096, batch.events.count))
        }
    }

    private static func writer() -> RecordingWriter {
        RecordingWriter(MemoryStorage(), id: 1, limit: 256 << 20, codec: PayloadColumns())
    }

    private static func options() -> BatchRecorder.Options {
        var options = BatchRecorder.Options()
        options.settledLimit = settledLimit
        return options
    }

    /// Writes a keyframe; calls `afterPart` with the nanoseconds that the forest was read for, after each part.
    private static func writeKeyframe(
        _ recorder: inout SegmentRecorder, _ program: inout Program,
        afterPart: (inout SegmentRecorder, inout Program, UInt64) throws -> Void = { _, _, _ in }
    ) throws {
        let time = program.forest.now
        try recorder.beginKeyframe(at: time, ProcessTotals(of: program.forest.totals), now: time)
        var begin = EventBatch(process: process.key, sequence: 0, time: time)
        begin.resync = .begin(epoch: time)
        (begin.sites, begin.threads) = (program.forest.sites, program.forest.threads)
        try recorder.recordState(begin, now: time)
        var walk = StateWalk(settledLimit: settledLimit)
        while !walk.isAtEnd {
            var part = EventBatch(process: process.key, sequence: 0, time: program.forest.now)
            let taken = timing { part.nodes = walk.next(of: program.forest, limit: partLimit) }
            if walk.isAtEnd {
                part.resync = .end(epoch: time)
                try recorder.endKeyframe(part, now: part.time)
            } else {
                try recorder.recordState(part, now: part.time)
            }
            try afterPart(&recorder, &program, taken)
        }
    }

    /// Compares the cost of an event for the recorder's thread, keyframes included, with that of a recorder with a forest
    /// of its own: 200,000 events a second of a program with 46,000 nodes in flight.
    private static func compare() throws {
        var program = Program(rate: 200_000)
        var own = BatchRecorder(process, writer(), options: options())
        var recorder = SegmentRecorder(process, writer(), options: options())
        var first = [program.traffic.tables()]
        program.traffic.begin(nodes: 46_000) { first.append($0) }
        for batch in first {
            program.apply(batch)
            try own.record(batch, at: batch.time)
        }
        try writeKeyframe(&recorder, &program)
        var (ownCost, cost): ([Double], [Double]) = ([], [])
        for _ in 0..<9 {
            var (ownTime, time, events): (UInt64, UInt64, Int) = (0, 0, 0)
            while events < 400_000 {
                let batch = program.traffic.batch(events: 4_000)
                events += batch.events.count
                program.apply(batch)
                ownTime += try timing { try own.record(batch, at: batch.time) }
                time += try timing {
                    try recorder.record(recorder.numbered(batch), running: 0, at: batch.time)
                    if recorder.isKeyframeDue(at: batch.time) { try writeKeyframe(&recorder, &program) }
                }
            }
            ownCost.append(Double(ownTime) / Double(events))
            cost.append(Double(time) / Double(events))
        }
        say("keyframe.event", median(cost), "ns/event")
        say("keyframe.event.with-forest", median(ownCost), "ns/event")
        Pace(to: "with-forest", Array(zip(cost, ownCost)).map { (round: $0, peer: $1) })
            .compare("keyframe.event", limit: 0.95) { $0 }
    }

    /// Measures for how long a part of a keyframe reads the forest of a program with a million nodes in flight, which
    /// makes 100,000 events a second meanwhile. The events come every 20 ms.
    private static func measureParts() throws {
        var program = Program(rate: 100_000)
        program.apply(program.traffic.tables())
        program.traffic.begin(nodes: 1_000_000) { program.forest.apply($0) }
        for _ in 0..<300 { program.apply(program.traffic.batch(events: 2_000)) }
        var recorder = SegmentRecorder(process, writer(), options: options())
        var (parts, spans) = (Times(), Times())
        for _ in 0..<3 {
            var span: UInt64 = 0
            let whole = try timing {
                try writeKeyframe(&recorder, &program) { recorder, program, taken in
                    parts.add(taken)
                    span += 2 * taken
                    guard span > 20_000_000 else { return }
                    span = 0
                    let batch = program.traffic.batch(events: 2_000)
                    program.apply(batch)
                    guard recorder.hasSegment else { return }
                    try recorder.record(recorder.numbered(batch), running: 0, at: batch.time)
                }
            }
            spans.add(whole)
        }
        say("keyframe.part", parts.median, "ms")
        say("keyframe.part.most", parts.most, "ms", limit: 4)
        say("keyframe.1M", spans.median, "ms")
    }
}
