// SPDX-License-Identifier: MIT

import CChainTasks
import ChainEvents
import ChainSystem

/// The functions in which suspended tasks continue, kept for as long as the program runs.
enum TaskFrame {
    private static let cache = Lock<[UInt: StackFunction]>([:])

    static func lockForFork() { cache.lockForFork() }
    static func unlockAfterFork() { cache.unlockAfterFork() }

    /// Returns the function at an address. The first look-up of an address takes some milliseconds, because symbols are
    /// read from the image's file.
    static func at(_ address: UnsafeRawPointer) -> StackFunction {
        let key = UInt(bitPattern: address)
        if let known = cache.withLock({ $0[key] }) { return known }
        let (symbol, isScarce) = FunctionName.symbol(at: address)
        let found =
            symbol.map { StackFunction(symbol: $0) }
            ?? StackFunction(name: FunctionName.ofPlace(address), isOfSystem: false)
        // Not kept if the system may have descriptors and memory again later.
        if !isScarce { cache.withLock { $0[key] = found } }
        return found
    }
}

extension chain_task_view {
    /// The functions in which the task continues, innermost first, as ``StackFunction/named(_:)`` returns them.
    var stack: [StackFunction.Named] {
        withUnsafeBytes(of: frames) { bytes in
            StackFunction.named(bytes.bindMemory(to: UnsafeRawPointer?.self).compactMap { $0.map(TaskFrame.at) })
        }
    }
}

/// A ``FrameReading`` that is filled task by task.
struct FrameCollection {
    private(set) var reading = FrameReading(time: 0)
    /// By the addresses of its frames, the index of a stack.
    private var known: [[UInt]: UInt32] = [:]

    mutating func add(_ view: chain_task_view) {
        reading.readCount += 1
        guard Int(view.state) == CHAIN_TASK_SUSPENDED else { return }
        let addresses = withUnsafeBytes(of: view.frames) { Array($0.bindMemory(to: UInt.self)) }
        let stack: UInt32
        if let known = known[addresses] { stack = known } else { stack = index(of: view.stack) }
        known[addresses] = stack
        reading.entries.append(FrameReading.Entry(node: NodeID(view.node), stack: stack))
    }

    /// Adds a stack without the leading functions of Swift's own libraries and chainview's, and returns its index.
    private mutating func index(of stack: [StackFunction.Named]) -> UInt32 {
        reading.stacks.append(StackFunction.text(of: stack))
        return UInt32(reading.stacks.count - 1)
    }

    mutating func setCounts(taskCount: Int, partCount: Int) {
        (reading.taskCount, reading.partCount) = (UInt32(clamping: taskCount), UInt32(partCount))
    }
}
