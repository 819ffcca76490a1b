import ChainAttach
import ChainEvents
import ChainInspector
import Dispatch
import PromiseRuntime

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

// The programs that ChainAttachTests run:
//     AttachProbe -T … -- HOST …    stands in for ssh
//     AttachProbe relay TARGET      a relay, which ssh starts on the far machine
//     AttachProbe serve NAME        an inspected program with chains that wait for ever
//     AttachProbe wait ""           a program without an inspector; prints `waiting`
//     AttachProbe churn TARGET      attaches and detaches many times; no descriptor, thread or child may be left
//     AttachProbe visit PATH        requests the state once, and prints the outcome
//     AttachProbe port NAME         as serve, but on a TCP port only; prints the address
//     AttachProbe impostor PORT     listens on that port, and prints how many bytes the first client has sent
// Each runs as the user with the number in PROBE_USER, if that is set.

alarm(300)
if let user = getenv("PROBE_USER").flatMap({ UInt32(String(cString: $0)) }) {
    guard setgid(user) == 0, setuid(user) == 0 else { exit(77) }
}
if CommandLine.arguments.count > 1, CommandLine.arguments[1] == "-T" { beSSH() }
guard CommandLine.arguments.count == 3 else { exit(64) }
let argument = CommandLine.arguments[2]
do {
    switch CommandLine.arguments[1] {
    case "relay": try Relay.run(to: Target(argument), discovery: patience())
    case "serve": try serve(argument)
    case "wait":
        print("waiting")
        fflush(nil)
        while getchar() != EOF {}
    case "port": try serve(argument, at: [.tcp(port: 0)])
    case "impostor": beImpostor(UInt16(argument) ?? 0)
    case "churn": try churn(Target(argument))
    case "visit":
        do throws(AttachError) {
            let target = Target.unix(path: argument)
            print(
                "state of",
                try OneShotClient.state(of: patience().resolve(target), timeLimit: .seconds(240)).hello.process.name)
        } catch {
            print("\(error.kind): \(error)")
        }
    default: exit(64)
    }
} catch let error as AttachError {
    complain("chainview: \(error)")
    exit(error.kind == .notFound ? 66 : 69)
}

/// Returns a discovery with a time limit for busy machines.
func patience() -> Discovery {
    var discovery = Discovery()
    discovery.timeLimit = .seconds(240)
    return discovery
}

/// Writes a line to standard error.
func complain(_ text: String) {
    let line = Array((text + "\n").utf8)
    _ = write(2, line, line.count)
}

/// Parses the arguments as ssh does, and runs the command in a shell: with this program as `chainview`, and the host as
/// the path of the folder of sockets. Some host names stand for special cases.
func beSSH() -> Never {
    let words = CommandLine.arguments.drop { $0 != "--" }.dropFirst()
    guard let host = words.first else { exit(64) }
    switch host {
    case "nowhere":
        complain("ssh: connect to host nowhere port 22: No route to host")
        exit(255)
    case "bare":
        complain("bash: line 1: chainview: command not found")
        exit(127)
    case "mute": exit(3)
    case "surroundings":
        var blocked = sigset_t()
        sigprocmask(SIG_BLOCK, nil, &blocked)
        let signals = (1..<32).filter { sigismember(&blocked, $0) == 1 }
        complain("blocks \(signals), \(getsid(0) == getpid() ? "a session of its own" : "another's session")")
        exit(1)
    case "quiet":
        // Runs on with standard error closed.
        close(2)
        var byte: UInt8 = 0
        while read(0, &byte, 1) > 0 {}
        exit(0)
    default: break
    }
    setenv("XDG_RUNTIME_DIR", host, 1)
    setenv("PROBE", CommandLine.arguments[0], 1)
    let line = "chainview() { exec \"$PROBE\" \"$1\" \"$3\"; }; " + words.dropFirst().joined(separator: " ")
    let arguments: [String] = ["sh", "-c", line]
    var pointers = arguments.map { strdup($0) } + [nil]
    execv("/bin/sh", &pointers)
    exit(126)
}

/// Accepts one connection on a port of the loopback, and prints the number of bytes that came before its end.
func beImpostor(_ port: UInt16) {
    #if canImport(Darwin)
        let listener = socket(AF_INET, SOCK_STREAM, 0)
    #else
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    var yes: Int32 = 1
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
    let isBound = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
    }
    guard isBound, listen(listener, 8) == 0 else { exit(1) }
    print("listening")
    fflush(nil)
    let viewer = accept(listener, nil, nil)
    var (bytes, count) = ([UInt8](repeating: 0, count: 4096), 0)
    while true {
        let part = read(viewer, &bytes, bytes.count)
        guard part > 0 else { break }
        count += part
    }
    print(count)
}

/// Runs an inspected program with five pending chains until standard input ends. Prints `ready`, or the addresses if
/// `endpoints` are given.
func serve(_ name: String, at endpoints: [InspectorEndpoint]? = nil) throws {
    var options = InspectorOptions()
    options.endpoints = endpoints
    let inspector = try Inspector.start(name: name, options: options)
    let resolvers = (0..<5).map { number in
        let (promise, resolver) = Promise<Int>.pending(label: "order \(number)")
        _ = promise.map { $0 + 1 }.map { $0 * 2 }
        return resolver
    }
    inspector.collectNow()
    guard inspector.endpointErrors.isEmpty else { exit(1) }
    print(endpoints == nil ? "ready" : inspector.addresses.joined())
    fflush(nil)
    // Until the probe is killed or standard input ends.
    var byte: UInt8 = 0
    while read(0, &byte, 1) > 0 {}
    withExtendedLifetime(resolvers) { inspector.stop() }
}

/// Attaches and detaches a hundred times, directly and through ssh, and exits with 1 if resources are left.
func churn(_ target: Target) throws {
    var options = AttachOptions(discovery: patience())
    options.waits = true
    let here = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) } ?? ""
    func round(_ number: Int) throws {
        let isFar = number % 4 == 3
        let source = AttachedProcess(isFar ? .ssh(host: here, process: "\(target)") : target, options: options)
        let isLive = DispatchSemaphore(value: 0)
        let subscription = source.status.subscribe(onNext: { if case .live = $0 { isLive.signal() } })
        source.start()
        // The others are stopped while they may still be connecting.
        if number % 2 == 0 { isLive.wait() }
        source.stop()
        subscription.dispose()
        if number % 8 == 0 { _ = try OneShotClient.state(of: patience().resolve(target), timeLimit: .seconds(240)) }
        if number % 8 == 4 { _ = try patience().list() }
        if number % 8 == 6 { try? _ = OneShotClient.state(of: patience().resolve(.unix(path: "/nowhere"))) }
    }
    // The first rounds make what is made once in a process.
    for number in 0..<8 { try round(number) }
    let before = resourceCounts()
    for number in 0..<100 { try round(number) }
    let after = resourceCounts()
    guard after == before else {
        complain("\(before) became \(after)")
        exit(1)
    }
    guard waitpid(-1, nil, WNOHANG) < 0, errno == ECHILD else {
        complain("a child was left")
        exit(1)
    }
    print("clean")
}

/// Returns the numbers of open descriptors and of threads.
func resourceCounts() -> [String: Int] {
    var counts: [String: Int] = [:]
    for folder in ["/proc/self/fd", "/proc/self/task"] {
        guard let stream = opendir(folder) else { continue }
        var count = 0
        while readdir(stream) != nil { count += 1 }
        closedir(stream)
        counts[folder] = count
    }
    return counts
}

// SPDX-License-Identifier: MIT
