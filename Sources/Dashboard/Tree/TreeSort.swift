// SPDX-License-Identifier: MIT

import ChainRows

extension TreeOrder {
    /// The order in a sentence.
    var words: String {
        let what: String
        switch column {
        case .start:
            what = "by start, live chains first, the \(isInverted ? "oldest" : "newest") of them at the top"
        case .state: what = isInverted ? "by state, fulfilled first" : "by state, live first"
        case .wait, .run, .total: what = "by \(column.title), the \(isInverted ? "shortest" : "longest") first"
        case .node, .thread: what = "by \(column.title), from \(isInverted ? "Z to A" : "A to Z")"
        case .value: what = "by value, errors first, from \(isInverted ? "Z to A" : "A to Z")"
        }
        return "sorted \(what)" + (sortsSiblings ? "; nodes under a node, too" : "")
    }
}
