// SPDX-License-Identifier: MIT

import ChainEvents
import ChainSystem

/// Makes batches of what is read.
final class OutsidePublisher {
    let reader: OutsideReader
    private(set) var process: ProcessDescription
    private let names = FunctionNames()
    private var sequence: UInt64 = 0
    /// The numbers of call sites by the name of the function.
    private var sites: [String: SiteID] = [:]
    /// The events made so far: nothing is lost on the way.
    private var eventCount: UInt64 = 0
    /// When the first pass over memory began.
    private let epoch = SystemTime.monotonic
    private var isStateComplete = false
    /// Whether nothing is published before the layout was checked on all tasks, because the runtime states no version.
    private var isHeld: Bool
    private var resources = ResourcePublisher()
    private var futures = FuturePublisher()
    /// Whether functions are named, for which the symbols of files are read.
    private let readsNames: Bool
    /// The ``OutsideReader/imageGeneration`` of ``names`` and ``stackTexts``.
    private var imageGeneration = 0
    /// The texts of stacks, by their frames.
    private var stackTexts: [[UInt64]: String] = [:]
    /// The indices of the stacks of a reading, by their texts, and the number of its batch.
    private var stackIndices: (sequence: UInt64, indices: [String: UInt32]) = (0, [:])
    /// Tasks of the system's own, which are not shown.
    private var hidden: Set<NodeID> = []

    /// Nodes and events in one batch.
    private static let batchLimit = 4_096
    /// Frames of tasks that are named in one part of all live tasks.
    private static let partSize = 1_000
    /// The most different stacks whose texts are remembered.
    private static let stackLimit = 10_000

    init(_ reader: OutsideReader, readsNames: Bool = true) {
        (self.reader, self.readsNames) = (reader, readsNames)
        let wall = SystemTime.wall
        var process = ProcessDescription(
            key: reader.identity.key, pid: reader.pid, name: reader.identity.name, wallOffset: wall &- epoch,
            startTime: wall, isReadOnly: true)
        process.isReadFromOutside = true
        process.missingTaskFacts = [.outcome]
        let program = reader.images.images.first { $0.path == reader.images.program }
        if program?.hasSymbols == false { process.missingTaskFacts.insert(.symbols) }
        self.process = process
        isHeld = !LayoutCheck.knows(reader.runtime.layout)
    }

    /// Checks the layout on the tasks that the first pass has found. Returns whether ``process`` has changed.
    func checkLayout() -> Bool {
        let missing = LayoutCheck(reader.followed.values, reader.runtime.layout).missing
        process.missingTaskFacts.formUnion(missing)
        return !missing.isEmpty
    }

    // MARK: Batches

    /// Returns the batch that begins the state; the tasks that the first pass finds follow.
    func stateBegin() -> [EventBatch] {
        var batch = makeBatch()
        batch.resync = .begin(epoch: epoch)
        return [batch]
    }

    /// Returns a batch that says how much memory the first pass has looked at.
    func progress() -> [EventBatch] {
        guard let scan = reader.scan, !isStateComplete else { return [] }
        var batch = makeBatch()
        batch.memoryProgress = MemoryProgress(done: scan.doneCount, total: scan.byteCount)
        return [batch]
    }

    func stateEnd() -> [EventBatch] {
        isStateComplete = true
        var batches: [EventBatch] = []
        if isHeld {
            isHeld = false
            hidden = Set(reader.followed.values.filter(isOfSystem).map(\.node))
            batches = state().dropLast()
        }
        var batch = makeBatch()
        batch.resync = .end(epoch: epoch)
        return batches + [batch]
    }

    /// Returns the whole state.
    func state() -> [EventBatch] {
        guard sequence > 0, !isHeld else { return [] }
        var batches = [makeBatch()]
        let now = batches[0].time
        batches[0].resync = .begin(epoch: now)
        let shown = reader.followed.values.filter { !hidden.contains($0.node) }
        if isStateComplete { batches[0].stateNodeCount = UInt64(shown.count) }
        for (name, site) in sites { batches[0].sites[site] = CodeLocation(fileID: name, line: 0) }
        add(resources.state(at: now), to: &batches)
        add(futures.state(), to: &batches)
        add(shown, to: &batches) { $1.nodes.append(self.snapshot(of: $0, in: &$1)) }
        add(shown, to: &batches) { self.addWait(of: $0, to: &$1) }
        guard isStateComplete else { return batches }
        var last = makeBatch()
        last.resync = .end(epoch: now)
        return batches + [last]
    }

    /// Returns the batches for what has changed.
    ///
    /// - Parameter surroundings: the threads, executors and locks, if they were read with it.
    func changes(_ found: OutsideReader.Changes, _ surroundings: Surroundings? = nil) -> [EventBatch] {
        if imageGeneration != reader.imageGeneration {
            imageGeneration = reader.imageGeneration
            names.forget()
            stackTexts = [:]
        }
        guard !isHeld else {
            if let surroundings { _ = (resources.update(surroundings), futureChanges(surroundings)) }
            return []
        }
        let changes = visible(found)
        let known = resources
        var around = surroundings.map { resources.update($0) } ?? ResourcePublisher.Report()
        // A task runs since it was seen to run, not since its thread was found.
        if around.events.contains(where: { $0.kind == .resumed }) {
            var since: [NodeID: UInt64] = [:]
            for followed in reader.followed.values where followed.task.isRunning {
                since[followed.node] = followed.since
            }
            for index in around.events.indices where around.events[index].kind == .resumed {
                around.events[index].time = since[around.events[index].node] ?? around.events[index].time
            }
        }
        let pending = surroundings.map(futureChanges) ?? ResourcePublisher.Report()
        guard !changes.isEmpty || !around.events.isEmpty || !around.threads.isEmpty || !pending.events.isEmpty else {
            return []
        }
        var batches = [makeBatch()]
        // The state is published as snapshots, because the tasks were made before.
        add(changes.made, to: &batches) { task, batch in
            if self.isStateComplete {
                self.addCreation(of: task, to: &batch)
            } else {
                batch.nodes.append(self.snapshot(of: task, in: &batch))
            }
        }
        add(changes.changed, to: &batches) { if !$0.isMoving { self.addStep(of: $0, to: &$1) } }
        add(around, to: &batches)
        add(pending, to: &batches)
        // Tasks wait for what has a node now, or had one at the last look.
        let moved = Set((changes.made + changes.changed).map(\.node))
        let others = reader.followed.values.filter { followed in
            guard !moved.contains(followed.node), case .executor(let address)? = followed.facts.wait else {
                return false
            }
            return resources.resource(at: address)?.node != known.resource(at: address)?.node
        }
        add(changes.made + changes.changed + others, to: &batches) { self.addWait(of: $0, to: &$1) }
        let now = SystemTime.monotonic
        for node in changes.ended {
            if batches[batches.count - 1].events.count >= Self.batchLimit { batches.append(makeBatch()) }
            batches[batches.count - 1].events.append(ChainEvent(time: now, .fulfilled, node: node))
        }
        return counted(batches)
    }

    /// Returns what has changed of the pending futures.
    private func futureChanges(_ surroundings: Surroundings) -> ResourcePublisher.Report {
        guard let pending = surroundings.futures else { return ResourcePublisher.Report() }
        return futures.update(pending, at: surroundings.time) { self.names.closure(at: $0, in: self.reader.images) }
    }

    /// Returns the batches for the end of the process.
    func allEnded() -> [EventBatch] {
        var changes = OutsideReader.Changes()
        changes.ended = reader.followed.values.map(\.node).sorted()
        return self.changes(changes)
    }

    /// Leaves out the tasks that the system's own functions make for themselves, such as one for each `Task.sleep`: they
    /// wait for nothing that a task can wait for, and none of their functions is the program's.
    private func visible(_ found: OutsideReader.Changes) -> OutsideReader.Changes {
        var changes = OutsideReader.Changes()
        for task in found.made {
            if isOfSystem(task) { hidden.insert(task.node) } else { changes.made.append(task) }
        }
        for task in found.changed {
            guard hidden.contains(task.node) else {
                changes.changed.append(task)
                continue
            }
            guard !isOfSystem(task) else { continue }
            hidden.remove(task.node)
            changes.made.append(task)
        }
        changes.ended = found.ended.filter { hidden.remove($0) == nil }
        return changes
    }

    private func isOfSystem(_ followed: OutsideReader.Followed) -> Bool {
        guard readsNames, followed.facts.wait == nil, !followed.task.isRunning, !followed.task.isEnqueued else {
            return false
        }
        let functions = followed.facts.frames.map { names.function(at: $0, in: reader.images) }
        return functions.contains { $0.name != nil } && functions.allSatisfy { $0.isOfSystem || $0.name == nil }
    }

    private func add(
        _ tasks: [OutsideReader.Followed], to batches: inout [EventBatch],
        _ body: (OutsideReader.Followed, inout EventBatch) -> Void
    ) {
        // Parents come before their children, because they have lower ids.
        for task in tasks.sorted(by: { $0.task.id < $1.task.id }) {
            let count = batches[batches.count - 1].nodes.count + batches[batches.count - 1].events.count
            if count >= Self.batchLimit { batches.append(makeBatch()) }
            body(task, &batches[batches.count - 1])
        }
    }

    private func makeBatch() -> EventBatch {
        sequence += 1
        var batch = EventBatch(process: process.key, sequence: sequence, time: SystemTime.monotonic)
        batch.loss = EventCounts(madeCount: eventCount, deliveredCount: eventCount)
        return batch
    }

    private func counted(_ batches: [EventBatch]) -> [EventBatch] {
        batches.map { batch in
            var batch = batch
            eventCount += UInt64(batch.events.count)
            batch.loss = EventCounts(madeCount: eventCount, deliveredCount: eventCount)
            return batch
        }
    }

    // MARK: Tasks

    private func snapshot(of followed: OutsideReader.Followed, in batch: inout EventBatch) -> NodeSnapshot {
        var snapshot = NodeSnapshot(id: followed.node, kind: .task)
        snapshot.creator = parent(of: followed)
        snapshot.label = followed.facts.name
        snapshot.site = site(of: followed, in: &batch)
        snapshot.seen = followed.seen
        if followed.isQueued {
            snapshot.queued = followed.since
        } else {
            snapshot.switched = followed.since
            if !followed.task.isRunning { snapshot.flags.insert(.suspended) }
        }
        snapshot.thread = thread(of: followed)
        snapshot.cancelRequested = followed.task.isCancelled
        return snapshot
    }

    private func addCreation(of followed: OutsideReader.Followed, to batch: inout EventBatch) {
        var event = ChainEvent(
            time: followed.seen, .created, node: followed.node, other: parent(of: followed),
            site: site(of: followed, in: &batch), detail: UInt16(NodeKind.task.rawValue), flags: .late)
        if let name = followed.facts.name {
            batch.texts.append(name)
            event.text = UInt32(batch.texts.count)
        }
        batch.events.append(event)
        addStep(of: followed, to: &batch)
    }

    private func addStep(of followed: OutsideReader.Followed, to batch: inout EventBatch) {
        if followed.task.isCancelled {
            batch.events.append(ChainEvent(time: followed.since, .cancelRequested, node: followed.node))
        }
        let kind: EventKind = followed.isQueued ? .queued : followed.task.isRunning ? .resumed : .suspended
        batch.events.append(
            ChainEvent(time: followed.since, kind, node: followed.node, thread: thread(of: followed)))
    }

    /// Adds what a suspended task waits for, and where; of a task that changed while it was read, that it did.
    private func addWait(of followed: OutsideReader.Followed, to batch: inout EventBatch) {
        if let time = followed.movingSince {
            batch.events.append(
                ChainEvent(time: time, .waitsFor, node: followed.node, detail: WaitTarget.moving.rawValue))
        }
        guard !followed.task.isRunning else { return }
        if !followed.isMoving, let wait = followed.facts.wait {
            let (target, node) = target(of: wait)
            batch.events.append(
                ChainEvent(
                    time: followed.since, .waitsFor, node: followed.node, other: node, detail: target.rawValue))
        }
        guard hasStack(followed) else { return }
        if stackIndices.sequence != batch.sequence { stackIndices = (batch.sequence, [:]) }
        // Changed in place, because a copy for each task would copy all the entries before it.
        if batch.frames == nil {
            batch.frames = FrameReading(time: batch.time, taskCount: UInt32(clamping: reader.followed.count))
        }
        add(followed, to: &batch.frames!, &stackIndices.indices)
        batch.frames!.readCount += 1
    }

    /// Whether it is known where a task is suspended.
    private func hasStack(_ followed: OutsideReader.Followed) -> Bool {
        !followed.facts.frames.isEmpty && showsStacks
    }

    /// Adds where a task is suspended; equal stacks are added once.
    private func add(
        _ followed: OutsideReader.Followed, to reading: inout FrameReading, _ indices: inout [String: UInt32]
    ) {
        let text = stackText(of: followed.facts.frames)
        let index = indices[text] ?? UInt32(reading.stacks.count)
        if index == reading.stacks.count {
            reading.stacks.append(text)
            indices[text] = index
        }
        reading.entries.append(.init(node: followed.node, stack: index))
    }

    private func target(of wait: TaskWait) -> (WaitTarget, NodeID) {
        switch wait {
        case .task(let address): (.task, reader.followed[address]?.node ?? .none)
        case .continuation: (.continuation, .none)
        case .group: (.group, .none)
        case .pool: (.pool, .none)
        case .executor(let address):
            resources.resource(at: address).map { ($0.kind == .actor ? .actor : .executor, $0.node) } ?? (.actor, .none)
        }
    }

    private var showsStacks: Bool { readsNames && !process.missingTaskFacts.contains(.stack) }

    private func stackText(of frames: [UInt64]) -> String {
        if let known = stackTexts[frames] { return known }
        let text = names.text(of: frames, in: reader.images)
        if stackTexts.count >= Self.stackLimit { stackTexts = [:] }
        stackTexts[frames] = text
        return text
    }

    private func add(_ around: ResourcePublisher.Report, to batches: inout [EventBatch]) {
        guard !around.events.isEmpty || !around.threads.isEmpty else { return }
        batches.append(makeBatch())
        batches[batches.count - 1].threads = around.threads
        batches[batches.count - 1].texts = around.texts
        batches[batches.count - 1].events = around.events
    }

    private func parent(of followed: OutsideReader.Followed) -> NodeID {
        process.missingTaskFacts.contains(.parent) ? .none : followed.parent
    }

    private func thread(of followed: OutsideReader.Followed) -> ThreadID {
        followed.task.isRunning ? resources.thread(of: followed.node) : 0
    }

    /// Returns the number of the function that a task was made with; 0 if it is not known.
    private func site(of followed: OutsideReader.Followed, in batch: inout EventBatch) -> SiteID {
        guard showsStacks, let name = names.origin(of: followed.facts.frames, in: reader.images) else { return 0 }
        if let known = sites[name] { return known }
        let site = SiteID(sites.count + 1)
        sites[name] = site
        batch.sites[site] = CodeLocation(fileID: name, line: 0)
        return site
    }

    // MARK: Commands

    func answer(_ request: ViewerCommand.Request) -> CommandReply.Outcome {
        switch request {
        case .cancel:
            .refused(
                "\(process.name) is read from outside, and takes no commands: link ChainInspector, or start it with `chainview run --tasks`, to cancel"
            )
        case .resync: .refused("\(process.name) is read from outside: its state is read all the time")
        case .describe(let node): describe(node)
        case .threadStack(let node): threadStack(node)
        case .frames(let scope): .frames(frames(of: scope))
        case .nodesOfTasks(let numbers): .nodes(numbers.map { NodeID($0) })
        case .dump: .refused("\(process.name) is read from outside, and has no flight recorder")
        }
    }

    private func describe(_ node: NodeID) -> CommandReply.Outcome {
        if let future = futures.future(node) {
            return .described(
                NodeDetail(
                    node: node,
                    entries: [
                        .init(name: "callbacks", text: "\(future.callbackCount)"),
                        .init(name: "futures", text: "\(futures.count) pending in the program"),
                    ]))
        }
        guard let followed = reader.followed(node) else { return .refused("\(node) has ended") }
        var entries: [NodeDetail.Entry] = []
        if let wait = followed.facts.wait { entries.append(.init(name: "waits for", text: words(wait))) }
        if followed.task.isCancelled { entries.append(.init(name: "task", text: "cancelled")) }
        if let priority = followed.task.priorityName { entries.append(.init(name: "priority", text: priority)) }
        if followed.isMoving {
            entries.append(.init(name: "moving", text: "it changed while it was read: this is its last state"))
        }
        let stack = showsStacks ? names.placedText(of: followed.facts.frames, in: reader.images) : ""
        if !stack.isEmpty { entries.append(.init(name: "suspended in", text: stack)) }
        return .described(NodeDetail(node: node, entries: entries))
    }

    /// Stops each thread that runs a task, one after the other, and returns the stacks.
    func threadStacks() throws(OutsideError) -> [NodeID: ThreadStack] {
        var stacks: [NodeID: ThreadStack] = [:]
        for followed in reader.followed.values.sorted(by: { $0.task.id < $1.task.id }) where followed.task.isRunning {
            guard let stack = try stack(of: followed) else { continue }
            stacks[followed.node] = ThreadStack(
                thread: stack.thread, frames: stack.addresses.map { names.place(of: $0, in: reader.images) },
                stoppedTime: stack.stoppedTime)
        }
        return stacks
    }

    /// Stops the thread that runs a task, and returns the addresses of its stack; nil if no thread is known to run it, or if
    /// that runs something else by now.
    private func stack(
        of followed: OutsideReader.Followed
    ) throws(OutsideError) -> (thread: Int32, addresses: [UInt64], stoppedTime: UInt64)? {
        let thread = Int32(bitPattern: resources.thread(of: followed.node))
        guard thread != 0, let stack = try reader.stack(of: thread, running: followed) else { return nil }
        return (thread, stack.addresses, stack.stoppedTime)
    }

    private func threadStack(_ node: NodeID) -> CommandReply.Outcome {
        guard let followed = reader.followed(node) else { return .refused("\(node) has ended") }
        let found: (thread: Int32, addresses: [UInt64], stoppedTime: UInt64)?
        do throws(OutsideError) { found = try stack(of: followed) } catch { return .refused(error.description) }
        guard let found else { return .refused("no thread is known to run it now") }
        let lines = found.addresses.map { names.placedName(of: $0, in: reader.images) }
        return .described(
            NodeDetail(
                node: node,
                entries: [
                    .init(name: "thread", text: "\(found.thread), stopped for \(Self.milliseconds(found.stoppedTime))"),
                    .init(name: "stack", text: lines.joined(separator: "\n")),
                ]))
    }

    private static func milliseconds(_ time: UInt64) -> String { "\(time / 1_000_000).\(time / 100_000 % 10)ms" }

    private func words(_ wait: TaskWait) -> String {
        switch wait {
        case .task(let address): reader.followed[address].map { "task \($0.node)" } ?? "a task"
        case .continuation: "a continuation"
        case .group: "the next result of its task group"
        case .executor(let address): "a turn on an actor (0x\(String(address, radix: 16)))"
        case .pool: "a thread of the pool"
        }
    }

    /// Returns where suspended tasks continue.
    private func frames(of scope: FrameScope) -> FrameReading {
        let tasks: [OutsideReader.Followed]
        let partCount = max(1, (reader.followed.count + Self.partSize - 1) / Self.partSize)
        switch scope {
        case .nodes(let nodes):
            let wanted = Set(nodes.prefix(FrameScope.nodeLimit))
            tasks = reader.followed.values.filter { wanted.contains($0.node) }
        case .part(let part): tasks = reader.followed.values.filter { Int($0.task.id % UInt64(partCount)) == Int(part) }
        }
        var reading = FrameReading(
            time: SystemTime.monotonic, taskCount: UInt32(clamping: reader.followed.count),
            partCount: UInt32(partCount), readCount: UInt32(tasks.count))
        var indices: [String: UInt32] = [:]
        for followed in tasks where hasStack(followed) { add(followed, to: &reading, &indices) }
        return reading
    }
}

extension OutsideReader.Followed {
    /// Whether it waits for a thread and did not run since it was first seen.
    fileprivate var isQueued: Bool { task.isEnqueued && !task.isRunning && facts.frames.count <= 1 && seen == since }
}

extension OutsideTask {
    /// The word for the priority (`JobPriority` in `swift/ABI/MetadataValues.h`); nil where none was set.
    var priorityName: String? {
        switch priority {
        case 0x21: "user interactive"
        case 0x19: "user initiated"
        case 0x15: "medium"
        case 0x11: "low"
        case 0x09: "background"
        default: nil
        }
    }
}
