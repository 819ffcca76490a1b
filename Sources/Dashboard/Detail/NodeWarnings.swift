import ChainInsight
import ChainText
import Frames

// What looks wrong with a node.
extension NodeFacts {
    /// Adds name, time and advice of each warning, the worst first. `shown` is left
    /// out. O(kinds).
    func addWarnings(excluding shown: Warning.ID?, to text: inout DetailWriter) {
        for warning in program.insight.warnings.warnings(of: view.id) where warning.id != shown {
            let time = ClockText.seconds(warning.since &+ program.wallOffset, offset: clockOffset)
            text.gap()
            text.add([
                (warning.kind.rawValue, Style.warning.bold), (warning.kind.isFault ? "  at " : "  since ", .dim),
                (time, .number),
            ])
            text.wrap(WarningText.firstAdvice(warning.kind), style: .normal, indent: 2)
        }
    }
}
