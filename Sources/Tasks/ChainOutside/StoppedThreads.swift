// SPDX-License-Identifier: MIT

import CChainOutside
import ChainSystem

/// Threads of another process that are stopped, as a debugger stops them: no signal is sent, and the process that started
/// theirs does not notice.
///
/// Only the thread that stopped them may release them. They are released when this value ends, and by the system if
/// chainview is killed. A signal that a thread was about to get is passed on.
struct StoppedThreads: ~Copyable {
    private var stopped: [(thread: Int32, signal: Int32)] = []
    private let start = SystemTime.monotonic

    /// How long a thread is waited for: one that is in an uninterruptible system call stops when that ends.
    private static let limit: UInt64 = 100_000_000

    private init() {}

    deinit { for (thread, signal) in stopped { _ = outside_release(thread, signal) } }

    /// Stops one thread; nil if it ended.
    ///
    /// - Parameter late: gets the thread if it did not stop in time. It will, and has to be released then.
    /// - Throws: if it may not be stopped, or does not stop within 100 ms.
    static func one(_ thread: Int32, of pid: Int32, late: inout [Int32]) throws(OutsideError) -> StoppedThreads? {
        var threads = StoppedThreads()
        try threads.stop([thread], of: pid, late: &late)
        if threads.stopped.isEmpty { return nil }
        return threads
    }

    /// Stops all threads of a process, also those that are started meanwhile. Those that did not stop in time are released
    /// by the system when chainview ends.
    static func all(of pid: Int32) throws(OutsideError) -> StoppedThreads {
        var threads = StoppedThreads()
        var late: [Int32] = []
        var known: Set<Int32> = []
        while true {
            let new = fileNames(in: "/proc/\(pid)/task").compactMap { Int32($0) }.filter { known.insert($0).inserted }
            guard !new.isEmpty else { break }
            try threads.stop(new, of: pid, late: &late)
        }
        return threads
    }

    /// Releases the threads, and returns for how long the first of them was stopped, in nanoseconds.
    consuming func release() -> UInt64 {
        let start = start
        _ = consume self
        return SystemTime.monotonic - start
    }

    /// Releases those threads that have stopped, long after they were asked to.
    static func release(_ late: inout [Int32]) {
        late.removeAll { thread in
            var signal: Int32 = 0
            let result = outside_has_stopped(thread, &signal)
            if result == 1 { _ = outside_release(thread, signal) }
            return result != 0
        }
    }

    private mutating func stop(
        _ threads: [Int32], of pid: Int32, late: inout [Int32]
    ) throws(OutsideError) {
        var pending: [Int32] = []
        for thread in threads {
            switch outside_stop(thread) {
            case 0: pending.append(thread)
            case -ESRCH: continue
            case let code:
                guard let facts = MemoryAccess.facts(of: pid) else { continue }
                throw MemoryAccess.refusal(facts, SystemError(code: -code))
            }
        }
        let deadline = SystemTime.monotonic + Self.limit
        while !pending.isEmpty {
            pending.removeAll { thread in
                var signal: Int32 = 0
                let result = outside_has_stopped(thread, &signal)
                if result == 1 { stopped.append((thread, signal)) }
                return result != 0
            }
            guard let thread = pending.first else { break }
            guard SystemTime.monotonic < deadline else {
                late += pending
                throw OutsideError(
                    .system,
                    "Thread \(thread) of process \(pid) does not stop: it is in a system call that cannot be interrupted; try again"
                )
            }
            SystemThread.sleep(nanoseconds: 50_000)
        }
    }
}

/// The functions on the stack of a thread.
package struct ThreadStack: Hashable, Sendable {
    /// The thread.
    package let thread: Int32
    /// The functions, innermost first. Of the system's threads and of stripped programs they are places in files.
    package let frames: [String]
    /// For how long the thread was stopped, in nanoseconds.
    package let stoppedTime: UInt64
}

/// Reads the addresses on the stack of a thread by the chain of frame pointers, which code of Swift keeps.
enum StackReader {
    /// Bytes of the stack that are read, and the most frames.
    private static let size = 64 << 10, frameLimit = 128
    /// The bit of a frame pointer that marks the frame of an asynchronous function.
    private static let asynchronous: UInt64 = 1 << 60

    /// Stops a thread for as long as its registers and its stack are copied. Nil if it has ended, or if `isWanted` returns
    /// false while it is stopped.
    static func read(
        _ thread: Int32, of pid: Int32, _ memory: ProcessMemory, late: inout [Int32], isWanted: () -> Bool
    ) throws(OutsideError) -> (addresses: [UInt64], stoppedTime: UInt64)? {
        guard let stopped = try StoppedThreads.one(thread, of: pid, late: &late) else { return nil }
        var registers = outside_registers()
        guard isWanted(), outside_read_registers(thread, &registers) == 0 else { return nil }
        let stack = [UInt64](unsafeUninitializedCapacity: size / 8) { buffer, count in
            count = memory.read(registers.stack, into: UnsafeMutableRawBufferPointer(buffer)) / 8
        }
        let time = stopped.release()
        return (addresses(registers, stack), time)
    }

    /// Returns the address of the present instruction, and the return addresses.
    static func addresses(_ registers: outside_registers, _ stack: [UInt64]) -> [UInt64] {
        var addresses = [registers.instruction]
        var frame = registers.frame & ~asynchronous
        while addresses.count < frameLimit, frame & 7 == 0, frame >= registers.stack {
            let index = Int(clamping: (frame - registers.stack) / 8)
            guard index + 1 < stack.count, stack[index + 1] != 0 else { break }
            // A return address points behind the call.
            addresses.append(stack[index + 1] - 1)
            let next = stack[index] & ~asynchronous
            guard next > frame else { break }
            frame = next
        }
        return addresses
    }
}
