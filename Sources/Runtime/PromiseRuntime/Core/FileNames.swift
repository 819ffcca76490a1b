// SPDX-License-Identifier: MIT

import ChainSystem

/// File names as C strings that live as long as the program, because call sites point to them.
package enum FileNames {
    struct Table: @unchecked Sendable {
        // Sendable: the strings are never changed nor freed.
        fileprivate var pointers: [String: UnsafePointer<UInt8>] = [:]
    }

    /// Locked during each fork.
    static let table = Lock(Table())
    /// The maximum number of names that are kept. Further names get no C string, so that generated names take no more
    /// memory.
    private static let limit = 10_000

    /// Returns the name as a C string; nil for a new name once 10,000 names are kept. Takes one short lock.
    package static func pointer(to name: String) -> UnsafePointer<UInt8>? {
        table.withLock { table in
            if let known = table.pointers[name] { return known }
            guard table.pointers.count < limit else { return nil }
            let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: name.utf8.count + 1)
            _ = bytes.initialize(from: Array(name.utf8) + [0])
            let pointer = UnsafePointer(bytes.baseAddress!)
            table.pointers[name] = pointer
            return pointer
        }
    }
}
