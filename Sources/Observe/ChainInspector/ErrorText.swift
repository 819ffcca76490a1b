// SPDX-License-Identifier: MIT

/// The bounded descriptions of an error and of the errors in it. Must be made with no lock held, because making it runs
/// the program's code (`description`).
struct ErrorText {
    /// The error itself, or one of its causes.
    struct Part: Equatable {
        var type: String
        /// Nil if texts are excluded.
        var text: String?
        /// 0 for the error itself, 1 for the errors that it holds, and so on.
        var depth: Int
    }

    /// The error itself first, then its causes in pre-order.
    private(set) var parts: [Part] = []
    /// Whether errors past the limits were left out.
    private(set) var isCut = false

    /// The most errors, and the most children of one value that are searched for errors.
    static let countLimit = 16
    /// The most children past ``countLimit`` that are searched, to find whether an error was left out.
    static let searchLimit = 256
    /// The greatest depth of an error.
    static let depthLimit = 8

    /// How many bytes the texts that are added later may take.
    private var bytesLeft: Int
    private let includesTexts: Bool

    /// - Parameter byteLimit: the most bytes of all texts together, not counting the ellipses of cut texts.
    init(of error: any Error, includesTexts: Bool, byteLimit: Int) {
        bytesLeft = byteLimit
        self.includesTexts = includesTexts
        add(error, depth: 0)
    }

    private mutating func add(_ error: any Error, depth: Int) {
        guard parts.count < Self.countLimit, depth <= Self.depthLimit else { return isCut = true }
        var part = Part(type: String(reflecting: type(of: error)), text: nil, depth: depth)
        if includesTexts {
            let text = "\(error)".cut(toBytes: max(0, bytesLeft))
            bytesLeft -= text.utf8.count
            part.text = text
        }
        parts.append(part)
        addErrors(in: error, depth: depth + 1, nesting: 0)
    }

    /// Adds the errors in a value's stored properties or associated values. Also adds the errors in up to two levels of
    /// optionals, collections, tuples and enums in these properties. Does not look into objects.
    private mutating func addErrors(in value: Any, depth: Int, nesting: Int) {
        let mirror = Mirror(reflecting: value)
        // Other threads may change the fields of an object, under a lock of the object's own.
        guard mirror.displayStyle != .class else { return }
        // Limited, because a collection may have any number of children.
        let rest = mirror.children.dropFirst(Self.countLimit).prefix(Self.searchLimit)
        if rest.contains(where: { $0.value is any Error }) { isCut = true }
        for child in mirror.children.prefix(Self.countLimit) {
            if let error = child.value as? any Error {
                add(error, depth: depth)
            } else if nesting < 2 {
                switch Mirror(reflecting: child.value).displayStyle {
                case .collection, .dictionary, .tuple, .enum, .optional:
                    addErrors(in: child.value, depth: depth, nesting: nesting + 1)
                default: break
                }
            }
        }
    }
}

extension String {
    /// Returns the text. A text of more than `limit` bytes is cut between scalars, and ends with an ellipsis.
    func cut(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        for shorter in 0..<min(4, max(0, limit)) {
            if let beginning = String(utf8.prefix(limit - shorter)) { return beginning + "…" }
        }
        return "…"
    }
}
