import ChainBus
import Testing

/// Streams as asynchronous sequences.
@Suite struct StreamValuesTests {
    private struct Failure: Error, Equatable {}

    @Test func elementsFromTheCallOnComeInOrderAndThenTheEnd() async throws {
        let subject = PublishSubject<Int>()
        subject.onNext(0)
        let values = subject.values()
        for number in 1...3 { subject.onNext(number) }
        subject.onCompleted()
        var seen: [Int] = []
        for try await value in values { seen.append(value) }
        #expect(seen == [1, 2, 3])
    }

    @Test func anErrorComesAfterTheElements() async {
        let subject = ReplaySubject<Int>(limit: 2)
        subject.onNext(1)
        subject.onNext(2)
        subject.onError(Failure())
        var seen: [Int] = []
        await #expect(throws: Failure.self) {
            for try await value in subject.values() { seen.append(value) }
        }
        #expect(seen == [1, 2])
    }

    @Test func elementsThatFindTheBufferFullAreDroppedAndReported() async throws {
        let subject = PublishSubject<Int>()
        let dropped = Log<Int>()
        let values = subject.values(bufferLimit: 2, onDropped: { dropped.add($0) })
        for number in 1...5 { subject.onNext(number) }
        subject.onCompleted()
        var seen: [Int] = []
        for try await value in values { seen.append(value) }
        #expect(seen == [1, 2])
        #expect(dropped.entries == [3, 4, 5])
    }

    @Test func theSubscriptionEndsWithTheTaskOrTheSequence() async throws {
        let subject = PublishSubject<Int>()
        let elements = subject.values()
        subject.onNext(1)
        try await Task {
            for try await _ in elements { withUnsafeCurrentTask { $0?.cancel() } }
        }.value
        #expect(subject.subscriberCount == 0)
        var values: AsyncThrowingStream<Int, any Error>? = subject.values()
        #expect(values != nil && subject.subscriberCount == 1)
        values = nil
        #expect(subject.subscriberCount == 0)
    }
}

// SPDX-License-Identifier: MIT
