import Testing

@testable import ChainOutside

/// Tasks in the layouts of different runtimes.
struct LayoutTests {
    private static let metadata: UInt64 = 0x7f00_0000_1000
    private let map = MemoryMap(
        parsing: Array(
            """
            1000-2000 r-xp 00000000 08:01 1 /bin/program
            10000-20000 rw-p 00000000 00:00 0 [heap]

            """.utf8))

    /// Returns the words of a child, with other words behind the task proper.
    private func child(flags: UInt64 = 0x0300_0000, _ fragments: [Int: UInt64]) -> [UInt64] {
        var words = [UInt64](repeating: 0, count: TaskLayout.readSize / 8)
        (words[0], words[1]) = (Self.metadata, 3)
        words[4] = flags | 7 << 32
        (words[7], words[8], words[12], words[13]) = (0x1010, 0x10100, 0x4019, 0x10200)
        words[18] = 1
        for (offset, word) in fragments { words[offset / 8] = word }
        return words
    }

    private func read(_ words: [UInt64], _ layout: TaskLayout) -> (task: OutsideTask, verdict: OutsideTask.Verdict)? {
        words.withUnsafeBufferPointer { OutsideTask.read($0, at: 0x10000, layout, [Self.metadata], map) }
    }

    @Test(arguments: [nil, 0, 1] as [UInt32?])
    func childrenFollowTheTask(_ version: UInt32?) throws {
        let layout = TaskLayout(version: version, taskSize: 208, nameOffset: nil)
        let (task, verdict) = try #require(read(child([208: 0x10400, 216: 0x10800]), layout))
        #expect(verdict == .live && task.parent == 0x10400 && task.next == 0x10800)
        #expect(task.id == 7 | 1 << 32 && task.resume == 0x1010 && task.context == 0x10100 && task.record == 0x10200)
        #expect(task.isChild && !task.isGroupChild && !task.isAsyncLet && task.priority == 0x19 && !task.isRunning)
        // A flag for a name that is elsewhere moves nothing.
        let named = try #require(read(child(flags: 0x4300_0000, [208: 0x10400, 216: 0x10800]), layout))
        #expect(named.task.parent == 0x10400)
        // Before version 2 there is no name behind the task.
        #expect(TaskLayout(version: version, taskSize: 208, nameOffset: 208).nameOffset == nil)
    }

    @Test(arguments: [2, 3] as [UInt32], [208, 224])
    func namesMoveTheChildren(_ version: UInt32, _ size: Int) throws {
        let layout = TaskLayout(version: version, taskSize: size, nameOffset: size)
        #expect(layout.taskSize == size && layout.nameOffset == size)
        // Parent, next and previous child.
        let plain = child([size: 0x10400, size + 8: 0x10800, size + 16: 0x10900])
        #expect(read(plain, layout)?.task.parent == 0x10400)
        #expect(read(plain, layout)?.task.next == 0x10800)
        // A pointer to the name before them, alone or with its length.
        let short = child(flags: 0x4300_0000, [size: 0x10010, size + 8: 0x10400, size + 16: 0x10800])
        #expect(read(short, layout)?.task.parent == 0x10400)
        #expect(read(short, layout)?.task.next == 0x10800)
        let long = child(flags: 0x4300_0000, [size: 0x10010, size + 8: 5, size + 16: 0x10400, size + 24: 0x10800])
        #expect(read(long, layout)?.task.parent == 0x10400)
        #expect(read(long, layout)?.task.next == 0x10800)
        #expect(read(long, layout)?.verdict == .live)
    }

    @Test func strangeLayoutsAreNotBelieved() {
        for size in [-8, 0, 152, 204, 248, .max] {
            #expect(TaskLayout(version: 2, taskSize: size, nameOffset: nil).taskSize == 208)
        }
        for offset in [-8, 0, 136, 212, 232, 248, .max] {
            #expect(TaskLayout(version: 3, taskSize: 208, nameOffset: offset).nameOffset == nil, "\(offset)")
        }
        // The greatest that are: all that is read is there.
        let layout = TaskLayout(version: 2, taskSize: 240, nameOffset: 224)
        #expect(read(child(flags: 0x4300_0000, [:]), layout) != nil && read(child([:]), layout) != nil)
    }

    @Test func whatIsNoLiveTaskIsToldFromOnesThatAre() {
        let layout = TaskLayout()
        func verdict(_ change: (inout [UInt64]) -> Void) -> OutsideTask.Verdict? {
            var words = child([208: 0x10400])
            change(&words)
            return read(words, layout)?.verdict
        }
        #expect(verdict { _ in } == .live)
        #expect(verdict { $0[0] = 5 } == nil)
        #expect(read(Array(child([:]).prefix(26)), layout) == nil)
        #expect(verdict { $0[1] = 3 | 1 << 32 } == .freed)
        #expect(verdict { $0[12] |= 0x2000 } == .complete)
        let changes: [(inout [UInt64]) -> Void] = [
            { $0[4] |= 1 }, { $0[4] &= 0xFFFF_FFFF }, { $0[4] |= 0xFF00 }, { $0[12] = 0x10019 }, { $0[12] = 0x22 },
            { $0[7] = 0x10000 }, { $0[8] = 0 }, { $0[8] = 0x30000 }, { $0[8] = 0x10104 }, { $0[13] = 0x1000 },
            { $0[13] = 0x10204 }, { $0[26] = 0x30000 },
        ]
        for (index, change) in changes.enumerated() { #expect(verdict(change) == .noTask, "change \(index)") }
    }
}

// SPDX-License-Identifier: MIT
