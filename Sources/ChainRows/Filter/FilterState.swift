// SPDX-License-Identifier: MIT

import ChainInsight

/// The state of an outline's filter.
package struct FilterState {
    /// Whether there is a filter.
    package let isActive: Bool
    /// Whether nodes are still to be tested, or chains with matches are still to be listed.
    package let isScanning: Bool
    /// The number of matching nodes found so far.
    package let matchCount: Int
    /// A number that changes whenever an answer of ``Outline/isMatch(_:)`` changes.
    package let revision: UInt64
    /// The texts to highlight in labels and call sites.
    package let markedTexts: [Needle]
    /// Whether the query reads warnings, so that ``Outline/setWarnings(_:in:)`` is needed.
    package let readsWarnings: Bool
}
