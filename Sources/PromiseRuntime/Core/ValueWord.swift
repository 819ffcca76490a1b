/// One value of any type in one word, which only its users know: the bits of what fits, or a box for what does not.
///
/// Why: a stored property of a generic type makes every deinit of a class look up metadata, some 100 ns a promise; a
/// word costs nothing where the value owns nothing (DESIGN §13). Who encodes a value destroys it, once.
@usableFromInline
enum ValueWord {
    /// Whether values of a type stand in the word itself.
    @inlinable @inline(__always)
    static func fits<Value>(_ type: Value.Type) -> Bool {
        MemoryLayout<Value>.size <= MemoryLayout<UInt>.size
            && MemoryLayout<Value>.alignment <= MemoryLayout<UInt>.alignment
    }

    /// Whether there is nothing to do when a value of the type is destroyed.
    @inlinable @inline(__always)
    static func needsNoDestroy<Value>(_ type: Value.Type) -> Bool { fits(type) && _isPOD(type) }

    /// The word of a value, which owns it. (The type is named because an `any Error` given alone would be opened.)
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

    /// A copy of the value that was encoded as this type.
    @inlinable @inline(__always)
    static func load<Value>(_ word: UInt, as type: Value.Type) -> Value {
        guard fits(type) else { return box(word, of: type).takeUnretainedValue().value }
        return withUnsafeBytes(of: word) { $0.baseAddress!.assumingMemoryBound(to: type).pointee }
    }

    /// Gives back what a word owns that was encoded as this type.
    @inlinable @inline(__always)
    static func destroy<Value>(_ word: UInt, as type: Value.Type) {
        guard fits(type) else { return box(word, of: type).release() }
        var word = word
        _ = withUnsafeMutableBytes(of: &word) { $0.baseAddress!.assumingMemoryBound(to: type).move() }
    }

    @inlinable
    static func box<Value>(_ word: UInt, of type: Value.Type) -> Unmanaged<ValueBox<Value>> {
        Unmanaged.fromOpaque(UnsafeRawPointer(bitPattern: word)!)
    }
}

/// Holds a value that is larger than a word.
@usableFromInline
final class ValueBox<Value> {
    @usableFromInline let value: Value

    @inlinable
    init(_ value: Value) { self.value = value }
}
