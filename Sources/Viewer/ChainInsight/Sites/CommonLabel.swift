// SPDX-License-Identifier: MIT

/// What labels have in common: `order` of `order 17` and `order 18`.
struct CommonLabel: Hashable, Sendable {
    /// The label if all labels are the same, else their common beginning up to its last letter. Characters after the
    /// first 64 are ignored. Nil without labels, empty if the labels have nothing in common.
    private(set) var text: String?

    /// The maximum number of characters that are compared.
    private static let limit = 64

    mutating func add(_ label: String) {
        guard let old = text else {
            text = String(label.prefix(Self.limit))
            return
        }
        guard !old.isEmpty, old != label else { return }
        var common = zip(old, label).prefix { $0 == $1 }.map { $0.0 }
        guard common.count < old.count || common.count < label.prefix(Self.limit).count else { return }
        while let end = common.last, !end.isLetter { common.removeLast() }
        text = String(common)
    }
}
