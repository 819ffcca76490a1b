import ChainSystem
import Foundation
import Testing

struct DescriptorTests {
    private func received(by descriptor: Descriptor) -> [UInt8]? {
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            guard case .moved(let count) = descriptor.receive(into: buffer) else { return nil }
            return Array(buffer[..<count])
        }
    }

    @Test func whatOneEndSendsTheOtherReceives() throws {
        let (left, right) = try Descriptor.pair()
        #expect(received(by: right) == nil)
        let bytes: [UInt8] = [1, 2, 3]
        guard case .moved(3) = bytes.withUnsafeBytes({ left.send($0) }) else { throw SystemError() }
        #expect(received(by: right) == bytes)
        #expect(left.peerUser == geteuid() && left.peerProcess == getpid() && left.connectionError == nil)
        left.endSending()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 8, alignment: 1)
        defer { buffer.deallocate() }
        guard case .end = right.receive(into: buffer) else { throw SystemError() }
    }

    @Test func aClosedDescriptorIsClosedOnce() throws {
        // Several attempts, because another test may take the number.
        for _ in 0..<1_000 {
            let (left, right) = try Descriptor.pair()
            let number = left.number
            left.close()
            #expect(left.number == -1 && right.number >= 0)
            // A new descriptor gets the number, which a second close leaves alone.
            let (other, _) = try Descriptor.pair()
            left.close()
            #expect(fcntl(other.number, F_GETFD) == FD_CLOEXEC)
            if other.number == number { return }
        }
        Issue.record("no number was used again")
    }

    @Test func aWakerStaysReadableUntilCleared() throws {
        let waker = try Waker()
        func isReadable() -> Bool {
            var entry = waker.pollEntry
            return poll(&entry, 1, 0) == 1
        }
        #expect(!isReadable())
        waker.wake()
        waker.wake()
        #expect(isReadable() && isReadable())
        waker.clear()
        #expect(!isReadable())
        waker.wake()
        #expect(isReadable())
        waker.close()
        waker.wake()
    }

    @Test func theDelaysDoubleUpToTheLimit() {
        var backoff = ExponentialBackoff(first: 100, limit: 500)
        #expect((0..<5).map { _ in backoff.next() } == [100, 200, 400, 500, 500])
        backoff.reset()
        #expect(backoff.next() == 100)
    }
}

// SPDX-License-Identifier: MIT
