#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

// A Swift program that does not use chainview, with a synchronous main function. Its first task makes two others. It ends
// when standard input ends.

// Not inlined, so that its tasks are suspended in it.
@inline(never) func forgotten() async { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }

func serve() async {
    let requests = (1...2).map { number in Task(name: "request \(number)") { await forgotten() } }
    await forgotten()
    withExtendedLifetime(requests) {}
}

@main struct PlainServer {
    static func main() {
        let server = Task.detached(name: "server") { await serve() }
        while getchar() != EOF {}
        withExtendedLifetime(server) {}
    }
}

// SPDX-License-Identifier: MIT
