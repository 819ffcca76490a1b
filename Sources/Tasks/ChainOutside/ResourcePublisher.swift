// SPDX-License-Identifier: MIT

import ChainEvents

/// Makes events of the ``Surroundings``: the actors, executors and locks that tasks wait for, who holds them, and the
/// threads that are blocked while they run a task.
///
/// An actor or a lock is a node while a task or a thread waits for it in two looks in a row. Under load each actor is
/// held and waited for now and then, for less time than that.
struct ResourcePublisher {
    /// The events of a look, their texts, and the names of threads.
    struct Report {
        var events: [ChainEvent] = []
        var texts: [String] = []
        var threads: [ThreadID: String] = [:]
    }

    private struct Resource {
        let node: NodeID
        let kind: NodeKind
        let label: String
        let seen: UInt64
        var holder: Surroundings.Holder?
    }

    private struct Stall: Hashable {
        let task: NodeID
        let thread: ThreadID
        let wait: SystemWait
        let since: UInt64
    }

    private var resources: [UInt64: Resource] = [:]
    private var stalls: [ThreadID: Stall] = [:]
    /// What running tasks wait for: locks.
    private var lockWaits: [NodeID: UInt64] = [:]
    private var threadNames: [ThreadID: String] = [:]
    private var threads: [NodeID: (id: ThreadID, since: UInt64)] = [:]
    private var lastNumber: UInt64 = 0

    /// Ids of these nodes begin here, so that they are never those of tasks. Below 2^53, as numbers in JSON.
    static let firstNode = NodeID(1 << 44)

    /// Returns the node and the kind of what is at an address; nil if no node stands for it.
    func resource(at address: UInt64) -> (node: NodeID, kind: NodeKind)? {
        resources[address].map { ($0.node, $0.kind) }
    }

    /// Returns the thread that a task runs on; 0 if it is not known.
    func thread(of task: NodeID) -> ThreadID { threads[task]?.id ?? 0 }

    /// Compares with the last look; returns what has changed.
    mutating func update(_ now: Surroundings) -> Report {
        var batch = Report()
        name(now, &batch.threads)
        place(now, &batch.events)
        var present: Set<UInt64> = []
        for executor in now.executors where executor.waiting.contains(where: { $0.since < now.time }) {
            present.insert(executor.address)
            let isActor = executor.state != nil && !executor.isMain
            let label = executor.isMain ? "main" : executor.name ?? "0x" + String(executor.address, radix: 16)
            publish(
                executor.address, isActor ? .actor : .executor, label, executor.holder, now.time, &batch.events,
                &batch.texts)
        }
        for lock in now.locks where lock.waiting.contains(where: { $0.since < now.time }) {
            present.insert(lock.address)
            publish(
                lock.address, .lock, "\(lock.kind.word) 0x" + String(lock.address, radix: 16), lock.owner, now.time,
                &batch.events, &batch.texts)
        }
        for (address, resource) in resources where !present.contains(address) {
            resources[address] = nil
            batch.events.append(ChainEvent(time: now.time, .fulfilled, node: resource.node))
        }
        waitForLocks(now, &batch.events)
        stall(now, &batch.events)
        return batch
    }

    /// Returns the events that report everything again, and the names of all threads.
    func state(at time: UInt64) -> Report {
        var batch = Report(threads: threadNames)
        for (_, resource) in resources.sorted(by: { $0.value.node < $1.value.node }) {
            batch.texts.append(resource.label)
            batch.events.append(creation(of: resource, text: batch.texts.count))
            batch.events.append(holding(of: resource))
        }
        for (task, address) in lockWaits {
            if let event = wait(of: task, for: address, time) { batch.events.append(event) }
        }
        for stall in stalls.values { batch.events.append(event(of: stall)) }
        return batch
    }

    // MARK: Threads

    private mutating func name(_ now: Surroundings, _ names: inout [ThreadID: String]) {
        let present = Set(now.threads.map(\.id))
        threadNames = threadNames.filter { present.contains($0.key) }
        for thread in now.threads where threadNames[thread.id] != thread.name {
            threadNames[thread.id] = thread.name
            names[thread.id] = thread.name
        }
    }

    /// Reports on which thread tasks run, which is known only after they were found running.
    private mutating func place(_ now: Surroundings, _ events: inout [ChainEvent]) {
        var next: [NodeID: (id: ThreadID, since: UInt64)] = [:]
        for thread in now.threads {
            guard let task = thread.task, let since = thread.taskSince else { continue }
            next[task] = (thread.id, since)
            if threads[task]?.id != thread.id {
                events.append(ChainEvent(time: now.time, .resumed, node: task, thread: thread.id))
            }
        }
        threads = next
    }

    private mutating func stall(_ now: Surroundings, _ events: inout [ChainEvent]) {
        var next: [ThreadID: Stall] = [:]
        for thread in now.threads {
            guard let task = thread.task, let wait = thread.wait, let since = thread.stillSince, since < now.time else {
                continue
            }
            // The thread may have been seen before the task was, which is not known to be older than its first sight.
            next[thread.id] = Stall(
                task: task, thread: thread.id, wait: wait, since: max(since, thread.taskSince ?? since))
        }
        for (thread, stall) in stalls where next[thread] != stall {
            events.append(ChainEvent(time: now.time, .stallEnded, node: stall.task, thread: thread))
        }
        for (thread, stall) in next where stalls[thread] != stall { events.append(event(of: stall)) }
        stalls = next
    }

    private func event(of stall: Stall) -> ChainEvent {
        ChainEvent(time: stall.since, .stalled, node: stall.task, thread: stall.thread, detail: stall.wait.rawValue)
    }

    // MARK: Actors, executors and locks

    private mutating func publish(
        _ address: UInt64, _ kind: NodeKind, _ label: String, _ holder: Surroundings.Holder?, _ time: UInt64,
        _ events: inout [ChainEvent], _ texts: inout [String]
    ) {
        var resource: Resource
        if let known = resources[address], known.kind == kind, known.label == label {
            guard known.holder != holder else { return }
            resource = known
        } else {
            if let known = resources[address] { events.append(ChainEvent(time: time, .fulfilled, node: known.node)) }
            lastNumber += 1
            let node = NodeID(Self.firstNode.rawValue + lastNumber)
            resource = Resource(node: node, kind: kind, label: label, seen: time)
            texts.append(label)
            events.append(creation(of: resource, text: texts.count))
        }
        resource.holder = holder
        resources[address] = resource
        var event = holding(of: resource)
        // The latest report holds; the end of a hold is noticed now.
        if holder == nil { event.time = time }
        events.append(event)
    }

    private func creation(of resource: Resource, text: Int) -> ChainEvent {
        ChainEvent(
            time: resource.seen, .created, node: resource.node, text: UInt32(text),
            detail: UInt16(resource.kind.rawValue), flags: .late)
    }

    private func holding(of resource: Resource) -> ChainEvent {
        ChainEvent(
            time: resource.holder?.since ?? resource.seen, .heldBy, node: resource.node,
            other: resource.holder?.task ?? .none, thread: resource.holder?.thread ?? 0)
    }

    private mutating func waitForLocks(_ now: Surroundings, _ events: inout [ChainEvent]) {
        var next: [NodeID: UInt64] = [:]
        for lock in now.locks {
            for waiting in lock.waiting where waiting.since < now.time {
                guard let task = waiting.task else { continue }
                next[task] = lock.address
                if lockWaits[task] != lock.address, let event = wait(of: task, for: lock.address, waiting.since) {
                    events.append(event)
                }
            }
        }
        // A task that got its lock runs on, which nothing else says.
        for task in lockWaits.keys where next[task] == nil {
            events.append(
                ChainEvent(time: now.time, .waitsFor, node: task, detail: WaitTarget.unknown.rawValue))
        }
        lockWaits = next
    }

    private func wait(of task: NodeID, for address: UInt64, _ since: UInt64) -> ChainEvent? {
        resources[address].map {
            ChainEvent(time: since, .waitsFor, node: task, other: $0.node, detail: WaitTarget.lock.rawValue)
        }
    }
}

extension LockReading.Kind {
    fileprivate var word: String {
        switch self {
        case .mutex: "mutex"
        case .inheriting: "Mutex"
        }
    }
}
