#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

// The programs that ChainInspectorTests run, each in a process of its own:
//     ForkProbe                 forks with one thread (ForkCase)
//     ForkProbe forks           forks while other threads start and stop inspectors (ForkCase)
//     ForkProbe listens FOLDER  the same with an inspector that listens (ForkCase)
//     ForkProbe promises        forks children that use promises (ForkedPromiseCase)
//     ForkProbe hooks           forks while other threads use the hooks of a runtime (ForkedPromiseCase)
//     ForkProbe dump            dumps its tree on a signal (SignalCase)
//     ForkProbe masks           checks the signals of threads that run the program's code (SignalCase)
//     ForkProbe pipes           checks that a forked child has no descriptor of a dump signal (SignalCase)
//     ForkProbe stop FOLDER     checks what inspectors leave behind (SignalCase)
//     ForkProbe watch           counts how often the watch for blocked workers wakes (WatchCase)

/// Prints `what` and exits with 1 unless the condition holds.
func expect(_ condition: Bool, _ what: String) {
    guard !condition else { return }
    print("wrong: \(what)")
    exit(1)
}

// A process inherits the blocked signals of the thread that starts it, and Swift's threads block some.
var none = sigset_t()
sigemptyset(&none)
sigprocmask(SIG_SETMASK, &none, nil)
alarm(120)
switch CommandLine.arguments.dropFirst().first {
case "forks": try forksCase()
case "listens": try listeningForksCase(folder: CommandLine.arguments[2])
case "promises": try forkedPromisesCase()
case "hooks": forkedHooksCase()
case "dump": try dumpCase()
case "watch": try watchCase()
case "pipes": try pipesCase()
case "masks": try masksCase()
case "stop": try stopCase(folder: CommandLine.arguments[2])
default: try forkCase()
}

// SPDX-License-Identifier: MIT
