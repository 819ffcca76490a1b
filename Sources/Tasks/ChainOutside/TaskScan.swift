// SPDX-License-Identifier: MIT

import ChainSystem

/// A pass over all writable memory of a process that finds its live tasks, in steps.
///
/// Memory is read in pieces of 64 KB with a pause of 50 µs after each, because each read takes the lock for changes of
/// the memory map: a program that maps memory all the time would otherwise wait milliseconds for it. Pages that are not
/// in memory are skipped, where the system says which they are; reading would bring them in.
struct TaskScan {
    /// The bytes to look at, and how many of them were: absent pages count as looked at.
    private(set) var byteCount: UInt64 = 0
    private(set) var doneCount: UInt64 = 0
    /// The bytes that were read.
    private(set) var readCount: UInt64 = 0
    /// The live tasks found since the last ``takeFound()``.
    private var found: [OutsideTask] = []
    /// The addresses of thread control blocks found so far: what each thread's register for thread-local variables
    /// contains. A block begins with its own address, and repeats it as the third word.
    private(set) var threadBlocks: [UInt64] = []
    /// The search for futures of SwiftNIO; nil in a program without them.
    private(set) var futures: FutureSearch?

    private let memory: ProcessMemory
    private let map: MemoryMap
    private let runtime: TaskRuntime
    private let regions: [MemoryMap.Region]
    private let pages: Int32
    private var index = 0
    private var address: UInt64 = 0
    private var buffer = [UInt64](repeating: 0, count: TaskScan.chunk / 8)
    /// What the system says of the pages from an address on; empty if it does not say it.
    private var entries: [UInt64] = []
    private var entriesStart: UInt64 = 0

    private static let chunk = 64 << 10
    /// How many pages the system is asked about at once.
    private static let entryCount = 512
    /// What looks like more threads is something else.
    private static let blockLimit = 65_536

    /// Begins a pass. `pages` is an open `/proc/PID/pagemap`, or -1.
    init(
        _ memory: ProcessMemory, _ map: MemoryMap, _ runtime: TaskRuntime, pages: Int32, futures: FutureSearch? = nil
    ) {
        (self.memory, self.map, self.runtime, self.pages, self.futures) = (memory, map, runtime, pages, futures)
        regions = map.regions.filter {
            $0.isReadable && $0.isWritable && ($0.isPrivate || !$0.isFile) && !$0.path.hasPrefix("[v")
        }
        for region in regions { byteCount += region.end - region.start }
        address = regions.first?.start ?? 0
    }

    var isComplete: Bool { index >= regions.count }

    /// Returns the live tasks found since the last call.
    mutating func takeFound() -> [OutsideTask] {
        defer { found = [] }
        return found
    }

    /// Reads on until `limit` more bytes were read, or all are. Pauses after each 64 KB.
    mutating func advance(limit: UInt64) {
        let goal = readCount + limit
        while index < regions.count, readCount < goal {
            let region = regions[index]
            guard address < region.end else {
                index += 1
                address = index < regions.count ? regions[index].start : 0
                continue
            }
            let end = min(region.end, address + UInt64(Self.chunk))
            for (start, stop) in present(address, end) { read(start, stop) }
            doneCount += end - address
            address = end
        }
    }

    /// Returns the parts of a piece of memory whose pages are in memory or in swap space; all of it if unknown.
    private mutating func present(_ start: UInt64, _ end: UInt64) -> [(UInt64, UInt64)] {
        guard pages >= 0 else { return [(start, end)] }
        if start < entriesStart || end > entriesStart + UInt64(entries.count) * 4096 { readEntries(from: start) }
        let first = Int(start - entriesStart) / 4096
        let count = Int(end - start) / 4096
        guard first + count <= entries.count else { return [(start, end)] }
        var parts: [(UInt64, UInt64)] = []
        for page in 0..<count where entries[first + page] >> 62 != 0 {
            let at = start + UInt64(page) * 4096
            if let last = parts.last, last.1 == at {
                parts[parts.count - 1].1 = at + 4096
            } else {
                parts.append((at, at + 4096))
            }
        }
        return parts
    }

    private mutating func readEntries(from start: UInt64) {
        entriesStart = start
        entries = [UInt64](unsafeUninitializedCapacity: Self.entryCount) { buffer, filled in
            filled = max(0, pread(pages, buffer.baseAddress, Self.entryCount * 8, off_t(start / 4096 * 8))) / 8
        }
    }

    private mutating func read(_ start: UInt64, _ end: UInt64) {
        let size = Int(end - start)
        let count = buffer.withUnsafeMutableBytes { bytes in
            memory.read(start, into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<size]))
        }
        memory.pause()
        readCount += UInt64(size)
        guard count > 0 else { return }
        var split: [UInt64] = []
        buffer.withUnsafeBufferPointer { words in
            let words = UnsafeBufferPointer(rebasing: words[..<(count / 8)])
            for hit in Self.candidates(in: words, at: start, runtime.metadata) {
                let address = start + UInt64(hit) * 8
                let needed = TaskLayout.readSize / 8
                if hit + needed <= words.count {
                    add(UnsafeBufferPointer(rebasing: words[hit..<hit + needed]), address)
                } else {
                    split.append(address)
                }
            }
            for block in Self.blocks(in: words, at: start) where threadBlocks.count < Self.blockLimit {
                threadBlocks.append(block)
            }
            futures?.search(words, at: start)
        }
        // A task that lies across the end of the piece is read again as a whole.
        let again = memory.pieces(at: split, words: TaskLayout.readSize / 8)
        again.withUnsafeBufferPointer { words in
            for (index, address) in split.enumerated() {
                let first = index * TaskLayout.readSize / 8
                add(UnsafeBufferPointer(rebasing: words[first..<first + TaskLayout.readSize / 8]), address)
            }
        }
    }

    private mutating func add(_ words: UnsafeBufferPointer<UInt64>, _ address: UInt64) {
        guard let (task, verdict) = OutsideTask.read(words, at: address, runtime.layout, runtime.metadata, map),
            verdict == .live
        else { return }
        found.append(task)
    }

    /// Returns the indices of words that are the metadata of tasks, at addresses that are multiples of 16.
    private static func candidates(
        in words: UnsafeBufferPointer<UInt64>, at start: UInt64, _ metadata: [UInt64]
    ) -> [Int] {
        var hits: [Int] = []
        for wanted in metadata {
            var index = 0
            while index + 8 <= words.count {
                // One branch for four words.
                if (words[index] == wanted) || (words[index + 2] == wanted) || (words[index + 4] == wanted)
                    || (words[index + 6] == wanted)
                {
                    for offset in stride(from: index, to: index + 8, by: 2) where words[offset] == wanted {
                        hits.append(offset)
                    }
                }
                index += 8
            }
        }
        return hits
    }

    /// Returns the addresses of words that contain their own address, at multiples of 64, as do the words after next.
    private static func blocks(in words: UnsafeBufferPointer<UInt64>, at start: UInt64) -> [UInt64] {
        var found: [UInt64] = []
        var index = 0
        while index + 3 <= words.count {
            let address = start + UInt64(index) * 8
            if words[index] == address, words[index + 2] == address { found.append(address) }
            index += 8
        }
        return found
    }
}
