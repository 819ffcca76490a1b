// SPDX-License-Identifier: MIT

/// A function that writes a piece of text: to a file, to standard output, or in a test.
package typealias TextOutput = (String) throws -> Void
