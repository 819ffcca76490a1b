// SPDX-License-Identifier: MIT

import ChainEvents

/// A call site with figures that differ between two reports.
package struct SiteChange: Hashable, Sendable {
    /// A figure that is compared; the raw value is its name in JSON.
    package enum Figure: String, CaseIterable, Sendable {
        /// Settlements per second.
        case rate
        /// The share of settlements that failed.
        case rejections
        /// Percentiles of the total duration.
        case p50, p90, p99
        /// Nodes that are not settled at the end.
        case live
    }

    /// The call site and operation as in the later report, or as in the earlier report if only that has it.
    package var name: SiteReport.Name
    /// The name in the earlier report, if the call site was on another line there.
    package var formerName: SiteReport.Name?
    /// The figures in the earlier report; nil if that report does not have the call site.
    package var before: SiteReport.Figures?
    /// The figures in the later report; nil if that report does not have the call site.
    package var after: SiteReport.Figures?
    /// The relative change of each figure that differs, above 0 and up to 1; for ``Figure/rejections``, the difference
    /// between the shares.
    package var changes: [Figure: Double]

    /// How much differs: the sum of ``changes`` times the binary logarithm (within 0.09) of 1 plus a count of nodes.
    /// The count is the greatest number of settled or of live nodes in either report.
    package var weight: Double {
        let count = max(before?.ended ?? 0, after?.ended ?? 0, before?.live ?? 0, after?.live ?? 0)
        // Linear between powers of two, because this target uses no functions of the system.
        let value = Double(1 + count)
        return changes.values.reduce(0, +) * (Double(value.exponent) + value.significand - 1)
    }
}

extension SiteReport {
    /// Returns the call sites with a figure that differs from an earlier report, the weightiest change first.
    ///
    /// A figure differs if its change is at least `threshold` and beyond chance. For counts, this means beyond twice
    /// the standard error; a change of live nodes from or to 0 is always beyond chance. For percentiles, it means at
    /// least five durations in both reports, and a change of at least 1 ms. A call site that moved is found by its
    /// file, operation and label, if it has a label. Each report must have only one such call site that the other
    /// report lacks.
    package func changes(since earlier: SiteReport, threshold: Double = 0.1) -> [SiteChange] {
        let moved = moves(since: earlier)
        let gone = earlier.sites.keys.filter { sites[$0] == nil && !moved.values.contains($0) }
        var changes = sites.keys.map { name in
            let former = moved[name]
            return SiteChange(
                name: name, formerName: former, before: earlier.sites[former ?? name], after: sites[name], changes: [:])
        }
        changes += gone.map { SiteChange(name: $0, before: earlier.sites[$0], after: nil, changes: [:]) }
        for index in changes.indices { changes[index].compare(threshold) }
        return changes.filter { !$0.changes.isEmpty }
            .sorted {
                ($1.weight, $0.name.file, $0.name.line, $0.name.kind.rawValue)
                    < ($0.weight, $1.name.file, $1.name.line, $1.name.kind.rawValue)
            }
    }

    /// Returns the former names of call sites that moved to another line of their file.
    private func moves(since earlier: SiteReport) -> [Name: Name] {
        struct Key: Hashable {
            var file: String, kind: NodeKind, label: String
        }
        func unmatched(_ report: SiteReport, _ other: SiteReport) -> [Key: [Name]] {
            var found: [Key: [Name]] = [:]
            for (name, figures) in report.sites where other.sites[name] == nil {
                guard let label = figures.label, !label.isEmpty, !name.file.isEmpty else { continue }
                found[Key(file: name.file, kind: name.kind, label: label), default: []].append(name)
            }
            return found
        }
        let former = unmatched(earlier, self)
        var moves: [Name: Name] = [:]
        for (key, names) in unmatched(self, earlier) where names.count == 1 {
            if let old = former[key], old.count == 1 { moves[names[0]] = old[0] }
        }
        return moves
    }
}

extension SiteChange {
    /// How many durations both reports need for a percentile to be compared.
    private static let leastDurations: UInt64 = 5
    /// The least change of a percentile, in nanoseconds; a smaller one is noise, however great it is relatively.
    private static let leastDifference: UInt64 = 1_000_000

    fileprivate mutating func compare(_ threshold: Double) {
        let (old, new) = (before ?? SiteReport.Figures(), after ?? SiteReport.Figures())
        func note(_ figure: Figure, _ change: Double, isCertain: Bool) {
            if isCertain, change >= threshold, change > 0 { changes[figure] = change }
        }
        // Counts of independent events vary by their square root.
        let rateError =
            (Double(old.ended) / squared(old.span) + Double(new.ended) / squared(new.span)).squareRoot() * 1e9
        // A report without the call site has no span for it, and no events.
        let rates = (before == nil ? 0 : old.rate, after == nil ? 0 : new.rate)
        note(.rate, relative(rates.0, rates.1), isCertain: abs(rates.1 - rates.0) > 2 * rateError)
        if old.ended + new.ended > 0 {
            let share = Double(old.failed + new.failed) / Double(old.ended + new.ended)
            let parts = 1 / Double(max(1, old.ended)) + 1 / Double(max(1, new.ended))
            let difference = abs(new.failedShare - old.failedShare)
            note(.rejections, difference, isCertain: difference > 2 * (share * (1 - share) * parts).squareRoot())
        }
        let isMeasured = min(old.total.count, new.total.count) >= Self.leastDurations
        for (figure, path) in [(Figure.p50, \DurationFigures.p50), (.p90, \.p90), (.p99, \.p99)] {
            let (former, present) = (old.total[keyPath: path], new.total[keyPath: path])
            let isLong = max(former, present) - min(former, present) >= Self.leastDifference
            note(figure, relative(Double(former), Double(present)), isCertain: isMeasured && isLong)
        }
        let isBeyondChance = Double(abs(new.live - old.live)) > 2 * Double(old.live + new.live).squareRoot()
        note(
            .live, relative(Double(old.live), Double(new.live)),
            isCertain: isBeyondChance || old.live == 0 || new.live == 0)
    }

    private func squared(_ span: UInt64) -> Double { Double(span) * Double(span) }

    private func relative(_ old: Double, _ new: Double) -> Double {
        max(old, new) == 0 ? 0 : abs(new - old) / max(old, new)
    }
}
