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
    }
#endif

// SPDX-License-Identifier: MIT
