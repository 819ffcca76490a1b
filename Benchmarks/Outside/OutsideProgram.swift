// SPDX-License-Identifier: MIT

import Foundation
import Synchronization

/// The observed program: `--program TASKS MEGABYTES`. It fills so much memory with words that look like addresses, makes so
/// many tasks that never end, and maps and unmaps memory every 20 µs. Answers each line on standard input with the
/// latencies of that since the last one: `P50 P999`, in nanoseconds.
enum OutsideProgram {
    private struct Latencies {
        var values: [UInt64] = []
    }

    static func run(tasks: Int, megabytes: Int) async -> Never {
        var memory: [UnsafeMutablePointer<UInt64>] = []
        var random: UInt64 = 88_172_645_463_325_252
        for _ in 0..<megabytes {
            let words = UnsafeMutablePointer<UInt64>.allocate(capacity: 131_072)
            for index in 0..<131_072 {
                random ^= random << 13
                random ^= random >> 7
                random ^= random << 17
                words[index] = index & 1 == 0 ? random : UInt64(UInt(bitPattern: words)) &+ random & 0xF_FFF8
            }
            memory.append(words)
        }
        let (stream, ready) = AsyncStream<Void>.makeStream()
        let units = tasks / 4
        for _ in 0..<units { unit(ready) }
        var left = units * 3
        for await _ in stream {
            left -= 1
            if left == 0 { break }
        }
        let latencies = Mutex(Latencies())
        Thread.detachNewThread { answer(latencies) }
        // The main task is one more.
        print("ready \(units * 4 + 1)")
        fflush(nil)
        Thread.detachNewThread { map(latencies) }
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
        fatalError("\(memory.count)")
    }

    /// Makes four tasks: a group with two children, and an `async let` beside it.
    private static func unit(_ ready: AsyncStream<Void>.Continuation) {
        Task {
            async let last: Void = hang(ready)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<2 { group.addTask { await hang(ready) } }
            }
            await last
        }
    }

    private static func hang(_ ready: AsyncStream<Void>.Continuation) async {
        ready.yield()
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }

    private static func map(_ latencies: borrowing Mutex<Latencies>) {
        var due = now()
        while true {
            due += 20_000
            let rest = Int(due) - Int(now())
            if rest > 0 {
                var time = timespec(tv_sec: 0, tv_nsec: rest)
                nanosleep(&time, nil)
            } else {
                due = now()
            }
            let start = now()
            let pages = mmap(nil, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)!
            pages.storeBytes(of: 1, as: UInt8.self)
            pages.storeBytes(of: 1, toByteOffset: 4096, as: UInt8.self)
            munmap(pages, 8192)
            let time = now() - start
            latencies.withLock { $0.values.append(time) }
        }
    }

    private static func answer(_ latencies: borrowing Mutex<Latencies>) {
        while readLine() != nil {
            let values = latencies.withLock { latencies in
                defer { latencies.values = [] }
                return latencies.values.sorted()
            }
            // Each line is answered, because the other side waits: with 0 if nothing was mapped since the last one.
            print(
                values.isEmpty ? 0 : values[values.count / 2],
                values.isEmpty ? 0 : values[min(values.count - 1, values.count * 999 / 1000)])
            fflush(nil)
        }
        exit(0)
    }

    private static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
