import ChainEvents
import ChainExport
import ChainText
import Dispatch
import Foundation

/// The exports that take nodes as they settle.
struct StreamCommands {
    private let run: ExportRun

    init(_ source: ForestSource, _ follow: FollowOptions) { run = ExportRun(source, follow) }

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
            "more was live at one time than there are tracks for: \(words[0]), and \(words[1]) of other chains, are "
                + "missing from the trace; their handlers are in it.")
    }

    func sendSpans(to address: String) throws {
        let connection = HTTPConnection(try CollectorURL(address), agent: "chainview/\(Version.text)")
        let run = run
        var sender = SpanSender(post: connection.post, pause: { Self.pause($0) { run.isInterrupted } })
        var nextFlush = DispatchTime.now()
        try run.nodes(
            make: { OTLPExport($0, version: Version.text) { sender.send($0, $1) } },
            whilePaused: { exporter in
                // Flushed once a second, because a request for each batch would make 50 requests a second.
                guard DispatchTime.now() >= nextFlush else { return }
                try exporter.flush()
                nextFlush = .now() + 1
            },
            end: { stream in
                try stream.exporter.flush()
                sender.counts.lostEvents = stream.forest.lostCount
                let sentence = sender.counts.sentence(to: DisplayText.shown(address))
                if sender.counts.undelivered > 0 { throw Failure(status: .gone, message: sentence) }
                if sender.counts.rejected > 0 { throw Failure(status: .refused, message: sentence) }
                Streams.printError(sentence)
            })
    }

    /// Waits; returns false once the run is interrupted.
    private static func pause(_ nanoseconds: UInt64, unless isInterrupted: () -> Bool) -> Bool {
        var left = nanoseconds
        while left > 0, !isInterrupted() {
            let step = min(left, 100_000_000)
            Thread.sleep(forTimeInterval: Double(step) / 1_000_000_000)
            left -= step
        }
        return !isInterrupted()
    }
}
