import ChainEvents
import Testing

@testable import ChainWire

/// What follows the events of a batch.
struct BatchSectionTests {
    private let batch: EventBatch = {
        var batch = EventBatch(process: Samples.process, sequence: 1, time: 2)
        batch.frames = FrameReading(
            time: 3, stacks: ["reserve()"], entries: [FrameReading.Entry(node: NodeID(7), stack: 0)])
        return batch
    }()

    /// Returns the stream of the batch, with `bytes` after it in its message.
    private func stream(appending bytes: [UInt8]) throws -> [UInt8] {
        var stream = try ChainWireTests.stream([.batch(batch)])
        stream[Wire.preambleSize] += UInt8(bytes.count)
        return stream + bytes
    }

    private func section(_ kind: UInt32, size: UInt32, _ bytes: [UInt8]) -> [UInt8] {
        LaterVersion.bytes(kind) + LaterVersion.bytes(size) + bytes
    }

    @Test func unknownSectionsAreSkipped() throws {
        for bytes in [section(9, size: 2, [1, 2]), section(9, size: 1_000, [1, 2]), [1, 2, 3]] {
            #expect(try messages(of: stream(appending: bytes)) == [.batch(batch)])
        }
        var other = batch
        other.frames = FrameReading(time: 0)
        let empty = section(1, size: 28, [UInt8](repeating: 0, count: 28))
        #expect(try messages(of: stream(appending: section(9, size: 2, [1, 2]) + empty)) == [.batch(other)])
    }

    @Test func aSectionThatIsTooLongIsDamage() throws {
        #expect(throws: WireError.self) {
            try messages(of: stream(appending: section(1, size: 1_000, [1, 2])))
        }
    }

    /// The number of nodes comes before the sections, and can be unknown.
    @Test(arguments: [nil, 0, 77] as [UInt64?])
    func theBeginningOfAStateCanHaveFrames(count: UInt64?) throws {
        var begin = batch
        (begin.resync, begin.stateNodeCount) = (.begin(epoch: 1), count)
        #expect(try messages(of: ChainWireTests.stream([.batch(begin)])) == [.batch(begin)])
    }
}

// SPDX-License-Identifier: MIT
