// SPDX-License-Identifier: MIT

/// An event of a stream, which obeys the grammar `next* (error | completed)?`.
public enum StreamEvent<Element: Sendable>: Sendable {
    /// One element.
    case next(Element)
    /// The stream failed; nothing follows.
    case error(any Error)
    /// The stream ended; nothing follows.
    case completed

    /// The element of a ``next(_:)``, else nil.
    @inlinable
    public var element: Element? {
        if case .next(let element) = self { element } else { nil }
    }

    /// Whether the event is an error or a completion, so that nothing follows.
    @inlinable
    public var isTerminal: Bool {
        if case .next = self { false } else { true }
    }
}

extension StreamEvent: Equatable where Element: Equatable {
    /// Compares elements; any two errors are equal, because errors cannot be compared.
    @inlinable
    public static func == (left: StreamEvent, right: StreamEvent) -> Bool {
        switch (left, right) {
        case (.next(let left), .next(let right)): left == right
        case (.error, .error), (.completed, .completed): true
        default: false
        }
    }
}
