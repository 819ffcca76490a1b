// SPDX-License-Identifier: MIT

import ChainEvents
import ChainExport
import ChainSystem
import ChainText
import Dispatch
import Foundation

/// The exports that take nodes as they settle.
struct StreamCommands {
    private let run: ExportRun
    private let duration: Duration?

    /// - Parameter waits: whether the export may wait for another program.
    init(_ source: ForestSource, _ follow: FollowOptions, waits: Bool = false) {
        run = ExportRun(source, follow, waits: waits)
        duration = follow.duration?.duration
    }

    func writeLines(to output: ExportOutput) throws {
        try run.nodes(
            make: { try JSONLExport($0, to: output.write) },
            whilePaused: { _ in try output.flush() },
            end: { stream in
                try stream.exporter.end(stream.forest)
                try output.end()
            })
    }

    func writeTrace(to output: ExportOutput) throws {
        try run.nodes(
            make: { process in
                // Times count from the moment when the program began to record, so that two exports can be compared.
                let start = process.startTime.subtractingClamped(process.wallOffset)
                return try PerfettoExport(process, start: start, to: output.write)
            },
            end: { stream in
                try stream.exporter.end(stream.forest)
                try output.end()
                Self.report(chains: stream.exporter.leftOutChainCount, steps: stream.exporter.leftOutStepCount)
            })
    }

    /// Prints how many chains and steps found no track.
    private static func report(chains: Int, steps: Int) {
        guard chains + steps > 0 else { return }
        let words = [(chains, "chain"), (steps, "step")].map { CountText.counted($0.0, $0.1) }
        Streams.printError(
            "\(words[0]), and \(words[1]) of other chains, are left out of the trace, which has no tracks for more at "
                + "one time; their handlers are in it.")
    }

    func sendSpans(to address: String) throws {
        let run = run
        let limit = SendLimit(isInterrupted: { run.isInterrupted })
        let connection = HTTPConnection(
            try CollectorURL(address), agent: "chainview/\(Version.text)", limit: limit)
        var sender = SpanSender(
            limit, givesUp: !run.isFollowing, post: connection.post,
            sleep: { SystemThread.sleep(nanoseconds: Int($0)) })
        var nextFlush = DispatchTime.now()
        var hasEnded = false
        do {
            try run.nodes(
                make: { process in
                    if let duration { limit.end(within: duration + SendLimit.ofRest) }
                    return OTLPExport(process, version: Version.text) { sender.send($0, $1) }
                },
                whilePaused: { exporter in
                    // Flushed once a second, because a request for each batch would make 50 requests a second.
                    guard DispatchTime.now() >= nextFlush else { return }
                    try exporter.flush()
                    nextFlush = .now() + 1
                },
                end: { stream in
                    if run.isFollowing { limit.end(within: SendLimit.ofRest) }
                    try stream.exporter.flush()
                    hasEnded = true
                    sender.counts.lostEvents = stream.forest.lostCount
                    try Self.report(sender.counts, address)
                })
        } catch {
            // The spans are counted, too, where a recording was not read to its end.
            if !hasEnded, run.isInterrupted {
                Streams.printError(sender.counts.sentence(to: DisplayText.shown(address)))
            }
            throw error
        }
    }

    /// Prints how many spans were accepted; throws if some were not.
    private static func report(_ counts: SpanSender.Counts, _ address: String) throws {
        let sentence = counts.sentence(to: DisplayText.shown(address))
        if counts.undelivered > 0 { throw Failure(status: .gone, message: sentence) }
        if counts.rejected > 0 { throw Failure(status: .refused, message: sentence) }
        Streams.printError(sentence)
    }
}
