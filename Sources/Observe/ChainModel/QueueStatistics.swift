// SPDX-License-Identifier: MIT

/// The number of elements, high-water mark and limit of one queue of a viewer: a line of `--debug-statistics`.
public struct QueueStatistics: Hashable, Sendable {
    /// What the queue's elements are, in the plural: `settled chains to evict`.
    public var name: String
    /// How many elements wait now.
    public var count: Int
    /// The most elements that waited at the same time.
    public var highWaterMark: Int
    /// How many elements the queue holds at most.
    public var limit: Int

    /// Describes a queue.
    public init(name: String, count: Int, highWaterMark: Int, limit: Int) {
        self.name = name
        self.count = count
        self.highWaterMark = max(count, highWaterMark)
        self.limit = limit
    }
}
