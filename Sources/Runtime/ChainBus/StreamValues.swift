// SPDX-License-Identifier: MIT

extension Subscribable {
    /// Returns the elements from this call on as an asynchronous sequence. Elements that come before the loop begins,
    /// or faster than it runs, are buffered up to a limit.
    ///
    ///     for try await batch in batches.values(bufferLimit: 100) { send(batch) }
    ///
    /// The sequence delivers the buffered elements first. It ends when the stream completes, or throws the stream's
    /// error. The subscription ends when the loop's task is cancelled, or when the sequence is released. Use one loop:
    /// a second loop that waits at the same time is a programming error, at which the process may trap.
    ///
    /// - Parameters:
    ///   - bufferLimit: The maximum number of buffered elements, at least 1. An element that finds the buffer full is
    ///     dropped.
    ///   - onDropped: Called with each dropped element, on the emitting thread; it must be short and must not block.
    public func values(
        bufferLimit: Int = 1_024, onDropped: @escaping @Sendable (Element) -> Void = { _ in }
    ) -> AsyncThrowingStream<Element, any Error> {
        precondition(bufferLimit >= 1, "A buffer holds at least one element; its limit is \(bufferLimit)")
        let (stream, continuation) = AsyncThrowingStream<Element, any Error>.makeStream(
            bufferingPolicy: .bufferingOldest(bufferLimit))
        let subscription = subscribe(
            onNext: { element in
                if case .dropped(let element) = continuation.yield(element) { onDropped(element) }
            },
            onError: { continuation.finish(throwing: $0) },
            onCompleted: { continuation.finish() })
        continuation.onTermination = { _ in subscription.dispose() }
        return stream
    }
}
