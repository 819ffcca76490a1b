import ChainInspector
import PromiseRuntime

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Starts a flight recorder that SIGUSR2 dumps, prints the path of its file, and ends the process.
///
/// - Parameter how: `kill`, `trap` or `exit`; `wait`: stops when its input ends; `full`: stops after a write failed;
///   `limited`: stops at once, and may write files of 1 MB only.
func recordFlight(_ folder: String, how: String) throws {
    // The threads of a test block signals, which a process that they start inherits.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGUSR2)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    var options = options(folder)
    var flight = InspectorOptions.FlightRecorder()
    flight.dumpSignal = SIGUSR2
    flight.isBlackBox = how == "limited"
    options.flightRecorder = flight
    if how == "limited" {
        limitFiles(to: 1_000_000)
        let inspector = try Inspector.start(options: options)
        say(inspector.flightRecordingPath ?? "none")
        return inspector.stop()
    }
    let runtime = ChainRuntime(executor: InlineExecutor.shared)
    let inspector = try Inspector.start(name: "a probe/1", runtime: runtime, options: options)
    let (order, resolver) = runtime.run { Promise<Int>.pending(label: "order 17") }
    let charge = runtime.run { order.map(label: "charge order 17") { $0 } }
    // After a dump, the file holds all earlier events.
    try inspector.dumpFlightRecording(to: folder + "/first.chain")
    say(inspector.flightRecordingPath ?? "none")
    switch how {
    case "wait":
        waitForInput()
        inspector.stop()
        say("stopped")
    case "full":
        // From now on every write past byte 500 fails, as on a full disk.
        signal(SIGXFSZ, SIG_IGN)
        limitFiles(to: 500)
        say("\(inspector.info.flightRecorder)")
        let end = ContinuousClock.now + .seconds(240)
        var kept: [Promise<Int>] = []
        while inspector.info.flightRecorder == .recording, ContinuousClock.now < end {
            kept.append(runtime.run { Promise<Int>.pending(label: "order").0 })
            inspector.collectNow()
            sched_yield()
        }
        say("\(inspector.info.flightRecorder)")
        inspector.stop()
    case "exit": exit(0)
    case "trap": fatalError("trapped")
    default: kill(getpid(), SIGKILL)
    }
    withExtendedLifetime((charge, resolver)) {}
}

/// Limits the size of the files that this process writes.
private func limitFiles(to size: rlim_t) {
    var limit = rlimit(rlim_cur: size, rlim_max: size)
    #if canImport(Darwin)
        setrlimit(RLIMIT_FSIZE, &limit)
    #else
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    #endif
}

// SPDX-License-Identifier: MIT
