// SPDX-License-Identifier: MIT

import CChainTasks
import ChainEvents
import ChainSystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A function of the program by name, kept for as long as the program runs.
final class TaskCode: Sendable {
    /// The call site of its tasks: the name, such as `closure #1 in order(Int)`, in place of a file, and line 0.
    let site: CallSite
    /// Whether it is the program's main function.
    let isMain: Bool

    private init(name: String, isMain: Bool) {
        self.isMain = isMain
        let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: name.utf8.count + 1)
        for (index, byte) in name.utf8.enumerated() { copy[index] = byte }
        copy[name.utf8.count] = 0
        site = CallSite(filePointer: copy, line: 0)
    }

    /// What is known of an address.
    private enum Known {
        case named(TaskCode)
        /// A thunk: the task's code is the code of a closure that the thunk's context captures.
        case thunk
        case unknown
    }

    private static let cache = Lock<[UInt: Known]>([:])

    // The locks are held over each fork, because a child could not take them from a thread that the child does not have.
    static func lockForFork() {
        cache.lockForFork()
        TaskFrame.lockForFork()
    }
    static func unlockAfterFork() {
        TaskFrame.unlockAfterFork()
        cache.unlockAfterFork()
    }

    /// Returns the code that a task runs: the function of the async function pointer `entry`, or, if `entry` is nil,
    /// the function at `address`. If that function is a thunk, returns the code of the closure that the thunk's context
    /// `closure` captures.
    ///
    /// Cost: one look-up. The first look-up of each function takes some milliseconds, because symbols are read from the
    /// image's file.
    static func of(entry: UnsafeRawPointer?, closure: UnsafeRawPointer?, address: UnsafeRawPointer?) -> TaskCode? {
        guard let key = entry ?? address else { return nil }
        switch known(at: key, isEntry: entry != nil) {
        case .named(let code): return code
        case .unknown: return nil
        case .thunk:
            guard let closure else { return nil }
            return closureInside(closure)
        }
    }

    /// Returns the code of the closure that a thunk's context captures: the first async function pointer in it.
    private static func closureInside(_ context: UnsafeRawPointer) -> TaskCode? {
        withUnsafeTemporaryAllocation(of: UInt.self, capacity: 4) { words in
            for word in words.prefix(chain_context_words(context, words.baseAddress!)) {
                guard let pointer = UnsafeRawPointer(bitPattern: word), word & 3 == 0 else { continue }
                // A new pointer is looked for in the images; a known pointer is not, because the search takes a
                // microsecond.
                let isKnown = cache.withLock { $0[word] != nil }
                guard isKnown || chain_image_base(pointer) != nil else { continue }
                if case .named(let code) = known(at: pointer, isEntry: true) { return code }
            }
            return nil
        }
    }

    private static func meaning(of symbol: String, isEntry: Bool) -> Known {
        let isThunk = FunctionName.isThunk(symbol)
        guard !isEntry || symbol.hasSuffix("Tu") || isThunk else { return .unknown }
        // The optimizer makes a copy of a thunk for the closure that it calls.
        let name = isThunk ? FunctionName.ofSpecializedThunk(symbol) : FunctionName.demangled(symbol)
        guard let name else { return isThunk ? .thunk : .unknown }
        return .named(TaskCode(name: name, isMain: name == FunctionName.main))
    }

    private static func known(at key: UnsafeRawPointer, isEntry: Bool) -> Known {
        let number = UInt(bitPattern: key)
        if let found = cache.withLock({ $0[number] }) { return found }
        let (symbol, isScarce) = FunctionName.symbol(at: key)
        // The result is not kept, because the system may have descriptors and memory again at the next task.
        if isScarce { return .unknown }
        let result = symbol.map { meaning(of: $0, isEntry: isEntry) } ?? .unknown
        return cache.withLock { cache in
            // Another thread may have been first; its result stays.
            if let other = cache[number] { return other }
            cache[number] = result
            return result
        }
    }
}

extension FunctionName {
    /// Returns the mangled symbol at an address; nil if it is missing or cannot be read. `isScarce` is whether the
    /// system has too few descriptors or too little memory to read it.
    static func symbol(at address: UnsafeRawPointer) -> (text: String?, isScarce: Bool) {
        // The program makes a task here, and may read `errno` afterwards.
        let saved = errno
        defer { errno = saved }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
            guard chain_symbol_name(address, buffer.baseAddress!, buffer.count) else {
                return (nil, [EMFILE, ENFILE, ENOMEM].contains(errno))
            }
            return (String(cString: buffer.baseAddress!), false)
        }
    }

    /// Returns the place of an address in its image: `shop+0x2f40`; nil if no image contains the address.
    static func ofPlace(_ address: UnsafeRawPointer) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
            chain_address_name(address, buffer.baseAddress!, buffer.count) ? String(cString: buffer.baseAddress!) : nil
        }
    }
}
