#if os(Linux) && !TSAN
    import TerminalHarness
    import Testing

    /// Swift's report of a crash, which lists all threads: chainview's threads let themselves be suspended for it.
    @Suite(.onItsOwnThread) struct CrashReportTests {
        private let folder = ScratchFolder()

        private func report(_ how: String) throws -> [Substring] {
            let settings = "enable=yes,interactive=no,color=no,symbolicate=off,threads=yes,output-to=stderr"
            let run = try ProbeRun(["crash", folder.path + "/s", how], environment: ["SWIFT_BACKTRACE": settings])
            return run.end().errors.split(separator: "\n")
        }

        @Test func anInspectorAddsNoComplaintToACrashReport() throws {
            let (plain, inspected) = (try report("plain"), try report("inspected"))
            for lines in [plain, inspected] {
                #expect(lines.contains { $0.contains("the probe's end") }, "\(lines)")
                #expect(lines.contains { $0.contains("crashed:") }, "\(lines)")
                #expect(lines.filter { $0.contains("failed to suspend thread") } == [])
            }
            // The report has the inspector's threads.
            #expect(inspected.count { $0.hasPrefix("Thread ") } > plain.count { $0.hasPrefix("Thread ") })
        }
    }
#endif

// SPDX-License-Identifier: MIT
