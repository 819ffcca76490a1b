// SPDX-License-Identifier: MIT

import Synchronization

/// The same work with tasks: a link is a task that awaits the task before it.
enum TaskPeer {
    static func threeLinks(_ count: Int) -> Double {
        processNanoseconds(per: count) {
            waitFor { for _ in 0..<count { use(await chain().value) } }
        }
    }

    static func chain(_ length: Int) -> Double {
        processNanoseconds(per: length) {
            waitFor {
                var last = Task { 0 }
                for _ in 0..<length {
                    let before = last
                    last = Task { await before.value &+ 1 }
                }
                let value = await last.value
                precondition(value == length)
            }
        }
    }

    static func allOfSettled(_ count: Int) -> Double {
        let members = (0..<count).map { number in Task { number } }
        waitFor { for member in members { _ = await member.value } }
        return processNanoseconds(per: count) { waitFor { use(await values(of: members)) } }
    }

    static func allOfPending(_ count: Int) -> Double {
        let waiting = Waiting(count)
        let members = (0..<count).map { _ in Task { await waiting.wait() } }
        waiting.untilAllWait()
        return processNanoseconds(per: count) {
            let whole = Task { await values(of: members) }
            waiting.resumeAll()
            waitFor { use(await whole.value) }
        }
    }

    private static func values(of members: [Task<Int, Never>]) async -> [Int] {
        var values: [Int] = []
        values.reserveCapacity(members.count)
        for member in members { values.append(await member.value) }
        return values
    }

    static func twoThreads(_ count: Int) -> Double {
        processNanoseconds(per: count) {
            Ended.expect(count)
            onThreads(2) { _ in
                for _ in 0..<count / 2 {
                    let last = chain()
                    Task {
                        _ = await last.value
                        Ended.one()
                    }
                }
            }
            Ended.wait()
        }
    }

    private static func chain() -> Task<Int, Never> {
        let root = Task { 1 }
        let first = Task { await root.value &+ 1 }
        let second = Task { await first.value &+ 1 }
        return Task { await second.value &+ 1 }
    }

    static var bytesOfPending: Double {
        let count = 10_000
        let waiting = Waiting(count)
        let bytes = bytesEach(1) { _ in
            let tasks = (0..<count).map { _ in Task { await waiting.wait() } }
            waiting.untilAllWait()
            return tasks
        } finish: { tasks in
            waiting.resumeAll()
            waitFor { for task in tasks { _ = await task.value } }
        }
        return bytes / Double(count)
    }
}

/// A barrier: holds tasks until it is opened.
private final class Waiting: Sendable {
    private let continuations: Mutex<[UnsafeContinuation<Int, Never>]>

    init(_ count: Int) {
        Ended.expect(count)
        var room: [UnsafeContinuation<Int, Never>] = []
        room.reserveCapacity(count)
        continuations = Mutex(room)
    }

    func wait() async -> Int {
        await withUnsafeContinuation { continuation in
            continuations.withLock { $0.append(continuation) }
            Ended.one()
        }
    }

    func untilAllWait() { Ended.wait() }

    func resumeAll() {
        for continuation in continuations.withLock({ $0 }) { continuation.resume(returning: 1) }
    }
}
