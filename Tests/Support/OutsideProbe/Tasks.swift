import Glibc
import Synchronization

// Modes about tasks.

/// Tasks of each kind that are suspended: seven a unit, and the main one.
@MainActor func idle(_ unitCount: Int) async {
    let report = Report(expecting: unitCount * 7 + 1)
    for number in 0..<unitCount {
        let unit = Task(name: "unit \(number)") { await runUnit(number, report) }
        Task {
            report.addTask("unstructured", waitsFor: wait(for: unit))
            await unit.value
        }
        let cancelled = Task.detached(priority: .low) {
            await withTaskCancellationHandler {
                report.addTask("detached", isCancelled: true)
                await forgotten()
            } onCancel: {
            }
        }
        cancelled.cancel()
    }
    report.addTask("main")
    await forgotten()
}

private func wait(for task: Task<Void, Never>) -> String {
    "task:" + String(unsafeBitCast(task, to: UInt.self), radix: 16)
}

/// A task with a child of each kind, of which one has a child itself.
private func runUnit(_ number: Int, _ report: Report) async {
    let unit = report.addTask("unstructured", waitsFor: "group", name: "unit \(number)")
    async let score: Void = leaf("let", parent: unit, report)
    await withTaskGroup(of: Void.self) { group in
        group.addTask(name: "item of \(number)") {
            await leaf("group", parent: unit, name: "item of \(number)", report)
        }
        group.addTask {
            let parent = report.addTask("group", parent: unit, waitsFor: "child")
            async let inner: Void = leaf("let", parent: parent, report)
            await inner
        }
        await group.waitForAll()
    }
    await score
}

@inline(never)
private func leaf(_ kind: String, parent: String, name: String = "-", _ report: Report) async {
    report.addTask(kind, parent: parent, name: name)
    await forgotten()
}

/// Tasks that live for ever, beside others that are made and end all the time.
@MainActor func churn(_ count: Int) async {
    let report = Report(expecting: count + 1)
    for number in 0..<count {
        Task.detached(name: "keeper \(number)") {
            report.addTask("detached", name: "keeper \(number)")
            await forgotten()
        }
    }
    for _ in 0..<2 {
        Task.detached {
            var sum = 0
            while sum >= 0 {
                async let one = yielded(1)
                let many = await withTaskGroup(of: Int.self) { group in
                    for item in 0..<8 { group.addTask { await yielded(item) } }
                    return await group.reduce(0, +)
                }
                sum = await one + many + Task { await yielded(2) }.value
            }
        }
    }
    report.addTask("main")
    await forgotten()
}

private func yielded(_ value: Int) async -> Int {
    await Task.yield()
    return value
}

/// Tasks that live for ever, and go from actor to actor.
@MainActor func hop(_ count: Int) async {
    let report = Report(expecting: count + 1)
    let actors = (0..<4).map { _ in Till() }
    for number in 0..<count {
        Task.detached {
            // Runs and waits for actors.
            report.addTask("detached", waitsFor: "anything")
            var turn = number
            while turn >= 0 {
                await actors[turn % actors.count].touch()
                if turn % 5 == 0 { await Task.yield() }
                turn &+= 1
            }
        }
    }
    report.addTask("main")
    await forgotten()
}

// SPDX-License-Identifier: MIT
