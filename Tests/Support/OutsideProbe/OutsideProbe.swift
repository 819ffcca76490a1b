import Glibc

// A Swift program that knows its own tasks, threads and locks, and does not use chainview: `OutsideProbe MODE COUNT`. It
// prints what it knows, and ends when standard input ends.

@main
struct OutsideProbe {
    @MainActor static func main() async {
        startThread {
            while getchar() != EOF {}
            exit(0)
        }
        let arguments = CommandLine.arguments
        let count = arguments.count > 2 ? Int(arguments[2]) ?? 1 : 1
        switch arguments.count > 1 ? arguments[1] : "" {
        case "idle": await idle(count)
        case "actor": await heldActor(count)
        case "main": await heldMainActor(count)
        case "mutexes": await pthreadMutexes()
        case "locks": await swiftMutexes()
        case "churn": await churn(count)
        case "hop": await hop(count)
        case "threads": await threads(count)
        case "liar": await liar(count)
        case "spawn": await spawning(arguments[3])
        default: fatalError("OutsideProbe idle|actor|main|mutexes|locks|churn|hop|threads|liar|spawn COUNT [PIPE]")
        }
    }
}

/// Never resumes.
@inline(never)
func forgotten() async { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }

// SPDX-License-Identifier: MIT
