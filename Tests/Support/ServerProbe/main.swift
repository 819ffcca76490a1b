import AttachHarness
import ChainInspector
import PromiseRuntime

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

// The programs that ChainInspectorTests run in a process of their own: to be killed, to run as another user, to count
// descriptors, to fork.

alarm(300)
let arguments = Array(CommandLine.arguments.dropFirst())

/// Prints a line at once, because output to a pipe is buffered.
func say(_ words: String...) {
    print(words.joined(separator: " "))
    fflush(nil)
}

/// Prints `what` and exits with 1.
func fail(_ what: String) -> Never {
    say("wrong: \(what)")
    exit(1)
}

func expect(_ condition: Bool, _ what: String) {
    if !condition { fail(what) }
}

func options(_ folder: String) -> InspectorOptions {
    var options = InspectorOptions()
    options.socketFolder = folder
    return options
}

func start(_ options: InspectorOptions) throws -> Inspector {
    try Inspector.start(name: "probe", runtime: ChainRuntime(executor: ManualExecutor()), options: options)
}

/// Waits until standard input ends.
func waitForInput() { while getchar() != EOF {} }

switch arguments.first {
case "listen":
    let inspector = try start(options(arguments[1]))
    say(inspector.addresses.joined(separator: " "))
    waitForInput()
    inspector.stop()
    say("stopped")
case "listen-tcp":
    var options = options(arguments[1])
    options.endpoints = [.tcp(port: 0)]
    let inspector = try start(options)
    say(inspector.addresses.joined(separator: " "))
    waitForInput()
    inspector.stop()
case "requested":
    let inspector = Inspector.startIfRequested(name: "probe", options: options(arguments[1]))
    say(inspector.map { $0.addresses.joined(separator: " ") } ?? "nothing")
case "attach":
    let viewer = try TestViewer(arguments[1])
    try viewer.greet()
    say("attached")
    waitForInput()
case "attach-as":
    guard setgid(gid_t(arguments[1])!) == 0, setuid(uid_t(arguments[1])!) == 0 else { fail("not another user") }
    do {
        let viewer = try TestViewer(arguments[2])
        try viewer.say(.greeting(.init(purpose: .watch)), preamble: true)
        let farewell = viewer.farewell()
        say(
            viewer.hello == nil ? "no hello" : "hello", farewell.map { "\($0.reason): \($0.text)" } ?? "no farewell")
    } catch { say("\(error)") }
case "run-as":
    guard setgid(gid_t(arguments[1])!) == 0, setuid(uid_t(arguments[1])!) == 0 else { fail("not another user") }
    var words = arguments[2...].map { strdup($0) } + [nil]
    execv(words[0]!, &words)
    fail("nothing to run")
case "silent-as":
    // Opens the given number of connections that never send anything.
    guard setgid(gid_t(arguments[1])!) == 0, setuid(uid_t(arguments[1])!) == 0 else { fail("not another user") }
    let viewers = try (0..<Int(arguments[3])!).map { _ in try TestViewer(arguments[2]) }
    say("connected")
    waitForInput()
    withExtendedLifetime(viewers) {}
case "exit": try exitWithoutStopping(arguments[1], how: arguments[2])
#if os(Linux)
    case "crash": try crash(arguments[1], isInspected: arguments[2] == "inspected")
#endif
case "last-words": try saySomethingAndExit(arguments[1], how: arguments[2])
case "same-pid":
    // Several processes with the same pid start at the same moment: when the file exists.
    while access(arguments[2], F_OK) != 0 { sched_yield() }
    let inspector = try start(options(arguments[1]))
    say(inspector.addresses.joined(separator: " "))
    waitForInput()
    inspector.stop()
case "descriptors": try runOutOfDescriptors(arguments[1])
case "many": try attachAndDetach(arguments[1])
case "fork": try forkWithViewers(arguments[1])
case "black-box": try recordBlackBox(arguments[1], how: arguments[2])
case "flight": try recordFlight(arguments[1], how: arguments[2])
default: fail("unknown mode")
}

// SPDX-License-Identifier: MIT
