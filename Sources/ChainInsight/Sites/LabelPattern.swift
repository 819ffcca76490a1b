/// What labels have in common: `order` of `order 17` and `order 18`.
struct LabelPattern: Hashable, Sendable {
    /// The common beginning, without digits and signs at its end; nil without labels, empty where they differ.
    private(set) var text: String?

    /// Characters that are compared.
    private static let limit = 64

    mutating func add(_ label: String) {
        guard let old = text else {
            text = String(label.prefix(Self.limit))
            return
        }
        guard !old.isEmpty, old != label else { return }
        var common = zip(old, label).prefix { $0 == $1 }.map { $0.0 }
        guard common.count < old.count else { return }
        while let end = common.last, !end.isLetter { common.removeLast() }
        text = String(common)
    }
}
