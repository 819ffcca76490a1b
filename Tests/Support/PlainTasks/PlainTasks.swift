#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

// A Swift program that does not use chainview; some of its tasks never end. When standard input ends, it prints the
// LD_PRELOAD that a child inherits, and ends.

func forgotten() async { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }

func order(_ number: Int) async {
    async let score: Void = forgotten()
    await withTaskGroup(of: Void.self) { group in
        for item in 0..<2 { group.addTask(name: "item \(item)") { await forgotten() } }
    }
    await score
}

@main struct PlainTasks {
    static func main() async {
        let ordered = Task(name: "order 1") { await order(1) }
        let lost = Task.detached(name: "forgotten") { await forgotten() }
        await Task.detached { while getchar() != EOF {} }.value
        fflush(nil)
        let words = (["sh", "-c", "echo child:$LD_PRELOAD"] as [String]).map { strdup($0) }
        withExtendedLifetime((ordered, lost)) { _ = execv("/bin/sh", words + [nil]) }
    }
}

// SPDX-License-Identifier: MIT
