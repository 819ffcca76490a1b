// SPDX-License-Identifier: MIT

/// An actor or another serial executor of another process, as read at one time.
struct ExecutorReading: Hashable, Sendable {
    /// The name of its type with those that it is in, such as `Swift.DispatchMainExecutor`.
    let name: String
    /// Whether it is an actor with the runtime's own queue.
    let isDefaultActor: Bool
    /// Nil for an executor that is not a default actor.
    let state: ActorState?

    /// Whether it runs its jobs on the main thread.
    var isMain: Bool { name == "Swift.DispatchMainExecutor" || name == "Swift.MainActor" }
}

/// The state of an actor with the runtime's own queue.
enum ActorState: UInt8, Sendable {
    /// No job waits for it.
    case idle = 0
    /// It waits for a thread of the pool.
    case scheduled = 1
    /// A thread runs its jobs.
    case running = 2
    /// It was released, and ends after its last job.
    case ending = 3
}

/// Reads actors and other serial executors.
struct ExecutorReader {
    private struct TypeFacts {
        let name: String
        let isDefaultActor: Bool
    }

    /// By the address of the metadata, which stays where it is.
    private var types: [UInt64: TypeFacts] = [:]

    private static let typeLimit = 10_000, depthLimit = 8, queueLimit = 100_000
    // From `swift/ABI/Metadata.h`: the descriptor in the metadata of a class where Objective-C is not supported. From
    // `Actor.cpp`: the state and the first new job of a default actor, and before the next word its sorted jobs.
    private static let descriptor: UInt64 = 40, actorState: UInt64 = 32
    private static let lastClassKind: UInt64 = 0x7FF

    /// Reads the executor at an address; nil if there is no object of a class with a name.
    mutating func read(_ address: UInt64, _ memory: ProcessMemory, _ map: MemoryMap) -> ExecutorReading? {
        guard address & 7 == 0, map.isWritable(address), let metadata = memory.word(address),
            let type = facts(metadata, memory, map)
        else { return nil }
        var state: ActorState?
        if type.isDefaultActor {
            guard let word = memory.word(address &+ Self.actorState) else { return nil }
            state = ActorState(rawValue: UInt8(word & 7))
        }
        return ExecutorReading(name: type.name, isDefaultActor: type.isDefaultActor, state: state)
    }

    /// Returns the tasks that wait for a default actor in the order in which it will run them; those that are not found
    /// in its queue come last. An actor has a list of jobs by priority, and one of new jobs, the newest first.
    func inOrder(_ waiting: [OutsideTask], of actor: UInt64, _ memory: ProcessMemory) -> [OutsideTask] {
        guard waiting.count > 1, waiting.count <= Self.queueLimit,
            let words = memory.words(actor &+ Self.actorState, 3)
        else { return waiting }
        // A job begins with two words of an object, and the next job.
        let links = memory.pieces(at: waiting.map { $0.address &+ 16 }, words: 1)
        var pending: [UInt64: (task: OutsideTask, next: UInt64)] = [:]
        for (task, link) in zip(waiting, links) { pending[task.address] = (task, link & ~3) }
        func list(from first: UInt64) -> [OutsideTask] {
            var found: [OutsideTask] = []
            var address = first & ~3
            while let (task, next) = pending.removeValue(forKey: address) {
                found.append(task)
                address = next
            }
            return found
        }
        let sorted = list(from: words[2])
        let new = list(from: words[1]).reversed()
        var queue = sorted + new
        // Equal priorities keep their order.
        queue = queue.enumerated().sorted { left, right in
            (right.element.priority, left.offset) < (left.element.priority, right.offset)
        }.map(\.element)
        return queue + waiting.filter { pending[$0.address] != nil }
    }

    // MARK: Types

    private mutating func facts(_ metadata: UInt64, _ memory: ProcessMemory, _ map: MemoryMap) -> TypeFacts? {
        if let known = types[metadata] { return known }
        guard metadata & 7 == 0, map.isReadable(metadata), let kind = memory.word(metadata),
            kind == 0 || kind > Self.lastClassKind, let descriptor = memory.word(metadata &+ Self.descriptor),
            let flags = halves(descriptor, memory, map)?.flags, flags & 31 == 16,
            let name = typeName(descriptor, memory, map)
        else { return nil }
        // `Class_IsDefaultActor`.
        let facts = TypeFacts(name: name, isDefaultActor: flags >> 24 & 1 != 0)
        if types.count >= Self.typeLimit { types = [:] }
        types[metadata] = facts
        return facts
    }

    /// Returns the name of a type with those of the types and the module that it is in.
    private func typeName(_ descriptor: UInt64, _ memory: ProcessMemory, _ map: MemoryMap) -> String? {
        var names: [String] = []
        var address = descriptor
        for _ in 0..<Self.depthLimit {
            guard let (flags, parent, name) = halves(address, memory, map) else { return nil }
            // A module, a class, a structure, an enumeration; extensions and anonymous contexts have no name.
            if [0, 16, 17, 18].contains(flags & 31) {
                guard let text = memory.text(offset(address &+ 8, name)), !text.isEmpty else { return nil }
                names.append(text)
            }
            guard parent != 0 else { return names.reversed().joined(separator: ".") }
            // The lowest bit says that the address is that of a pointer.
            let next = offset(address &+ 4, parent & ~1)
            guard let target = parent & 1 == 0 ? next : memory.word(next) else { return nil }
            address = target
        }
        return nil
    }

    /// Returns the flags of a descriptor, and the distances of its parent and its name from their places.
    private func halves(
        _ descriptor: UInt64, _ memory: ProcessMemory, _ map: MemoryMap
    ) -> (flags: UInt32, parent: Int32, name: Int32)? {
        guard descriptor & 3 == 0, map.isReadable(descriptor), let words = memory.words(descriptor, 2) else {
            return nil
        }
        return (
            UInt32(truncatingIfNeeded: words[0]), Int32(truncatingIfNeeded: words[0] >> 32),
            Int32(truncatingIfNeeded: words[1])
        )
    }

    private func offset(_ address: UInt64, _ distance: Int32) -> UInt64 {
        address &+ UInt64(bitPattern: Int64(distance))
    }
}
