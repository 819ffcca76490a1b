import ChainModel
import Dashboard

/// What `--debug-statistics` prints when the screen is the terminal's own again: a line for each queue of the viewer.
enum DebugStatistics {
    static func print(_ queues: [QueueStatistics], _ feeds: [Feed]) {
        Streams.say(table(feeds.map(\.queueStatistics) + queues))
    }

    /// A table of queues: name (which may be hostile), elements now, most elements ever, limit.
    static func table(_ queues: [QueueStatistics]) -> String {
        let heads = ["queue", "now", "most", "limit"]
        let rows = queues.map { [DisplayText.shown($0.name), "\($0.count)", "\($0.highWaterMark)", "\($0.limit)"] }
        let widths = heads.indices.map { column in ([heads] + rows).map { $0[column].count }.max() ?? 0 }
        return ([heads] + rows).map { row in
            let name = row[0] + String(repeating: " ", count: widths[0] - row[0].count)
            let numbers = (1..<row.count).map { column in
                String(repeating: " ", count: widths[column] - row[column].count) + row[column]
            }
            return ([name] + numbers).joined(separator: "  ") + "\n"
        }.joined()
    }
}
