// SPDX-License-Identifier: MIT

import CChainRuntime

/// Storage for one handler of any type: two words, as a closure has, or a box for a larger handler. Only the code that
/// uses the slot knows the type. The slot is untyped, and is read through `chain_launder`, for the reasons given at
/// ``ValueWord``. Each stored handler is destroyed once.
@usableFromInline
struct RawSlot {
    @usableFromInline var words: (UInt, UInt) = (0, 0)

    @inlinable
    init() {}

    /// Returns whether values of a type are stored in the slot itself.
    @inlinable
    static func fits<Value>(_ type: Value.Type) -> Bool {
        MemoryLayout<Value>.size <= MemoryLayout<(UInt, UInt)>.size
            && MemoryLayout<Value>.alignment <= MemoryLayout<UInt>.alignment
    }

    /// Whether there is nothing to release: the slot is empty, or holds a plain value of one word, or a closure without
    /// captures. In each of these cases the second word is 0.
    @inline(__always)
    var isTrivial: Bool { words.1 == 0 }

    /// Stores a value; the slot must be empty.
    @inlinable
    mutating func store<Value>(_ value: Value) {
        if Self.fits(Value.self) {
            withUnsafeMutableBytes(of: &words) {
                _ = $0.baseAddress!.initializeMemory(as: Value.self, repeating: value, count: 1)
            }
            // A value of one word leaves the second word free: 1 there marks a value that has to be released.
            if MemoryLayout<Value>.size <= MemoryLayout<UInt>.size, !_isPOD(Value.self) { words.1 = 1 }
        } else {
            words = (UInt(bitPattern: Unmanaged.passRetained(ValueBox(value)).toOpaque()), 1)
        }
    }

    /// Returns a copy of the value that was stored as this type.
    @inlinable
    func load<Value>(as type: Value.Type) -> Value {
        if Self.fits(type) {
            var words = words
            return withUnsafeMutableBytes(of: &words) {
                chain_launder($0.baseAddress!).assumingMemoryBound(to: type).pointee
            }
        }
        return box(of: type).takeUnretainedValue().value
    }

    /// Destroys the value that was stored as this type.
    @inlinable
    mutating func destroy<Value>(_ type: Value.Type) {
        if Self.fits(type) {
            withUnsafeMutableBytes(of: &words) {
                _ = chain_launder($0.baseAddress!).assumingMemoryBound(to: type).deinitialize(count: 1)
            }
        } else {
            box(of: type).release()
        }
    }

    @inlinable
    func box<Value>(of type: Value.Type) -> Unmanaged<ValueBox<Value>> {
        Unmanaged.fromOpaque(UnsafeRawPointer(bitPattern: words.0)!)
    }
}
