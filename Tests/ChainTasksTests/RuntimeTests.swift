#if os(Linux)
    import CChainTasks
    import Foundation
    import Glibc
    import TerminalHarness
    import Testing

    @testable import ChainTasks

    /// The parts of Swift's runtime that the module relies on. A toolchain with other parts fails here first.
    @Suite struct RuntimeTests {
        /// Functions that the program or the runtime calls across libraries, so that they can be interposed.
        @Test(arguments: [
            "swift_task_create", "swift_task_enterThreadLocalContext", "swift_task_exitThreadLocalContext",
            "swift_job_run",
            "swift_job_run_on_task_executor", "swift_job_run_on_serial_and_task_executor", "dispatch_async_f",
            "dispatch_after_f",
        ])
        func interposedFunctionsAreThere(name: String) throws {
            let ours = try #require(dlsym(nil, name), "\(name) is not exported by this program")
            let library =
                name.hasPrefix("dispatch")
                ? "libdispatch.so" : name.contains("Context") ? "libswiftCore.so" : "libswift_Concurrency.so"
            let handle = try #require(dlopen(library, RTLD_LAZY | RTLD_NOLOAD))
            let original = try #require(dlsym(handle, name), "\(library) has no \(name)")
            #expect(ours != original, "\(name) is not interposed")
        }

        @Test(arguments: [
            "swift_task_getCurrent", "swift_task_getJobTaskId", "swift_task_getJobFlags",
            "swift_task_getCurrentTaskName",
            "swift_task_cancel", "swift_retain", "swift_release", "_swift_concurrency_debug_asyncTaskSize",
            "swift_demangle",
        ])
        func usedFunctionsAreThere(name: String) { #expect(dlsym(nil, name) != nil) }

        @Test func noFunctionIsMissing() { #expect(chain_tasks_missing().map { String(cString: $0) } == nil) }

        /// The status at 96 (16 bytes into the state at 80); resume at 56; the entry 24 before the first context;
        /// parent and outcome after the fixed part, as long as no name can lie between.
        @Test func tasksAreLaidOutAsExpected() {
            #expect(chain_task_layout_version() == 1)
            let layout = TaskLayout.found()
            #expect(layout.missing == [], "\(layout.missing.words)")
            #expect(layout.offsets.status == 96 && layout.offsets.resume == 56 && layout.offsets.entry == 24)
            #expect(
                Int(layout.offsets.parent) == chain_task_fixed_size() && layout.offsets.future == layout.offsets.parent)
        }

        /// A library is replaced by a file that is no image, after it was loaded.
        @Test func aFileThatIsTooShortForAnImageIsReported() throws {
            // By a handle, because Foundation reads one block of such files.
            let maps = try #require(try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/maps")).readToEnd())
            let original = try #require(
                String(decoding: maps, as: UTF8.self).split(separator: "\n")
                    .compactMap { line in line.firstIndex(of: "/").map { line[$0...] } }
                    .first { $0.contains("/libm.so") || $0.contains("/libm-") })
            let folder = ScratchFolder()
            let copy = folder.url.appendingPathComponent("library.so")
            try Data(contentsOf: URL(fileURLWithPath: String(original))).write(to: copy)
            let handle = try #require(dlopen(copy.path, RTLD_LAZY))
            let function = try #require(dlsym(handle, "cbrt"))
            var buffer = [CChar](repeating: 0, count: 256)
            let isNamed = chain_symbol_name(function, &buffer, 256)
            #expect(isNamed)
            try Data("short".utf8).write(to: copy, options: .atomic)
            let isNamedByText = chain_symbol_name(function, &buffer, 256)
            let reason = errno
            #expect(!isNamedByText && reason == ENOEXEC)
        }

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
        ])
        func namesAreShort(demangled: String, short: String) { #expect(FunctionName.short(demangled) == short) }

        @Test(arguments: [
            ("shop.order(Swift.Int) async throws -> Swift.String", false),
            ("static (extension in Swift):Swift.Task<>.sl\("eep")(for: Swift.Duration) async throws -> ()", true),
            ("(extension in shop):Swift.Array.total() async -> Swift.Int", false),
            ("(2) await resume partial function for Swift.AsyncStream.Iterator.next() async -> A?", true),
            ("closure #1 () async -> () in Swift.withTaskGroup<A, B>(of: A.Type) async -> B", true),
            ("PromiseRuntime.Promise.value.getter : A", true), ("main", false),
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
#endif
