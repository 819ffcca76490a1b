import CFork
import ChainInspector
import Dispatch
import PromiseRuntime

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Prints `ready`, and dumps to standard error on each SIGUSR1, although its collecting thread is blocked. When
/// standard input ends, the inspector stops, and the program's own handler of the signal is in place again.
func dumpCase() throws {
    signal(SIGUSR1) { _ in write(1, "the program's own\n", 18) }
    let runtime = ChainRuntime(executor: ManualExecutor())
    var options = InspectorOptions()
    options.endpoints = []
    options.dumpSignal = SIGUSR1
    let inspector = try Inspector.start(name: "probe", runtime: runtime, options: options)
    let (isBlocked, unblock) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let observing = inspector.batches.subscribe(onNext: { batch in
        guard !batch.events.isEmpty else { return }
        isBlocked.signal()
        unblock.wait()
    })
    let first = runtime.run { Promise<Int>.pending(label: "before the stall") }
    isBlocked.wait()
    let second = runtime.run { Promise<Int>.pending(label: "after\u{1B}[31m it") }
    write(1, "ready\n", 6)
    var byte: UInt8 = 0
    while read(0, &byte, 1) > 0 {}
    observing.dispose()
    unblock.signal()
    var again = InspectorOptions()
    again.endpoints = []
    again.dumpSignal = SIGUSR1
    let other = ChainRuntime(executor: ManualExecutor())
    let refusal =
        "Signal \(SIGUSR1) is another inspector's already: give each its own dumpSignal, or stop the other one"
    do {
        try Inspector.start(runtime: other, options: again)
        expect(false, "two inspectors have one signal")
    } catch { expect("\(error)" == refusal, "\(error)") }
    inspector.stop()
    kill(getpid(), SIGUSR1)
    // The refused start left no recorder on `other`; now the signal is free.
    try Inspector.start(runtime: other, options: again).stop()
    kill(getpid(), SIGUSR1)
    write(1, "over\n", 5)
    withExtendedLifetime((first, second)) {}
}

/// Checks that code of the program which runs on a thread of chainview has the signals of the program's threads: a
/// program that is started there inherits them.
func masksCase() throws {
    var mask = sigset_t()
    sigemptyset(&mask)
    sigaddset(&mask, SIGUSR2)
    sigprocmask(SIG_SETMASK, &mask, nil)
    let hasRun = DispatchSemaphore(value: 0)
    Promise.delay(.milliseconds(1)).done(on: InlineExecutor.shared) {
        expect(blockedSignals() == [SIGUSR2], "an inline handler after a delay blocks \(blockedSignals())")
        hasRun.signal()
    }
    hasRun.wait()
    var options = InspectorOptions()
    options.endpoints = []
    let inspector = try Inspector.start(options: options)
    let observing = inspector.batches.subscribe(onNext: { batch in
        guard !batch.events.isEmpty else { return }
        expect(blockedSignals() == [SIGUSR2], "an observer blocks \(blockedSignals())")
        hasRun.signal()
    })
    let promise = Promise<Int>.resolve(1)
    hasRun.wait()
    observing.dispose()
    inspector.stop()
    withExtendedLifetime(promise) {}
    write(1, "over\n", 5)
}

/// Returns which of two signals the calling thread blocks.
private func blockedSignals() -> [Int32] {
    var mask = sigset_t()
    pthread_sigmask(SIG_SETMASK, nil, &mask)
    return [SIGTERM, SIGUSR2].filter { sigismember(&mask, $0) == 1 }
}

/// Forks while a signal is watched, and checks that the child has no descriptor of the watch.
func pipesCase() throws {
    let runtime = ChainRuntime(executor: ManualExecutor())
    var options = InspectorOptions()
    options.collection = .manual
    options.dumpSignal = SIGUSR1
    // Once before, because what Swift's runtime makes at its first use stays.
    try Inspector.start(runtime: runtime, options: options).stop()
    let descriptors = count(in: "/proc/self/fd")
    let inspector = try Inspector.start(runtime: runtime, options: options)
    expect(count(in: "/proc/self/fd") == descriptors + 2, "a watch has two descriptors")
    let child = fork_process()
    if child == 0 {
        alarm(60)
        _exit(count(in: "/proc/self/fd") == descriptors ? 0 : 1)
    }
    let status = wait_for_child(child)
    expect(status == 0, "the child has descriptors of the watch: \(status)")
    inspector.stop()
    expect(count(in: "/proc/self/fd") == descriptors, "no descriptor is left")
    write(1, "over\n", 5)
}

/// Starts and stops inspectors with a socket, a dump signal and a dump file, and checks that no thread, descriptor or
/// file is left.
func stopCase(folder: String) throws {
    let runtime = ChainRuntime(executor: ManualExecutor())
    var options = InspectorOptions()
    options.endpoints = [.unix]
    options.socketFolder = folder
    options.dumpSignal = SIGUSR2
    options.dumpTarget = .file(folder + "/dump")
    func round() throws -> Int {
        let inspector = try Inspector.start(runtime: runtime, options: options)
        expect(inspector.endpointErrors.isEmpty, "\(inspector.endpointErrors)")
        let promise = runtime.run { Promise<Int>.resolve(1, label: "alive") }
        let viewer = inspector.subscribe()
        while viewer.next() != nil {}
        let threads = count(in: "/proc/self/task")
        inspector.stop()
        withExtendedLifetime(promise) {}
        return threads
    }
    // Once before, because what Swift's runtime makes at its first use stays.
    _ = try round()
    let threads = count(in: "/proc/self/task")
    let descriptors = count(in: "/proc/self/fd")
    for _ in 0..<50 {
        let meanwhile = try round()
        expect(meanwhile >= threads + 3, "a collector, a server and a dumper run, not \(meanwhile - threads) threads")
    }
    // A joined thread may stay listed for a moment; the alarm ends a longer wait.
    while count(in: "/proc/self/task") > threads { sched_yield() }
    expect(count(in: "/proc/self/fd") == descriptors, "no descriptor is left")
    expect(count(in: folder) == 0, "no file is left")
    write(1, "over\n", 5)
}

/// Returns the number of a folder's entries except `.` and `..`, or -1 if the folder cannot be read.
private func count(in folder: String) -> Int {
    guard let directory = opendir(folder) else { return -1 }
    defer { closedir(directory) }
    var count = 0
    while let entry = readdir(directory) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        if name != ".", name != ".." { count += 1 }
    }
    return count
}

// SPDX-License-Identifier: MIT
