// SPDX-License-Identifier: MIT

/// The Swift tasks whose frames are to be read.
public enum FrameScope: Hashable, Sendable {
    /// These tasks, at most ``nodeLimit``; the program leaves out the tasks beyond.
    case nodes([NodeID])
    /// One part of all live tasks, from 0 on; a ``FrameReading`` has the number of parts.
    case part(UInt32)

    /// The most tasks that one command names.
    public static let nodeLimit = 256
}

/// The functions in which suspended Swift tasks continue, as read at one time.
public struct FrameReading: Hashable, Sendable {
    /// The frames of one task.
    public struct Entry: Hashable, Sendable {
        /// The task.
        public var node: NodeID
        /// The index of its frames in ``FrameReading/stacks``.
        public var stack: UInt32

        /// Joins a task and its frames.
        public init(node: NodeID, stack: UInt32) {
            self.node = node
            self.stack = stack
        }
    }

    /// When the frames were read, in nanoseconds of the process's clock.
    public var time: UInt64
    /// How many tasks are alive.
    public var taskCount: UInt32
    /// How many parts all live tasks are read in.
    public var partCount: UInt32
    /// How many live tasks were looked at.
    public var readCount: UInt32
    /// Different frames, one function a line, innermost first. Functions of Swift's own libraries and of chainview's
    /// that lead the stack are left out. Bounded by the sender, unescaped: hostile until escaped.
    public var stacks: [String]
    /// The suspended tasks among the tasks that were looked at.
    public var entries: [Entry]

    /// Makes a reading; without tasks by default.
    public init(
        time: UInt64, taskCount: UInt32 = 0, partCount: UInt32 = 0, readCount: UInt32 = 0, stacks: [String] = [],
        entries: [Entry] = []
    ) {
        self.time = time
        self.taskCount = taskCount
        self.partCount = partCount
        self.readCount = readCount
        self.stacks = stacks
        self.entries = entries
    }
}
