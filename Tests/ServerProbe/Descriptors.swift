import AttachHarness
import ChainInspector
import ChainWire
import PromiseRuntime

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The numbers of this process's open descriptors.
func openDescriptors() -> Set<Int32> { Set((0..<4096).filter { fcntl($0, F_GETFD) >= 0 }) }

/// Bytes of memory that are this process's own now.
func residentBytes() -> Int {
    var text = [UInt8](repeating: 0, count: 256)
    let file = open("/proc/self/statm", O_RDONLY)
    defer { close(file) }
    let count = read(file, &text, text.count)
    guard count > 0 else { return 0 }
    let fields = String(decoding: text[..<count], as: UTF8.self).split(separator: " ")
    return (Int(fields[1])! - Int(fields[2])!) * Int(sysconf(Int32(_SC_PAGESIZE)))
}

/// Waits until `condition` holds; the alarm ends it.
func wait(until condition: () -> Bool) { while !condition() { sched_yield() } }

/// A thousand viewers in a row, and fifty at once, leave nothing.
func attachAndDetach(_ folder: String) throws {
    let before = openDescriptors()
    let runtime = ChainRuntime(executor: ManualExecutor())
    let inspector = try Inspector.start(name: "probe", runtime: runtime, options: options(folder))
    let address = inspector.addresses[0]
    let made = runtime.run { (0..<100).map { _ in Promise<Int>.pending() } }
    inspector.collectNow()
    func attach() throws -> TestViewer {
        let viewer = try TestViewer(address)
        try viewer.greet()
        return viewer
    }
    let listening = openDescriptors()
    var memory: [Int] = []
    for _ in 0..<3 {
        for index in 0..<500 {
            let viewer = try attach()
            // Some go before they were told anything, some after.
            if index % 3 == 0 { try viewer.watch { $0.totals.counts.liveCount == made.count } }
        }
        let viewers = try (0..<50).map { _ in try attach() }
        for viewer in viewers { try viewer.watch { $0.totals.counts.liveCount == made.count } }
        // The server's side is open for each, too.
        expect(openDescriptors().count >= listening.count + 100, "fifty at once")
        // An optimised build would close the connections before they are counted.
        withExtendedLifetime(viewers) {}
        memory.append(residentBytes())
    }
    wait { openDescriptors() == listening }
    inspector.stop()
    wait { openDescriptors() == before }
    // The first round has made what the allocator keeps; one connection's buffers are 64 KiB.
    let growth = (memory[2] - memory[0]) >> 10
    say("grown by \(growth) KiB in 1000 attaches")
    #if !TSAN  // which keeps memory of its own
        expect(growth < 8 << 10, "memory is kept")
    #endif
    say("ok")
}

/// Where the system has no descriptor left, the program continues, and waiting viewers are served afterwards.
func runOutOfDescriptors(_ folder: String) throws {
    var limit = rlimit()
    #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        let resource = RLIMIT_NOFILE
    #endif
    getrlimit(resource, &limit)
    let most = limit.rlim_cur
    /// The system gives the lowest number that is free.
    func allow(more count: Int?) {
        let used = openDescriptors()
        limit.rlim_cur = count.map { rlim_t((0..<4096).filter { !used.contains($0) }[$0]) } ?? most
        setrlimit(resource, &limit)
    }
    // None for the server's own.
    allow(more: 0)
    let none = try start(options(folder))
    expect(none.addresses.isEmpty && none.attachFailures.count == 1, "a server without descriptors")
    none.stop()
    allow(more: nil)
    let inspector = try start(options(folder))
    // One for the viewer's end, none for the server's.
    let viewer = try TestViewer(inspector.addresses[0])
    try viewer.greet()
    allow(more: 1)
    let late = try TestViewer(inspector.addresses[0])
    try late.say(.greeting(ClientHello(purpose: .watch)), preamble: true)
    // The attached viewer is served meanwhile, for longer than the server waits before it tries again.
    try viewer.watch { $0.now > 0 }
    let time = viewer.forest!.now
    try viewer.watch { $0.now > time + 2_500_000_000 }
    expect(late.hello == nil, "nobody accepts")
    allow(more: nil)
    while late.hello == nil { _ = try late.next() }
    inspector.stop()
    say("ok")
}

/// A child of an inspected program closes what it inherited and unlinks nothing.
func forkWithViewers(_ folder: String) throws {
    let before = openDescriptors()
    let inspector = try start(options(folder))
    // All that the threads and the child do was done before once: where a thread has the locks of the language's own
    // runtime, which it takes at the first time, a child waits for them for ever.
    let socket = String(inspector.addresses[0].dropFirst(5))
    for _ in 0..<2 { try TestViewer(inspector.addresses[0]).greet() }
    let other = try start(options(folder))
    other.stop()
    wait { openDescriptors().count == before.count + 3 }
    let viewer = try TestViewer(inspector.addresses[0])
    try viewer.greet()
    while viewer.batchCount < 4 { _ = try viewer.next() }
    // The viewer's own end is inherited as any descriptor is.
    let expected = before.union([viewer.descriptor])
    expect(openDescriptors() != expected && access(socket, F_OK) == 0, "the server's are open")
    let child = forkProcess()
    if child == 0 {
        alarm(120)
        if openDescriptors() != expected { _exit(2) }
        inspector.collectNow()
        inspector.stop()
        // It closes nothing of its own, and the parent's socket is there.
        if openDescriptors() != expected { _exit(3) }
        _exit(access(socket, F_OK) == 0 ? 0 : 4)
    }
    var status: Int32 = -1
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    expect(status == 0, "the child's end: \(status)")
    // The parent goes on, and its end is seen by the viewer: no child holds the connection open.
    try TestViewer(inspector.addresses[0]).greet()
    let time = viewer.forest!.now
    try viewer.watch { $0.now > time }
    inspector.stop()
    expect(viewer.farewell()?.reason == .stopped, "the viewer is told")
    say("ok")
}

/// Ends in good order, but with an inspector that listens everywhere and was not stopped.
func exitWithoutStopping(_ folder: String, how: String) throws {
    var options = options(folder)
    options.endpoints = [.unix, .tcp(port: 0), .unixPath(folder + "/own")]
    let inspector = try start(options)
    expect(inspector.addresses.count == 3, "listens everywhere")
    let files = [String(inspector.addresses[0].dropFirst(5)), String(inspector.addresses[2].dropFirst(5))]
    switch how {
    case "exit":
        let viewer = try TestViewer(inspector.addresses[0])
        try viewer.greet()
        exit(0)
    case "replaced":
        // A file that has taken the place of its own is another's.
        unlink(files[1])
        close(open(files[1], O_CREAT | O_WRONLY, 0o600))
        exit(0)
    case "child":
        let child = forkProcess()
        if child == 0 { exit(0) }
        var status: Int32 = -1
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        expect(status == 0, "the child's end: \(status)")
        expect(files.allSatisfy { access($0, F_OK) == 0 }, "a child removes nothing of its parent's")
        inspector.stop()
        expect(files.allSatisfy { access($0, F_OK) != 0 }, "the parent does")
    default: break
    }
}
