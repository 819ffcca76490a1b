// SPDX-License-Identifier: MIT

import ChainModel
import ChainRows

// Archiving and folding of rows as time passes. A chain is archived a while after it has settled.
extension Program {
    /// Archives settled chains. Folds settled chains, nodes that went well with all nodes inside them, and nodes with
    /// many children. Nodes around the selected node are left as they are. `watched` is a node of the chain at the top
    /// of the screen.
    mutating func tidy(selected: NodeIndex?, watched: NodeIndex?) -> Outline.Tidying {
        outline.tidy(in: forest, now: now, selected: selected, watched: watched)
    }
}
