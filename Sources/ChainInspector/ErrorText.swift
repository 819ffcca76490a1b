/// The bounded description of an error and of the errors in it. Making it runs the program's code (descriptions): only
/// on the calling thread, with no lock held.
struct ErrorText {
    /// One error of the chain: the error itself first, then its causes.
    struct Part: Equatable {
        var type: String
        /// Nil where texts are excluded.
        var text: String?
        /// 0 for the error itself, 1 for the errors that it holds, and so on.
        var depth: Int
    }

    private(set) var parts: [Part] = []
    /// Whether errors past the limits were left out.
    private(set) var isCut = false

    /// The most errors, and the depth of the search for them.
    static let countLimit = 16
    static let depthLimit = 8

    private var byteCount: Int
    private let includesTexts: Bool

    /// - Parameter byteLimit: how many bytes all texts take together at most, but for the marks of what was cut.
    init(of error: any Error, includesTexts: Bool, byteLimit: Int) {
        byteCount = byteLimit
        self.includesTexts = includesTexts
        add(error, depth: 0)
    }

    private mutating func add(_ error: any Error, depth: Int) {
        guard parts.count < Self.countLimit, depth <= Self.depthLimit else { return isCut = true }
        var part = Part(type: String(reflecting: type(of: error)), text: nil, depth: depth)
        if includesTexts {
            let text = "\(error)".cut(toBytes: max(0, byteCount))
            byteCount -= text.utf8.count
            part.text = text
        }
        parts.append(part)
        addErrors(in: error, depth: depth + 1, nesting: 0)
    }

    /// Adds the errors in a value's stored properties or case: as such, in an optional, or in a collection.
    private mutating func addErrors(in value: Any, depth: Int, nesting: Int) {
        for (number, child) in Mirror(reflecting: value).children.enumerated() {
            guard number < Self.countLimit else { return isCut = true }
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
    /// The text, or its beginning up to a scalar's end, and an ellipsis.
    func cut(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        for shorter in 0..<min(4, limit) {
            if let beginning = String(utf8.prefix(limit - shorter)) { return beginning + "…" }
        }
        return "…"
    }
}
