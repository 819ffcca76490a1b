// SPDX-License-Identifier: MIT

/// Saturating arithmetic, for numbers from another process.
extension UInt64 {
    /// Returns the sum, clamped to the range.
    @inlinable
    package func addingClamped(_ other: UInt64) -> UInt64 {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }

    /// Returns the difference, or 0.
    @inlinable
    package func subtractingClamped(_ other: UInt64) -> UInt64 { self > other ? self - other : 0 }

    /// Returns the product, clamped to the range.
    @inlinable
    package func multipliedClamped(by other: UInt64) -> UInt64 {
        let (product, overflows) = multipliedReportingOverflow(by: other)
        return overflows ? .max : product
    }
}
