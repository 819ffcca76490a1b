// SPDX-License-Identifier: MIT

import ChainModel

/// The figures of one program's call sites over a span of time.
package struct SiteReport: Sendable {
    /// A call site and an operation, by names that several runs of a program have in common.
    package struct Name: Hashable, Sendable {
        /// The file with its module, and the line. For a Swift task its function's name and 0; empty and 0 where unknown.
        package var file: String, line: UInt32
        /// The operation.
        package var kind: NodeKind

        /// File and line together.
        package var location: CodeLocation { CodeLocation(fileID: file, line: line) }
    }

    /// The figures of one call site and operation.
    package struct Figures: Hashable, Sendable {
        /// What the labels of its nodes have in common; nil without labels, empty if the labels have nothing in common.
        package var label: String?
        /// Nodes that settled within the span and were not skipped; how many of them failed; how many were cancelled.
        package var ended = 0, failed = 0, cancelled = 0
        /// Nodes that are not settled at the end of the span.
        package var live = 0
        /// Durations of the nodes that settled within the span.
        package var total = DurationFigures(), run = DurationFigures(), wait = DurationFigures()
        /// The span in nanoseconds, at least 1.
        package var span: UInt64 = 1

        /// Settlements per second.
        package var rate: Double { Double(ended) * 1e9 / Double(span) }
        /// The share of ``failed`` in ``ended``, from 0 to 1.
        package var failedShare: Double { ended == 0 ? 0 : Double(failed) / Double(ended) }
    }

    /// The figures by call site and operation. Call sites without a known location are added up by operation.
    package var sites: [Name: Figures] = [:]
    /// The first and the last moment of the span, in nanoseconds of the program's clock.
    package var range: ClosedRange<UInt64>

    /// Counts the nodes of a forest at the end of the span, and what was evicted by then.
    package init(_ evicted: SiteCount, and forest: ChainForest, over range: ClosedRange<UInt64>) {
        self.range = range
        var count = evicted
        count.begin(in: forest)
        for slot in 0..<UInt32(forest.indexBound) { _ = count.add(NodeIndex(rawValue: slot), in: forest) }
        for entry in 0..<count.entryCount { count.compute(entry, in: forest) }
        let span = max(1, range.upperBound - range.lowerBound)
        let records = Dictionary(grouping: count.records) { record in
            let site = forest.sites[record.key.site]
            return Name(file: site?.fileID ?? "", line: site?.line ?? 0, kind: record.key.kind)
        }
        sites = records.mapValues { Figures($0, span: span) }
    }
}

extension SiteReport.Figures {
    /// Adds up the nodes of all numbers of a call site.
    fileprivate init(_ records: [SiteCount.Record], span: UInt64) {
        self.init()
        self.span = span
        var common = CommonLabel()
        var (totals, runs, waits) = (DurationBuckets(), DurationBuckets(), DurationBuckets())
        for record in records {
            let flow = record.flow.figures
            ended += flow.ended
            failed += flow.failed
            cancelled += flow.cancelled
            live += record.statistics.live
            if let label = flow.label { common.add(label) }
            totals.add(record.flow.time)
            runs.add(record.run)
            waits.add(record.wait)
        }
        label = common.text
        (total, run, wait) = (totals.figures, runs.figures, waits.figures)
    }
}
