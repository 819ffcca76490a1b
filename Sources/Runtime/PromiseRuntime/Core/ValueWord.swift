// SPDX-License-Identifier: MIT

import CChainRuntime

/// One value of any type in one word: the bits of a value that fits, or a box for a larger value. Only the code that
/// uses the word knows the type. Each encoded value is destroyed once.
///
/// Why a word: a stored property of a generic type makes every deinit of a class look up metadata, some 100 ns per
/// promise. Destroying a word costs nothing if the value fits in the word and owns nothing.
///
/// Why `chain_launder`: without it the optimiser replaces the load from memory by a cast of the integer to a reference.
/// An integer has no reference count, so the optimiser then drops the retain or release of the result. A pointer from
/// an opaque function keeps the typed access to memory. Plain bits need no such function.
@usableFromInline
enum ValueWord {
    /// Returns whether values of a type are stored in the word itself.
    @inlinable @inline(__always)
    static func fits<Value>(_ type: Value.Type) -> Bool {
        MemoryLayout<Value>.size <= MemoryLayout<UInt>.size
            && MemoryLayout<Value>.alignment <= MemoryLayout<UInt>.alignment
    }

    /// Returns whether destroying a value of the type does nothing.
    @inlinable @inline(__always)
    static func needsNoDestroy<Value>(_ type: Value.Type) -> Bool { fits(type) && _isPOD(type) }

    /// Encodes a value in a word, which owns it. (The type is a parameter, because without it an `any Error` would be
    /// opened to its concrete type.)
    @inlinable @inline(__always)
    static func encode<Value>(_ value: Value, as type: Value.Type) -> UInt {
        guard fits(type) else {
            return UInt(bitPattern: Unmanaged.passRetained(ValueBox<Value>(value)).toOpaque())
        }
        var word: UInt = 0
        withUnsafeMutableBytes(of: &word) {
            _ = $0.baseAddress!.initializeMemory(as: type, repeating: value, count: 1)
        }
        return word
    }

    /// Returns a copy of the value that was encoded as this type.
    @inlinable @inline(__always)
    static func load<Value>(_ word: UInt, as type: Value.Type) -> Value {
        guard fits(type) else { return box(word, of: type).takeUnretainedValue().value }
        if _isPOD(type) { return withUnsafeBytes(of: word) { $0.baseAddress!.assumingMemoryBound(to: type).pointee } }
        var word = word
        return withUnsafeMutableBytes(of: &word) {
            chain_launder($0.baseAddress!).assumingMemoryBound(to: type).pointee
        }
    }

    /// Destroys the value that was encoded as this type.
    @inlinable @inline(__always)
    static func destroy<Value>(_ word: UInt, as type: Value.Type) {
        guard fits(type) else { return box(word, of: type).release() }
        if _isPOD(type) { return }
        var word = word
        withUnsafeMutableBytes(of: &word) {
            _ = chain_launder($0.baseAddress!).assumingMemoryBound(to: type).deinitialize(count: 1)
        }
    }

    @inlinable
    static func box<Value>(_ word: UInt, of type: Value.Type) -> Unmanaged<ValueBox<Value>> {
        Unmanaged.fromOpaque(UnsafeRawPointer(bitPattern: word)!)
    }
}

/// A box for a value that does not fit in a word.
@usableFromInline
final class ValueBox<Value> {
    @usableFromInline let value: Value

    @inlinable
    init(_ value: Value) { self.value = value }
}
