/// How full one queue of a viewer is, was at most, and may become: a line of `--debug-statistics`.
public struct QueueStatistics: Hashable, Sendable {
    /// The elements of the queue, in plural: `settled chains to evict`.
    public var name: String
    /// How many elements wait now.
    public var count: Int
    /// The most elements that waited at one time.
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
