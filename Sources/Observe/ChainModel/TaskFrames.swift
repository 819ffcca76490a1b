// SPDX-License-Identifier: MIT

/// Where suspended Swift tasks continue, as far as a viewer has asked for it or the source says it unasked: by slot,
/// the text and the time at which it was read.
struct TaskFrames {
    struct Entry {
        /// The slot of the text.
        var text: UInt32
        var time: UInt64
    }

    private(set) var entries: [UInt32: Entry] = [:]

    var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }

    subscript(slot: UInt32) -> Entry? {
        get { entries.isEmpty ? nil : entries[slot] }
        set { entries[slot] = newValue }
    }
}

extension ForestData {
    func apply(_ reading: FrameReading) {
        for entry in reading.entries {
            guard let slot = slot(of: entry.node), Int(entry.stack) < reading.stacks.count else { continue }
            let node = nodes[slot]
            // A task that was seen to run after the reading may be suspended elsewhere by now.
            guard node.pointee.kind == .task, node.pointee.state.isLive, node.pointee.isSuspended,
                lastSwitchTime(slot) <= reading.time
            else { continue }
            let text = reading.stacks[Int(entry.stack)]
            guard !text.isEmpty else { continue }
            if var known = frames[slot] {
                if texts[known.text] != text {
                    texts.replace(&known.text, with: text)
                    recordChange(slot, [.facts, .description])
                }
                known.time = reading.time
                frames[slot] = known
            } else {
                frames[slot] = TaskFrames.Entry(text: texts.intern(text), time: reading.time)
                recordChange(slot, [.facts, .description])
            }
        }
    }

    /// Forgets the frames of a task that runs, has ended, or has run since they were read.
    func forgetFrames(of slot: UInt32) {
        guard let known = frames[slot] else { return }
        texts.release(known.text)
        frames[slot] = nil
        recordChange(slot, [.facts, .description])
    }

    /// Forgets the frames of a task that was suspended anew, unless they were read a moment ago. Until they are read
    /// again, the earlier frames are shown, because most tasks wait in the same place again and again.
    func noteSuspension(of slot: UInt32, at time: UInt64) {
        guard let known = frames[slot], time > known.time, time - known.time > Self.frameLifetime else { return }
        forgetFrames(of: slot)
    }

    /// How long the frames of a task outlive its next suspension, in nanoseconds.
    private static let frameLifetime: UInt64 = 1_000_000_000
}

extension ChainForest {
    /// Sets where suspended tasks continue. Tasks that are unknown, run or have run since are left out.
    public mutating func apply(_ reading: FrameReading) {
        makeUnique()
        data.apply(reading)
    }

    /// Returns the functions in which a suspended Swift task continues, one a line, innermost first; nil if they were
    /// not read. Most sources read them on request only: ``FrameReading``.
    public func frames(of index: NodeIndex) -> String? {
        let slot = checked(index)
        return data.frames[slot].flatMap { data.texts[$0.text] }
    }

    /// Returns a number that is the same for tasks with equal ``frames(of:)``, until the forest changes; nil if the
    /// frames were not read.
    package func framesNumber(of index: NodeIndex) -> UInt32? { data.frames[checked(index)]?.text }

    /// Returns the innermost function of ``frames(of:)``.
    public func innermostFrame(of index: NodeIndex) -> String? {
        frames(of: index).map { String($0.prefix { $0 != "\n" }) }
    }

    /// Whether a node is a suspended Swift task whose present frames were not read.
    public func lacksFrames(of index: NodeIndex) -> Bool {
        let slot = checked(index)
        let node = data.nodes[slot].pointee
        guard node.kind == .task, node.isSuspended, node.state == .pending else { return false }
        return data.frames[slot].map { $0.time < data.lastSwitchTime(slot) } ?? true
    }

    /// The known frames as readings, one for each time at which frames were read, in order. Frames that were read
    /// before the last suspension of their task, and are only shown until they are read again, are left out.
    package var frameReadings: [FrameReading] {
        let current = data.frames.entries.filter { data.lastSwitchTime($0.key) <= $0.value.time }
        return Dictionary(grouping: current) { $0.value.time }.sorted { $0.key < $1.key }.map { time, group in
            var reading = FrameReading(
                time: time, taskCount: UInt32(clamping: data.frames.count), partCount: 1,
                readCount: UInt32(clamping: group.count))
            var stacks: [UInt32: UInt32] = [:]
            for (slot, entry) in group.sorted(by: { $0.key < $1.key }) {
                if stacks[entry.text] == nil, let text = data.texts[entry.text] {
                    stacks[entry.text] = UInt32(reading.stacks.count)
                    reading.stacks.append(text)
                }
                guard let stack = stacks[entry.text] else { continue }
                reading.entries.append(.init(node: NodeID(data.nodes[slot].pointee.id), stack: stack))
            }
            return reading
        }
    }

    /// The number of tasks with known frames.
    public var frameCount: Int { data.frames.count }
}
