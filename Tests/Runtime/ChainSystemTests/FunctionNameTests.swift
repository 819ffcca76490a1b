import ChainSystem
import Testing

/// Names of functions, shortened for a row.
struct FunctionNameTests {
    @Test(arguments: [
        (
            "partial apply forwarder for closure #1 @Sendable () async -> Swift.Int in shop.order(Swift.Int) async -> Swift.String",
            "closure #1 in order(Int)"
        ),
        ("(3) await resume partial function for static shop.Main.main() async throws -> ()", "Main.main()"),
        ("shop.Till.(charge in _D4DC4AF8BE)(Swift.Int) async -> Swift.Int", "Till.charge(Int)"),
        (
            "implicit closure #2 () async -> Swift.Double in closure #1 (inout Swift.TaskGroup<Swift.Int>) async -> () in shop.a(_: () -> ()) -> ()",
            "implicit closure #1.2 in a(_: () -> ())"
        ),
        (
            "(1) suspend resume partial function for (extension in Swift):Swift.Clock.now(for: A.Duration) async throws -> ()",
            "Clock.now(for: A.Duration)"
        ),
        (
            "Swift.withTaskGroup<A, B where A: Swift.Sendable>(of: A.Type, returning: B.Type, body: (inout Swift.TaskGroup<A>) async -> B) async -> B",
            "withTaskGroup(…)"
        ),
        (
            "closure #1 @Sendable () async -> () in closure #3 (A) -> () in closure #2 () -> () in inner #1 () -> () in shop.run() -> ()",
            "closure #2.3.1 in inner #1 () in run()"
        ),
        ("generic specialization <Swift.Int> of shop.Box.get<A>(A) async -> A", "Box.get(A)"),
        ("shop.retry<A>(_: () async -> A) async -> A", "retry(_: () async -> A)"),
        ("shop.put<A>(_: Swift.Set<A>) async -> ()", "put(_: Set<A>)"),
        (
            "protocol witness for shop.Store.get() async -> () in conformance shop.Disk : shop.Store in shop",
            "Store.get()"
        ),
    ])
    func namesAreShort(demangled: String, short: String) { #expect(FunctionName.short(demangled) == short) }

    @Test(arguments: [
        ("shop.order(Swift.Int) async throws -> Swift.String", false),
        ("static (extension in Swift):Swift.Task<>.sl\("eep")(for: Swift.Duration) async throws -> ()", true),
        ("(extension in shop):Swift.Array.total() async -> Swift.Int", false),
        ("(2) await resume partial function for Swift.AsyncStream.Iterator.next() async -> A?", true),
        ("closure #1 () async -> () in Swift.withTaskGroup<A, B>(of: A.Type) async -> B", true),
        ("PromiseRuntime.Promise.value.getter : A", true), ("main", false),
        (
            "protocol witness for static Swift.Clock.now() async -> () in conformance Swift.ContinuousClock : Swift.Clock in Swift",
            true
        ),
        ("protocol witness for shop.Store.get() async -> () in conformance shop.Disk : shop.Store in shop", false),
    ])
    func functionsOfSwiftAreKnown(demangled: String, isOfSystem: Bool) {
        #expect(FunctionName.isOfSystem(demangled) == isOfSystem)
    }

    /// As in optimised programs.
    @Test(arguments: [
        ("$sIetH_yts5Error_pIegHrzo_TR10async_MainTf3npf_nTu", "main"), ("$sIetH_yts5Error_pIegHrzo_TRTu", nil),
    ])
    func aThunkHasTheNameOfTheFunctionThatItWasSpecializedFor(symbol: String, name: String?) {
        #expect(FunctionName.isThunk(symbol) && FunctionName.ofSpecializedThunk(symbol) == name)
    }
}

// SPDX-License-Identifier: MIT
