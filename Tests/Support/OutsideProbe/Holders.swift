import Dispatch
import Glibc
import Synchronization

// Modes about threads, actors and locks.

actor Till {
    private var count = 0

    func touch() { count += 1 }

    /// Blocks the thread, which holds the actor, for ever.
    func block(_ report: Report) {
        report.add("holds", currentTask(), threadID(), address(of: self))
        blockInRead()
    }
}

/// A task that holds an actor and is blocked, and others that wait for the actor.
@MainActor func heldActor(_ waiterCount: Int) async {
    let report = Report(expecting: waiterCount + 1)
    let till = Till()
    Task.detached(name: "holder") { await till.block(report) }
    while report.count == 0 { await Task.yield() }
    for number in 0..<waiterCount {
        // On the main actor one after the other, so that they come to the actor in this order.
        Task(name: "waiter \(number)") {
            report.add("waits", currentTask(), address(of: till))
            await till.touch()
        }
    }
    await forgotten()
}

@MainActor private var touched = 0

@MainActor private func touchMain() { touched += 1 }

/// A task that holds the main actor and is blocked, and others that wait for it.
@MainActor func heldMainActor(_ waiterCount: Int) async {
    let report = Report(expecting: waiterCount + 1)
    Task(name: "holder") {
        report.add("holds", currentTask(), threadID(), "main")
        for number in 0..<waiterCount {
            Task.detached(name: "waiter \(number)") {
                report.add("waits", currentTask(), "main")
                await touchMain()
            }
        }
        blockInRead()
    }
    await forgotten()
}

/// Two threads, each of which owns a mutex and waits for that of the other.
@MainActor func pthreadMutexes() async {
    let report = Report(expecting: 2)
    // Read by the two threads alone, after it was made, and never freed.
    nonisolated(unsafe) let mutexes = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 2)
    let locked = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
    for own in 0..<2 {
        pthread_mutex_init(mutexes + own, nil)
    }
    for own in 0..<2 {
        startThread {
            let other = 1 - own
            pthread_mutex_lock(mutexes + own)
            locked[own].signal()
            locked[other].wait()
            report.add("blocked", threadID(), currentTask(), address(mutexes + own), address(mutexes + other))
            pthread_mutex_lock(mutexes + other)
        }
    }
    await forgotten()
}

private final class Safe: Sendable {
    let content = Mutex(0)
    let locked = DispatchSemaphore(value: 0)

    /// Of the mutex, which follows the two words of an object.
    var lockAddress: String { String(UInt(bitPattern: ObjectIdentifier(self)) + 16, radix: 16) }

    /// Locks this, and blocks with it for ever.
    func hold(_ report: Report) {
        content.withLock { _ in
            report.add("owns", threadID(), currentTask(), lockAddress)
            locked.signal()
            blockInRead()
        }
    }

    /// Waits for another thread that holds this.
    func wait(_ report: Report) {
        locked.wait()
        report.add("blocked", threadID(), currentTask(), lockAddress)
        content.withLock { $0 += 1 }
    }
}

/// A task that owns a mutex of Swift and is blocked, and one that waits for it: on the main thread, so that one thread of
/// the pool is enough. (In a circle the system refuses the second lock, and Swift's runtime ends the program.)
@MainActor func swiftMutexes() async {
    let report = Report(expecting: 2)
    let safe = Safe()
    Task.detached(name: "owner") { safe.hold(report) }
    Task(name: "waiter") { safe.wait(report) }
    await forgotten()
}

/// Threads that are blocked, beside a task that holds an actor.
@MainActor func threads(_ count: Int) async {
    let report = Report(expecting: 1)
    let till = Till()
    for _ in 0..<count { startThread { blockInRead() } }
    Task.detached(name: "holder") { await till.block(report) }
    await forgotten()
}

/// A task whose thread is in a system call that nothing interrupts: it waits until a child has been started, which waits
/// until somebody opens a pipe for writing. Ends then.
@MainActor func spawning(_ pipe: String) async {
    let report = Report(expecting: 1)
    Task.detached(name: "spawner") {
        report.add("spawns", currentTask(), threadID())
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, 0, pipe, O_RDONLY, 0)
        var child: pid_t = 0
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
        posix_spawn(&child, "/bin/true", &actions, nil, &arguments, environ)
        waitpid(child, nil, 0)
        _exit(42)
    }
    await forgotten()
}

// SPDX-License-Identifier: MIT
