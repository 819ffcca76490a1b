import Glibc

/// Memory that looks like tasks and control blocks of threads, and is not, changed all the time.
@MainActor func liar(_ pageCount: Int) async {
    let report = Report(expecting: 3)
    let metadata = withUnsafeCurrentTask { task in
        UnsafePointer<UInt64>(bitPattern: unsafeBitCast(task!, to: UInt.self))!.pointee
    }
    startThread {
        var forgery = Forgery(pageCount, metadata)
        report.add("memory", address(forgery.words))
        while true {
            forgery.change()
            sched_yield()
        }
    }
    Task.detached {
        report.addTask("detached")
        await forgotten()
    }
    report.addTask("main")
    await forgotten()
}

/// Words that a reader may take for tasks, and pointers to other such words.
private struct Forgery {
    let words: UnsafeMutablePointer<UInt64>
    private let count: UInt64
    private let metadata: UInt64
    /// A function, so that tasks could continue in it.
    private let function: UInt64
    private var state: UInt64 = 88_172_645_463_325_252

    init(_ pageCount: Int, _ metadata: UInt64) {
        count = UInt64(pageCount) * 512
        self.metadata = metadata
        words = .allocate(capacity: pageCount * 512)
        let any: @convention(c) () -> Int32 = getpid
        function = UInt64(UInt(bitPattern: unsafeBitCast(any, to: UnsafeRawPointer.self)))
        for index in 0..<Int(count) { words[index] = word(index) }
        for index in stride(from: 0, to: Int(count) - 32, by: 64) { forgeTask(index) }
    }

    /// Changes one word.
    mutating func change() {
        let index = Int(random() % count)
        words[index] = word(index)
    }

    private mutating func random() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state >> 8
    }

    private mutating func somewhere() -> UInt64 {
        UInt64(UInt(bitPattern: words)) + random() % count * 8 & ~15
    }

    private mutating func word(_ index: Int) -> UInt64 {
        switch random() & 15 {
        case 0, 1: index & 1 == 0 ? metadata : somewhere()
        case 2, 3, 4, 5: somewhere()
        case 6: function
        // As in control blocks, the address of the word itself.
        case 7, 8: UInt64(UInt(bitPattern: words + (index & ~2)))
        case 9, 10: random() & 0xFFFF00
        case 11, 12: 0
        default: random()
        }
    }

    /// Writes what every live task has.
    private mutating func forgeTask(_ index: Int) {
        words[index] = metadata
        words[index + 1] = 3
        words[index + 4] = (index % 5 == 0 ? 0x0500_0000 : 0x0200_0000) | UInt64(index + 1_000_000) << 32
        words[index + 7] = function
        words[index + 8] = somewhere()
        words[index + 12] = index % 3 == 0 ? 0x819 : 0x4019
        words[index + 13] = somewhere()
        words[index + 18] = 0
        words[index + 26] = somewhere()
    }
}

// SPDX-License-Identifier: MIT
