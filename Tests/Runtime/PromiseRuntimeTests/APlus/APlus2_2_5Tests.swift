/// The clauses of Promises/A+ that a statically typed language cannot express, or guarantees by its types. Each clause
/// that can be broken has a test in this folder.
///
/// - 1.3 "a value is any legal value": a promise has one type of values; those of errors are any `Error`.
/// - 2.2.1.1, 2.2.1.2 handlers that are no functions are ignored: a handler is a function or is left out; what "ignored"
///   means for the child is 2.2.7.3 and 2.2.7.4.
/// - 2.2.5 handlers are called as functions, without `this`: a closure has none.
/// - 2.2.7 `then` takes both handlers: here `then`, `map`, `done`, `catch` and `recover` share that (TheRules, P3).
/// - 2.2.7.3 with a child of another type than the parent: operations that pass a value on (`catch`, `recover`,
///   `failed`) have the parent's type; those that pass an error on may have any.
/// - 2.3.3.1, 2.3.3.2 taking `x.then` once, and a getter that throws: `Thenable` is a protocol, and its one method does
///   not throw and cannot be taken without being called; that it is called once is 2.3.3.
/// - 2.3.3.3 `then` called with two functions, each of which may be called more than once, late, or never: a `Thenable`
///   returns a `Promise`, which settles once; a foreign callback has a `Resolver` (2.1.2.1, 2.1.3.1).
/// - 2.3.3.4, 2.3.4 an `x` that is an object without `then`, or none: only a `Thenable` of the right type can be
///   followed; everything else is a value, by its type, such as a promise in a promise of promises.
enum APlusNotExpressible {}

// SPDX-License-Identifier: MIT
