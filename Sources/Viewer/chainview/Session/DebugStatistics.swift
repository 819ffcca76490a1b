// SPDX-License-Identifier: MIT

import ChainModel
import Foundation

/// The output of `--debug-statistics`: one line for each queue of the viewer.
enum DebugStatistics {
    /// Prints the queues of the dashboard and of its feeds on standard error.
    static func print(_ queues: [QueueStatistics], _ feeds: [Feed]) {
        Streams.write(table(feeds.map(\.queueStatistics) + queues), to: STDERR_FILENO)
    }

    /// Returns a table of queues: name (escaped), elements now, high-water mark, limit.
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
