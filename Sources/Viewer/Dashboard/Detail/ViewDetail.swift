// SPDX-License-Identifier: MIT

import ChainInsight

/// A view's own details of its selected row.
struct ViewDetail {
    var title: String
    var lines: [DetailLine]
    /// Whether the details of the selected node follow the lines.
    var precedesNode = false
    /// The warning that the lines are about; the details of the node leave it out.
    var warning: Warning.ID?
}
