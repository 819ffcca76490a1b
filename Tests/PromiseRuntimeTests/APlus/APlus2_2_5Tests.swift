/// What Promises/A+ asks that a statically typed language cannot say, or says by itself. Each clause that can be broken
/// has a test in this folder.
///
/// - 1.3 "a value is any legal value": a promise has one type of values; those of errors are any `Error`.
/// - 2.2.1.1, 2.2.1.2 handlers that are no functions are ignored: a handler is a function or is left out; what "ignored"
///   means for the child is 2.2.7.3 and 2.2.7.4.
/// - 2.2.5 handlers are called as functions, without `this`: a closure has none.
/// - 2.2.7 `then` takes both handlers: `then`, `map`, `done`, `catch` and `recover` are it together (TheRules, P3).
/// - 2.2.7.3 with a child of another type than the parent: what passes a value on (`catch`, `recover`, `failed`) has the
///   parent's type; what passes an error on may have any.
/// - 2.3.3.1, 2.3.3.2 taking `x.then` once, and a getter that throws: `Thenable` says by its type that it can be followed,
///   and its one method neither throws nor is taken without being called; that it is asked once is 2.3.3.
/// - 2.3.3.3 `then` called with two functions, each of which may be called more than once, late, or never, with whatever:
///   a `Thenable` gives a `Promise`, which settles once; of a foreign callback a `Resolver` takes care (2.1.2.1, 2.1.3.1).
/// - 2.3.3.4, 2.3.4 an `x` that is an object without `then`, or none: only what is a `Thenable` of the right type can be
///   followed; everything else is a value, by type, which a promise as a value of a promise is, too.
enum APlusNotSayable {}
