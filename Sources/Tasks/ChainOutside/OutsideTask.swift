// SPDX-License-Identifier: MIT

/// A task in the memory of another process, as read at one time.
struct OutsideTask: Hashable, Sendable {
    let address: UInt64
    /// The runtime's number for it, from 1 in the order of creation.
    let id: UInt64
    let flags: UInt32
    let status: UInt32
    /// The function in which it continues, and the context of that function.
    let resume: UInt64
    let context: UInt64
    /// The first of its status records; 0 for none.
    let record: UInt64
    /// For a child: the task that made it, and the next child of it; else 0.
    let parent: UInt64
    let next: UInt64

    /// What a piece of memory that begins as a task does is.
    enum Verdict: Equatable {
        case live, complete, freed, noTask
    }

    // Flags, by `JobFlags` and `TaskFlags` in `swift/ABI/MetadataValues.h`.
    var isChild: Bool { flags & 1 << 24 != 0 }
    var isGroupChild: Bool { flags & 1 << 26 != 0 }
    var isAsyncLet: Bool { flags & 1 << 28 != 0 }
    /// From 9 (background) to 33 (user interactive); 0 where none was set.
    var priority: UInt8 { UInt8(truncatingIfNeeded: status) }

    // The status, by `ActiveTaskStatusFlags` in `TaskPrivate.h`.
    var isCancelled: Bool { status & 0x100 != 0 }
    var isRunning: Bool { status & 0x800 != 0 }
    var isEnqueued: Bool { status & 0x1000 != 0 }
    private var isComplete: Bool { status & 0x2000 != 0 }

    /// Reads a task from the words at an address.
    ///
    /// Memory that was freed, or that only looks like a task, is told from live tasks by what the runtime guarantees: an
    /// ended task keeps its status, a task that is released has the bit for that in its reference count, and functions
    /// and contexts lie where functions and contexts can lie.
    static func read(
        _ words: UnsafeBufferPointer<UInt64>, at address: UInt64, _ layout: TaskLayout, _ metadata: [UInt64],
        _ map: MemoryMap
    ) -> (task: OutsideTask, verdict: Verdict)? {
        guard words.count * 8 >= TaskLayout.readSize, metadata.contains(words[0]) else { return nil }
        let flags = UInt32(truncatingIfNeeded: words[TaskLayout.flags / 8])
        let isChild = flags & 1 << 24 != 0
        var fragment = layout.taskSize / 8
        if let nameOffset = layout.nameOffset, flags & 1 << 30 != 0 {
            // The pointer to the name, and in some versions its length, which is no address.
            fragment = nameOffset / 8 + 1
            if !map.isWritable(words[fragment]) { fragment += 1 }
        }
        let task = OutsideTask(
            address: address,
            id: words[TaskLayout.id / 8] >> 32 | (words[TaskLayout.upperID / 8] & 0xFFFF_FFFF) << 32,
            flags: flags, status: UInt32(truncatingIfNeeded: words[TaskLayout.status / 8]),
            resume: words[TaskLayout.resume / 8], context: words[TaskLayout.context / 8],
            record: words[TaskLayout.record / 8], parent: isChild ? words[fragment] : 0,
            next: isChild ? words[fragment + 1] : 0)
        return (task, task.verdict(references: words[1], map))
    }

    private func verdict(references: UInt64, _ map: MemoryMap) -> Verdict {
        // The kind of job is a task; bits that no flag has are 0; priorities are known ones.
        guard flags & 0x80FF_00FF == 0, id & 0xFFFF_FFFF != 0, flags >> 8 & 0xFF <= 0x21, priority <= 0x21,
            status >> 16 == 0
        else { return .noTask }
        // The bit of a released object, in a count that is not immortal.
        if !isAsyncLet, references >> 32 & 1 != 0, references >> 63 == 0 { return .freed }
        if isComplete { return .complete }
        guard record & 7 == 0, record == 0 || map.isWritable(record), map.isExecutable(resume), context & 7 == 0,
            context != 0, map.isReadable(context), parent == 0 || map.isWritable(parent)
        else { return .noTask }
        return .live
    }
}
