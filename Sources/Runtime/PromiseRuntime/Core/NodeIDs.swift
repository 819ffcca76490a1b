// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainEvents
import Synchronization

/// The allocator of node ids: a block of ids per thread, so that threads do not contend for a counter at every promise.
enum NodeIDs {
    private static let blockSize: UInt64 = 1024
    private static let nextBlock = Atomic<UInt64>(1)

    static func next() -> NodeID {
        let thread = chain_thread_current()!
        if thread.pointee.next_id == thread.pointee.end_id {
            let block = nextBlock.wrappingAdd(blockSize, ordering: .relaxed).oldValue
            thread.pointee.next_id = block
            thread.pointee.end_id = block + blockSize
        }
        let id = thread.pointee.next_id
        thread.pointee.next_id = id &+ 1
        return NodeID(rawValue: id)
    }
}
