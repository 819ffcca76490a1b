// A user's own module, with names that a library of promises might use. In a file that imports both, a name that
// PromiseRuntime declares publicly, too, is ambiguous.

/// A type of the user's program.
public enum Resolve {}
/// A type of the user's program.
public enum Completion {}
/// A type of the user's program.
public enum Store {}
/// A type of the user's program.
public enum Runtime {}

/// A function of the user's program.
public func launch() -> Int { 1 }

// SPDX-License-Identifier: MIT
