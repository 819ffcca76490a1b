// SPDX-License-Identifier: MIT

import ChainEvents

/// Joins what is read of a program's memory with what the program itself reports: what its tasks wait for, and who holds
/// the actors, executors and locks that they wait for.
///
/// In memory tasks have the runtime's numbers; in the program's reports they have ids of nodes. The program is asked which
/// belong together. Tasks that it does not know are left out. What a task waits for is reported only if a look at the
/// memory began after the program said that the task was suspended: until then it may be what the task waited for before.
/// It waits since that time. If memory shows it to wait for something else before the program says that it ran, it waits
/// since memory showed that; if memory shows it to run, it waits for nothing that is known.
package struct TaskJoin {
    /// What is to be added to the program's events.
    package struct Addition {
        package var events: [ChainEvent] = []
        package var texts: [String] = []

        package init() {}

        package var isEmpty: Bool { events.isEmpty }
    }

    /// An actor, an executor or a lock.
    private struct Resource {
        var creation: ChainEvent
        var label: String
        /// With the runtime's number of the task.
        var holding: ChainEvent?
    }

    /// By the runtime's numbers: what tasks wait for, as read last.
    private var waits: [NodeID: ChainEvent] = [:]
    private var resources: [NodeID: Resource] = [:]
    /// By the runtime's numbers, the nodes of tasks; none for tasks that the program does not know.
    private var nodes: [NodeID: NodeID] = [:]
    /// The runtime's numbers of nodes.
    private var tasks: [NodeID: NodeID] = [:]
    /// Numbers that the program was asked about, or is to be asked about.
    private var unanswered: Set<NodeID> = []
    private var questions: [NodeID] = []
    /// Since when nodes have been suspended, as the program says.
    private var suspensions: [NodeID: UInt64] = [:]
    /// By the runtime's numbers, since when a task was suspended whose wait was reported last.
    private var reported: [NodeID: UInt64] = [:]
    /// The tasks and resources about which something is to be reported.
    private var unreportedWaits: Set<NodeID> = []
    private var unreportedHolders: Set<NodeID> = []
    /// When the last look at the memory began, on the clock of the program's events.
    private var lookTime: UInt64 = 0
    /// Whether the program's state is complete.
    private var isComplete = false

    package init() {}

    // MARK: The program's reports

    /// Takes a batch of the program. If it completes the program's state, returns what is to be added before the batch: a
    /// state has all nodes.
    package mutating func take(program batch: EventBatch) -> Addition {
        if case .begin? = batch.resync {
            isComplete = false
            suspensions = [:]
        }
        for node in batch.nodes where node.kind == .task {
            note(node.id, isSuspended: node.flags.contains(.suspended) && node.settlement == .pending, node.switched)
        }
        for event in batch.events {
            switch event.kind {
            case .suspended: note(event.node, isSuspended: true, event.time)
            case .resumed: note(event.node, isSuspended: false, event.time)
            case .fulfilled, .rejected, .cancelled, .abandoned: forget(event.node)
            default: break
            }
        }
        guard case .end? = batch.resync else { return Addition() }
        isComplete = true
        var addition = Addition()
        for node in resources.keys.sorted() { add(resources[node]!, to: &addition) }
        reported = [:]
        unreportedWaits = Set(waits.keys)
        // Tasks that were made before the program began to report are known to it from their next step on.
        nodes = nodes.filter { $0.value != .none }
        for wait in waits.values { askAbout(wait) }
        for resource in resources.values { if let holding = resource.holding { askAbout(holding) } }
        return addition
    }

    /// Returns what takes everything back that was reported, and forgets it.
    package mutating func end(at time: UInt64) -> Addition {
        defer { self = TaskJoin() }
        var addition = Addition()
        guard isComplete else { return addition }
        for task in reported.keys { addEnd(ofWaitOf: task, at: time, to: &addition) }
        for node in resources.keys.sorted() {
            addition.events.append(ChainEvent(time: time, .fulfilled, node: node))
        }
        return addition
    }

    private mutating func note(_ node: NodeID, isSuspended: Bool, _ time: UInt64) {
        guard isSuspended else {
            suspensions[node] = nil
            return
        }
        suspensions[node] = time
        if let task = tasks[node], waits[task] != nil { unreportedWaits.insert(task) }
    }

    private mutating func forget(_ node: NodeID) {
        suspensions[node] = nil
        if let task = tasks.removeValue(forKey: node) { nodes[task] = NodeID.none }
    }

    // MARK: The memory

    /// Takes a batch of what was read from memory.
    package mutating func take(outside batch: EventBatch) -> Addition {
        var addition = Addition()
        for node in batch.nodes where node.kind == .task { ask(node.id) }
        for event in batch.events {
            if event.node >= ResourcePublisher.firstNode {
                takeResource(event, batch.text(of: event), &addition)
            } else {
                takeTask(event, &addition)
            }
        }
        return addition
    }

    private mutating func takeTask(_ event: ChainEvent, _ addition: inout Addition) {
        switch event.kind {
        case .created: ask(event.node)
        case .waitsFor where event.other == .none && (event.waitTarget == .unknown || event.waitTarget == .moving):
            forgetWait(of: event.node, at: event.time, &addition)
        case .waitsFor:
            askAbout(event)
            waits[event.node] = event
            unreportedWaits.insert(event.node)
        case .suspended, .resumed, .queued: forgetWait(of: event.node, at: event.time, &addition)
        case .fulfilled:
            waits[event.node] = nil
            unreportedWaits.remove(event.node)
            reported[event.node] = nil
            if let node = nodes.removeValue(forKey: event.node) { tasks[node] = nil }
            unanswered.remove(event.node)
        default: break
        }
    }

    /// Forgets what a task waits for, because it waits for nothing, or for something else, since a time.
    private mutating func forgetWait(of task: NodeID, at time: UInt64, _ addition: inout Addition) {
        waits[task] = nil
        unreportedWaits.remove(task)
        if isComplete { addEnd(ofWaitOf: task, at: time, to: &addition) }
    }

    private mutating func addEnd(ofWaitOf task: NodeID, at time: UInt64, to addition: inout Addition) {
        // Kept as reported: what the task waits for next, in the same suspension, replaces this.
        guard let since = reported[task], let node = nodes[task], node != .none else { return }
        addition.events.append(
            ChainEvent(time: max(time, since), .waitsFor, node: node, detail: WaitTarget.unknown.rawValue))
    }

    private mutating func takeResource(_ event: ChainEvent, _ text: String?, _ addition: inout Addition) {
        switch event.kind {
        case .created:
            let resource = Resource(creation: event, label: text ?? "")
            resources[event.node] = resource
            if isComplete { add(resource, to: &addition) }
        case .heldBy:
            askAbout(event)
            resources[event.node]?.holding = event
            unreportedHolders.insert(event.node)
        case .fulfilled:
            resources[event.node] = nil
            unreportedHolders.remove(event.node)
            for (task, wait) in waits where wait.other == event.node {
                forgetWait(of: task, at: event.time, &addition)
            }
            if isComplete { addition.events.append(event) }
        default: break
        }
    }

    private mutating func add(_ resource: Resource, to addition: inout Addition) {
        var creation = resource.creation
        addition.texts.append(resource.label)
        creation.text = UInt32(addition.texts.count)
        addition.events.append(creation)
        if resource.holding != nil { unreportedHolders.insert(creation.node) }
    }

    /// Notes that a look at the memory has ended, whose batches were taken; returns what it has confirmed. `start` is when
    /// it began.
    package mutating func endLook(start: UInt64) -> Addition {
        lookTime = start
        return report()
    }

    // MARK: The numbers of tasks

    private mutating func askAbout(_ event: ChainEvent) {
        if event.node < ResourcePublisher.firstNode { ask(event.node) }
        if event.other != .none, event.other < ResourcePublisher.firstNode { ask(event.other) }
    }

    private mutating func ask(_ task: NodeID) {
        guard nodes[task] == nil, unanswered.insert(task).inserted else { return }
        questions.append(task)
    }

    /// Returns the numbers of tasks that the program is to be asked about, at most as many as fit into one command; empty
    /// if there are none.
    package mutating func nextQuestion() -> [UInt64] {
        // Tasks that have ended meanwhile are not asked about.
        questions.removeAll { !unanswered.contains($0) }
        let count = min(questions.count, FrameScope.nodeLimit)
        defer { questions.removeFirst(count) }
        return questions.prefix(count).map(\.rawValue)
    }

    /// Takes back a question that was not answered, to be asked again.
    package mutating func putBack(_ question: [UInt64]) { questions += question.map { NodeID($0) } }

    /// Takes the answer to a question, and returns what can be reported now.
    package mutating func take(answer: [NodeID], to question: [UInt64]) -> Addition {
        for (index, number) in question.enumerated() {
            let node = index < answer.count ? answer[index] : .none
            // It may have ended meanwhile.
            guard unanswered.remove(NodeID(number)) != nil else { continue }
            nodes[NodeID(number)] = node
            if node != .none { tasks[node] = NodeID(number) }
        }
        return report()
    }

    // MARK: Reporting

    /// Returns the waits and holders that are not reported yet and can be.
    private mutating func report() -> Addition {
        var addition = Addition()
        guard isComplete else { return addition }
        for task in unreportedWaits {
            guard let wait = waits[task] else {
                unreportedWaits.remove(task)
                continue
            }
            guard let node = nodes[task], let other = self.node(of: wait.other) else { continue }
            guard node != .none else {
                unreportedWaits.remove(task)
                continue
            }
            // A running task may wait for a lock. Otherwise the program has to say that the task is suspended first.
            let isLock = wait.waitTarget == .lock
            guard let since = isLock ? wait.time : suspensions[node], isLock || since < lookTime else { continue }
            var event = wait
            // In the same suspension the latest report holds, and is believed from when memory showed it.
            let isFirst = reported[task] != since
            (event.node, event.other, event.time) = (node, other, isFirst ? since : max(since, wait.time))
            addition.events.append(event)
            reported[task] = since
            unreportedWaits.remove(task)
        }
        for resource in unreportedHolders {
            guard var event = resources[resource]?.holding else {
                unreportedHolders.remove(resource)
                continue
            }
            guard let holder = self.node(of: event.other) else { continue }
            event.other = holder
            addition.events.append(event)
            unreportedHolders.remove(resource)
        }
        return addition
    }

    /// Returns the node of a task by its number, or of a resource by itself; nil if it is not known yet.
    private func node(of number: NodeID) -> NodeID? {
        number == .none || number >= ResourcePublisher.firstNode ? number : nodes[number]
    }
}
