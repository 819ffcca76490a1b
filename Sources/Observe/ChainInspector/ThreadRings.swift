// SPDX-License-Identifier: MIT

import CChainRuntime

/// The calling thread's rings, one for each recorder: a linked list that begins at the thread's record, the last used
/// ring first.
enum ThreadRings {
    /// Registers the release of the thread's rings at the end of the thread; returns false where the system has no
    /// destructor left.
    static func arm() -> Bool {
        chain_thread_release_ring_at_exit { first in
            var next = first?.assumingMemoryBound(to: RingHeader.self)
            while let header = next {
                next = header.pointee.next
                Ring(header: header).release(RingHeader.Holder.thread)
            }
        }
    }

    /// Returns the ring of the recorder with that number, moved to the front; nil where there is none. Releases the
    /// rings of ended recorders.
    static func current(of number: UInt64) -> Ring? {
        let thread = chain_thread_current()!
        var found: Ring?
        var last: UnsafeMutablePointer<RingHeader>?
        var next = thread.pointee.ring?.assumingMemoryBound(to: RingHeader.self)
        while let header = next {
            next = header.pointee.next
            let ring = Ring(header: header)
            let isFound = header.pointee.owner == number
            guard isFound || ring.isClosed else {
                last = header
                continue
            }
            if let last { last.pointee.next = next } else { thread.pointee.ring = UnsafeMutableRawPointer(next) }
            if isFound { found = ring } else { ring.release(RingHeader.Holder.thread) }
        }
        if let found { add(found) }
        return found
    }

    /// Adds a ring at the front.
    static func add(_ ring: Ring) {
        let thread = chain_thread_current()!
        ring.header.pointee.next = thread.pointee.ring?.assumingMemoryBound(to: RingHeader.self)
        thread.pointee.ring = UnsafeMutableRawPointer(ring.header)
    }
}
