#if os(Linux)
    import ChainInspector
    import Dispatch
    import Glibc
    import PromiseRuntime

    /// Traps beside a thread of its own and, if `isInspected`, beside every thread that an inspector starts.
    func crash(_ folder: String, isInspected: Bool) throws {
        let isRunning = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            isRunning.signal()
            while true { pause() }
        }
        isRunning.wait()
        if isInspected {
            var options = options(folder)
            options.flightRecorder = .init()
            options.dumpSignal = SIGUSR1
            let inspector = try Inspector.start(options: options)
            let hasRun = DispatchSemaphore(value: 0)
            Promise.delay(.milliseconds(1)).done { hasRun.signal() }
            hasRun.wait()
            expect(inspector.addresses.count == 1, "listens")
        }
        waitForThreads()
        fatalError("the probe's end")
    }

    /// Waits for a minute at most until no thread blocks SIGPROF, because a new thread blocks all signals at first.
    private func waitForThreads() {
        var (start, now) = (timespec(), timespec())
        clock_gettime(CLOCK_MONOTONIC, &start)
        while true {
            let blocking = threads(blocking: SIGPROF)
            if blocking.isEmpty { return }
            clock_gettime(CLOCK_MONOTONIC, &now)
            expect(now.tv_sec - start.tv_sec < 60, "\(blocking) block SIGPROF")
            sched_yield()
        }
    }

    /// Returns the names of this process's threads that block a signal.
    private func threads(blocking signal: Int32) -> [String] {
        guard let folder = opendir("/proc/self/task") else { fail("no threads") }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let thread = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard Int(thread) != nil, let file = fopen("/proc/self/task/\(thread)/status", "r") else { continue }
            defer { fclose(file) }
            var (name, line) = ("", [CChar](repeating: 0, count: 256))
            while fgets(&line, Int32(line.count), file) != nil {
                let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                    .split { $0.isWhitespace }
                guard words.count > 1 else { continue }
                if words[0] == "Name:" { name = String(words[1]) }
                if words[0] == "SigBlk:", UInt64(words[1], radix: 16)! >> UInt64(signal - 1) & 1 == 1 {
                    names.append(name)
                }
            }
        }
        return names
    }
#endif

// SPDX-License-Identifier: MIT
