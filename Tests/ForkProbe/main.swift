#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

// What ChainInspectorTests run, each in a process of its own: by default an inspected program that forks (ForkCase);
// with `forks` one that forks while other threads start and stop inspectors, with `listens` one with listening
// inspectors, with `promises` one with children that use promises (ForkedPromiseCase); with `dump` one that is sent
// signals, with `stop` one that looks for what an inspector leaves behind (SignalCase), with `watch` one that counts
// how often the watch over blocked workers wakes (WatchCase).

/// Swift hides `fork`, as a child of several threads may do little; this process has one.
func forkProcess() -> pid_t {
    typealias Fork = @convention(c) () -> pid_t
    return unsafeBitCast(dlsym(nil, "fork")!, to: Fork.self)()
}

func expect(_ condition: Bool, _ what: String) {
    guard !condition else { return }
    print("wrong: \(what)")
    exit(1)
}

// A process that one of Swift's threads starts inherits what that blocks.
var none = sigset_t()
sigemptyset(&none)
sigprocmask(SIG_SETMASK, &none, nil)
alarm(120)
switch CommandLine.arguments.dropFirst().first {
case "forks": try forksCase()
case "listens": try listeningForksCase(folder: CommandLine.arguments[2])
case "promises": try forkedPromisesCase()
case "dump": try dumpCase()
case "watch": try watchCase()
case "stop": try stopCase(folder: CommandLine.arguments[2])
default: try forkCase()
}
