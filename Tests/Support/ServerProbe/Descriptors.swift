import AttachHarness
import CFork
import ChainInspector
import ChainWire
import Dispatch
import PromiseRuntime

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Returns this process's open descriptors below 4096.
func openDescriptors() -> Set<Int32> { Set((0..<4096).filter { fcntl($0, F_GETFD) >= 0 }) }

/// Returns the bytes of this process's resident memory without shared pages.
func residentBytes() -> Int {
    var text = [UInt8](repeating: 0, count: 256)
    let file = open("/proc/self/statm", O_RDONLY)
    defer { close(file) }
    let count = read(file, &text, text.count)
    guard count > 0 else { return 0 }
    let fields = String(decoding: text[..<count], as: UTF8.self).split(separator: " ")
    return (Int(fields[1])! - Int(fields[2])!) * Int(sysconf(Int32(_SC_PAGESIZE)))
}

/// Waits until `condition` holds; the alarm ends a longer wait.
func wait(until condition: () -> Bool) { while !condition() { sched_yield() } }

/// Attaches and detaches 500 viewers in a row and 50 at once, three times: no descriptor is left, and memory does not
/// grow after the first time.
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
            // A third of them wait for the program's state; the others detach at once.
            if index % 3 == 0 { try viewer.watch { $0.totals.counts.liveCount == made.count } }
        }
        let viewers = try (0..<50).map { _ in try attach() }
        for viewer in viewers { try viewer.watch { $0.totals.counts.liveCount == made.count } }
        // Two descriptors each: the viewer's end and the server's.
        expect(openDescriptors().count >= listening.count + 100, "fifty at once")
        // An optimised build would close the connections before they are counted.
        withExtendedLifetime(viewers) {}
        memory.append(residentBytes())
    }
    wait { openDescriptors() == listening }
    inspector.stop()
    wait { openDescriptors() == before }
    // The first round is the baseline, because the allocator keeps its memory. A leak of each connection's buffers,
    // 64 KiB, would be 69 MiB in the other two.
    let growth = (memory[2] - memory[0]) >> 10
    say("grown by \(growth) KiB in 1100 attaches")
    #if !TSAN  // ThreadSanitizer keeps memory of its own.
        expect(growth < 8 << 10, "memory is kept")
    #endif
    say("ok")
}

/// Without a free descriptor the program continues, and viewers that wait are served once there are some.
func runOutOfDescriptors(_ folder: String) throws {
    var limit = rlimit()
    #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        let resource = RLIMIT_NOFILE
    #endif
    getrlimit(resource, &limit)
    let originalLimit = limit.rlim_cur
    /// Leaves `count` descriptors free, or as many as at the start if nil. The system assigns the lowest free number.
    func allow(more count: Int?) {
        let used = openDescriptors()
        limit.rlim_cur = count.map { rlim_t((0..<4096).filter { !used.contains($0) }[$0]) } ?? originalLimit
        setrlimit(resource, &limit)
    }
    // None for the server's own descriptors.
    allow(more: 0)
    let none = try start(options(folder))
    expect(none.addresses.isEmpty && none.endpointErrors.count == 1, "a server without descriptors")
    none.stop()
    // Some, but too few to leave any for Dispatch.
    limit.rlim_cur = 15
    setrlimit(resource, &limit)
    let few = try start(options(folder))
    expect(few.endpointErrors.first?.description.contains("ulimit -n") == true, "a server with a low limit")
    few.stop()
    allow(more: nil)
    let inspector = try start(options(folder))
    let viewer = try TestViewer(inspector.addresses[0])
    try viewer.greet()
    // One for the viewer's end, none for the server's.
    allow(more: 1)
    let late = try TestViewer(inspector.addresses[0])
    try late.say(.greeting(ClientHello(purpose: .watch)), preamble: true)
    // The attached viewer is served meanwhile, for longer than the server waits before it tries again.
    try viewer.watch { $0.now > 0 }
    let time = viewer.forest!.now
    try viewer.watch { $0.now > time + 2_500_000_000 }
    expect(late.hello == nil, "no viewer is accepted without a descriptor")
    allow(more: nil)
    while late.hello == nil { _ = try late.next() }
    inspector.stop()
    say("ok")
}

/// The child of an inspected program closes the server's descriptors that it inherited, and unlinks no file.
func forkWithViewers(_ folder: String) throws {
    let before = openDescriptors()
    let inspector = try start(options(folder))
    // All that the threads and the child do is done once before the fork: at first use Swift's runtime takes locks, and
    // a child would wait for ever for one that another thread held.
    let socket = String(inspector.addresses[0].dropFirst(5))
    for _ in 0..<2 { try TestViewer(inspector.addresses[0]).greet() }
    let other = try start(options(folder))
    other.stop()
    wait { openDescriptors().count == before.count + 3 }
    let viewer = try TestViewer(inspector.addresses[0])
    try viewer.greet()
    while viewer.batchCount < 4 { _ = try viewer.next() }
    // The child inherits the viewer's end, too, and keeps it.
    let expected = before.union([viewer.descriptor])
    expect(openDescriptors() != expected && access(socket, F_OK) == 0, "the server's are open")
    let child = fork_process()
    if child == 0 {
        alarm(120)
        if openDescriptors() != expected { _exit(2) }
        inspector.collectNow()
        inspector.stop()
        // `stop` closes nothing more, and the parent's socket is there.
        if openDescriptors() != expected { _exit(3) }
        _exit(access(socket, F_OK) == 0 ? 0 : 4)
    }
    let status = wait_for_child(child)
    expect(status == 0, "the child's end: \(status)")
    // The parent continues, and the viewer sees its end: no child holds the connection open.
    try TestViewer(inspector.addresses[0]).greet()
    let time = viewer.forest!.now
    try viewer.watch { $0.now > time }
    inspector.stop()
    expect(viewer.farewell()?.reason == .stopped, "the viewer gets the reason")
    say("ok")
}

/// Exits normally while an inspector listens on two sockets and a port. `how` is `exit`: with a viewer attached;
/// `return`: by the end of `main`; `replaced`: after another file took a socket's place; or `child`: in a child, which
/// must not remove the parent's files.
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
        // A file that has taken the socket's place is not the inspector's to remove.
        unlink(files[1])
        close(open(files[1], O_CREAT | O_WRONLY, 0o600))
        exit(0)
    case "child":
        let child = fork_process()
        if child == 0 { exit(0) }
        let status = wait_for_child(child)
        expect(status == 0, "the child's end: \(status)")
        expect(files.allSatisfy { access($0, F_OK) == 0 }, "a child removes nothing of its parent's")
        inspector.stop()
        expect(files.allSatisfy { access($0, F_OK) != 0 }, "the parent does")
    default: break
    }
}

/// Makes and settles a promise, and exits at once. `how` is `exit`; `return`: by the end of `main`; `thread`: by `exit`
/// on another thread; `inspector`: by `exit` on the inspector's thread; or `child`: after a child has exited.
func saySomethingAndExit(_ folder: String, how: String) throws {
    let runtime = ChainRuntime(executor: ManualExecutor())
    let inspector = try Inspector.start(name: "probe", runtime: runtime, options: options(folder))
    say(inspector.addresses[0])
    waitForInput()
    if how == "child" {
        let child = fork_process()
        if child == 0 { exit(0) }
        expect(wait_for_child(child) == 0, "the child's end")
    }
    if how == "inspector" {
        // An observer runs on the collecting thread.
        let observing = inspector.batches.subscribe(onNext: { batch in if !batch.events.isEmpty { exit(0) } })
        withExtendedLifetime(observing) {}
    }
    let (promise, resolver) = runtime.run { Promise<Int>.pending(label: "last words") }
    resolver.fulfill(1)
    withExtendedLifetime(promise) {}
    switch how {
    case "exit": exit(0)
    case "thread":
        DispatchQueue.global().async { exit(0) }
        while true { pause() }
    case "inspector": while true { pause() }
    default: break
    }
}

// SPDX-License-Identifier: MIT
