// SPDX-License-Identifier: MIT

import ChainInsight
import Frames

// The warnings of a node.
extension NodeFacts {
    /// Adds the name, time and advice of each warning except `shown`, the worst first. O(kinds).
    func addWarnings(excluding shown: Warning.ID?, to text: inout DetailWriter) {
        for warning in program.insight.warnings.warnings(of: view.id) where warning.id != shown {
            let time = program.timeText(warning.since, clockOffset: clockOffset)
            text.gap()
            text.add([
                (warning.kind.rawValue, Style.warning.bold), (warning.kind.isFault ? "  at " : "  since ", .dim),
                (time, .number),
            ])
            text.wrap(WarningText.firstAdvice(warning.kind, for: view.kind), style: .normal, indent: 2)
        }
    }
}
