// SPDX-License-Identifier: MIT

import CChainOutside
import ChainSystem

/// The pages of another process's memory in which some pieces lie, each page copied when the first piece of it is asked
/// for. All pieces of a page are thus of one time.
///
/// Pages are copied rather than pieces, because each read takes the lock for changes of the memory map, which the process
/// waits for when it maps memory: tasks lie close together, with their contexts, and one read copies up to 64 KB of
/// adjacent pages. After each such read there is a pause.
struct MemoryPages {
    private let memory: ProcessMemory
    /// By the number of a page, where it is; nil if it cannot be read.
    private var places: [UInt64: Place?] = [:]
    /// What was read, by call of the system.
    private var reads: [[UInt8]] = []

    private struct Place {
        var read: Int32
        var offset: Int32
    }

    /// The size of what is copied: that of the smallest pages of all systems.
    static let pageSize: UInt64 = 4096
    /// The most pages that one call of the system reads, each of which may be a part of memory of its own.
    private static let readLimit = 16
    /// How many pages are kept; they are forgotten before more are read.
    private static let pageLimit = 4_096

    init(_ memory: ProcessMemory) { self.memory = memory }

    /// Returns `words` words from each address, one after the other. A piece that cannot be read is 0.
    mutating func pieces(at addresses: [UInt64], words: Int) -> [UInt64] {
        let size = words * 8
        load(addresses, size: size)
        return [UInt64](unsafeUninitializedCapacity: addresses.count * words) { buffer, filled in
            buffer.initialize(repeating: 0)
            filled = addresses.count * words
            let target = UnsafeMutableRawBufferPointer(buffer)
            for (index, address) in addresses.enumerated() {
                let piece = UnsafeMutableRawBufferPointer(rebasing: target[index * size..<(index + 1) * size])
                if !copy(address, to: piece) { piece.initializeMemory(as: UInt8.self, repeating: 0) }
            }
        }
    }

    /// Returns the text at an address that ends at a NUL, at most `limit` bytes of it; nil where it cannot be read.
    mutating func text(at address: UInt64, limit: Int = 256) -> String? {
        var text: [UInt8] = []
        var next = address
        while text.count < limit {
            // Up to the end of a page, because the next page may be missing.
            let count = min(limit - text.count, Int(Self.pageSize - next % Self.pageSize))
            load([next], size: count)
            guard let place = places[next / Self.pageSize] ?? nil else { return nil }
            let first = Int(place.offset) + Int(next % Self.pageSize)
            let part = reads[Int(place.read)][first..<first + count]
            if let end = part.firstIndex(of: 0) {
                text += part[..<end]
                break
            }
            text += part
            next &+= UInt64(count)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Copies the pages of pieces that are not there yet.
    mutating func load(_ addresses: [UInt64], size: Int) {
        if places.count > Self.pageLimit { (places, reads) = ([:], []) }
        var missing: [UInt64] = []
        for address in addresses {
            let last = (address &+ UInt64(max(1, size) - 1)) / Self.pageSize
            var page = address / Self.pageSize
            while page <= last {
                if places[page] == nil {
                    places[page] = .some(nil)
                    missing.append(page)
                }
                page += 1
            }
        }
        guard !missing.isEmpty else { return }
        missing.sort()
        var next = 0
        var isFirst = true
        while next < missing.count {
            if !isFirst { memory.pause() }
            isFirst = false
            next += read(missing[next...])
        }
    }

    /// Reads some of the first of these pages, and returns how many were read or cannot be.
    private mutating func read(_ pages: ArraySlice<UInt64>) -> Int {
        var starts: [UInt64] = []
        var sizes: [Int] = []
        let wanted = pages.prefix(Self.readLimit)
        for page in wanted {
            let start = page * Self.pageSize
            if let last = starts.last, last + UInt64(sizes[sizes.count - 1]) == start {
                sizes[sizes.count - 1] += Int(Self.pageSize)
            } else {
                starts.append(start)
                sizes.append(Int(Self.pageSize))
            }
        }
        let size = wanted.count * Int(Self.pageSize)
        let read = [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
            filled = max(0, outside_read_parts(memory.pid, starts, sizes, starts.count, buffer.baseAddress!, size))
        }
        let done = read.count / Int(Self.pageSize)
        for (index, page) in wanted.prefix(done).enumerated() {
            places[page] = Place(read: Int32(reads.count), offset: Int32(index * Int(Self.pageSize)))
        }
        reads.append(read)
        // The page after the last one that was read cannot be read.
        return min(done + 1, wanted.count)
    }

    /// Copies a piece from its pages; returns whether all of it was there.
    private func copy(_ address: UInt64, to piece: UnsafeMutableRawBufferPointer) -> Bool {
        var done = 0
        while done < piece.count {
            let next = address &+ UInt64(done)
            guard let place = places[next / Self.pageSize] ?? nil else { return false }
            let offset = Int(next % Self.pageSize)
            let count = min(piece.count - done, Int(Self.pageSize) - offset)
            let first = Int(place.offset) + offset
            reads[Int(place.read)].withUnsafeBytes { source in
                UnsafeMutableRawBufferPointer(rebasing: piece[done..<done + count])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[first..<first + count]))
            }
            done += count
        }
        return true
    }
}
