import ChainModel
import Testing

@testable import ChainRows

@Suite struct ExpiryQueueTests {
    @Test func nodesThatMatchLaterAreListedOnce() {
        var queue = ExpiryQueue()
        for round in 0..<100 as Range<UInt64> {
            for node in 0..<1_000 as Range<UInt32> {
                queue.enqueue(NodeIndex(rawValue: node), until: (10_000 + round) * ExpiryQueue.unit)
                queue.forget(NodeIndex(rawValue: node))
            }
            #expect(queue.count <= queue.limit)
        }
        for node in 0..<5 as Range<UInt32> { queue.enqueue(NodeIndex(rawValue: node), until: 7 * ExpiryQueue.unit) }
        var due: [NodeIndex] = []
        queue.take(upTo: 7, into: &due)
        #expect(due.map(\.rawValue).sorted() == [0, 1, 2, 3, 4])
        queue.take(upTo: 20_000, into: &due)
        #expect(due.count == 5 && queue.count == 0)
    }
}
