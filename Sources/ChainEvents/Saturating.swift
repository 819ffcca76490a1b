/// Arithmetic on numbers that another process sent: past the edge of the range it stays at the edge.
extension UInt64 {
    /// The sum, or the greatest number.
    @inlinable
    package func addingClamped(_ other: UInt64) -> UInt64 {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }

    /// The difference, or 0.
    @inlinable
    package func subtractingClamped(_ other: UInt64) -> UInt64 { self > other ? self - other : 0 }

    /// The product, or the greatest number.
    @inlinable
    package func multipliedClamped(by other: UInt64) -> UInt64 {
        let (product, overflows) = multipliedReportingOverflow(by: other)
        return overflows ? .max : product
    }
}
