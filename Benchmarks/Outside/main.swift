// SPDX-License-Identifier: MIT

// Figures of reading Swift tasks from outside, one a line: NAME VALUE UNIT, and NAME/PEER RATIO x limit LIMIT ok|MISS. The
// observed program is this executable again.
//
//     outside.missed, outside.false  tasks that were not found, and that do not exist; `OutsideBench large` says this
//                       alone, of 100,000 tasks beside 1 GB of other memory, and fails if it is not 0
//     outside.scan      processor time of one reading of all memory, compared with a copy of as many bytes
//     outside.complete  time until all tasks are known, compared with a pass at 400 MB/s after the symbols were read
//     outside.refresh   processor time of a look at one known task, compared with a read of 128 bytes at a random place
//     outside.mmap      the 99.9th percentile of a mapping in the program, compared with as much copying beside it
import Calibration
import ChainEvents
import ChainOutside
import ChainSource
import Foundation
import Synchronization

/// The observed program, in a process of its own.
final class Observed {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private(set) var taskCount = 0
    var pid: Int32 { process.processIdentifier }

    init(tasks: Int, megabytes: Int) {
        process.executableURL = Bundle.main.executableURL!.resolvingSymlinksInPath()
        process.arguments = ["--program", "\(tasks)", "\(megabytes)"]
        (process.standardInput, process.standardOutput) = (input, output)
        do { try process.run() } catch { fatalError("\(error)") }
        taskCount = Int(line().split(separator: " ")[1])!
    }

    /// Returns the median and the 99.9th percentile of a mapping since the last call, in nanoseconds.
    func latencies() -> [Double] {
        input.fileHandleForWriting.write(Data("?\n".utf8))
        return line().split(separator: " ").compactMap { Double($0) }
    }

    func end() {
        kill(pid, SIGKILL)
        process.waitUntilExit()
    }

    /// Resident memory in bytes.
    var resident: Double {
        let text = (try? String(contentsOfFile: "/proc/\(pid)/statm", encoding: .utf8)) ?? ""
        return (Double(text.split(separator: " ").dropFirst().first ?? "") ?? 0) * Double(sysconf(Int32(_SC_PAGESIZE)))
    }

    private func line() -> String {
        var bytes = Data()
        while bytes.last != 10 {
            let next = output.fileHandleForReading.readData(ofLength: 1)
            guard !next.isEmpty else { fatalError("the observed program has ended") }
            bytes += next
        }
        return String(decoding: bytes.dropLast(), as: UTF8.self)
    }
}

func read(_ pid: Int32) -> OutsideProcess.State {
    do { return try OutsideProcess(pid).state() } catch { fatalError(error.description) }
}

/// The ids of the tasks in a reading.
func tasks(in state: OutsideProcess.State) -> Set<NodeID> { Set(state.batches.flatMap(\.nodes).map(\.id)) }

/// Returns why programs cannot be read here; nil if they can be.
func refusal() -> String? {
    let observed = Observed(tasks: 4, megabytes: 1)
    defer { observed.end() }
    do { _ = try OutsideProcess(observed.pid) } catch { return error.description }
    return nil
}

/// Says how many tasks of a program are not found, and how many found ones do not exist; returns whether there are none.
@discardableResult
func countFigures(_ name: String, tasks count: Int, megabytes: Int) -> Bool {
    let observed = Observed(tasks: count, megabytes: megabytes)
    defer { observed.end() }
    let found = tasks(in: read(observed.pid)).count
    say("outside.missed\(name)", Double(max(0, observed.taskCount - found)), "tasks", limit: 0)
    say("outside.false\(name)", Double(max(0, found - observed.taskCount)), "tasks", limit: 0)
    return found == observed.taskCount
}

func scanFigures() {
    countFigures("", tasks: 1_000, megabytes: 50)
    countFigures(".many", tasks: 100_000, megabytes: 50)
    let observed = Observed(tasks: 1_000, megabytes: 200)
    defer { observed.end() }
    let bytes = observed.resident
    let copy = Peer("copy") {
        // From memory, to a block that stays in a cache, as the scan does.
        let size = 256 << 20
        let block = UnsafeMutableRawPointer.allocate(byteCount: 64 << 10, alignment: 64)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 64)
        memset(memory, 1, size)
        let time = timing {
            for offset in stride(from: 0, to: size, by: 64 << 10) { memcpy(block, memory + offset, 64 << 10) }
        }
        block.deallocate()
        memory.deallocate()
        return Double(time) / Double(size) * bytes / 1e6
    }
    let scans = Pace(5, to: copy) { _ in
        // Without the reading of symbols, which is done once.
        let symbols = timing { _ = try? OutsideProcess(observed.pid) }
        return (Double(timing { _ = read(observed.pid) }) - Double(symbols)) / 1e6
    }
    // Half of it is the system's: the copying, and the pauses.
    scans.say("outside.scan", "ms", limit: 12) { $0 }

    let symbols = timing(by: CLOCK_MONOTONIC) { _ = try? OutsideProcess(observed.pid) }
    let ideal = bytes / 400e6 * 1e9 + Double(symbols)
    let taken = (0..<5).map { _ in Double(timing(by: CLOCK_MONOTONIC) { _ = read(observed.pid) }) }
    say("outside.complete", median(taken) / 1e6, "ms")
    say("outside.complete/ideal", median(taken) / ideal, "x", limit: 1.5)
}

/// Returns the processor time of this process in nanoseconds.
func processorTime() -> Double { Double(nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID)) }

/// Attaches, waits until the first state is complete, and calls `body`.
func whileAttached(to observed: Observed, _ body: () -> Void) {
    guard let source = try? OutsideProcess(observed.pid) else { fatalError("the program cannot be read") }
    let isComplete = DispatchSemaphore(value: 0)
    let subscription = source.batches.subscribe(onNext: { batch in
        if case .end? = batch.resync { isComplete.signal() }
    })
    source.start()
    isComplete.wait()
    body()
    source.stop()
    subscription.dispose()
}

func refreshFigures() {
    let count = 1_000
    let observed = Observed(tasks: count, megabytes: 1)
    defer { observed.end() }
    // Four looks a second, and a pass over the small memory a second.
    let looks = 12.0
    let rounds = Pace(3, to: .reads) { _ in
        var used = 0.0
        whileAttached(to: observed) {
            let before = processorTime()
            usleep(3_000_000)
            used = processorTime() - before
        }
        return used / looks / Double(count)
    }
    rounds.say("outside.refresh", "ns", limit: 250) { $0 }
}

func mapFigures() {
    let observed = Observed(tasks: 1_000, megabytes: 200)
    defer { observed.end() }
    let bytes = Int(observed.resident)
    let ratios = (0..<5).map { _ in
        var attached = 0.0
        whileAttached(to: observed) { attached = latency(of: observed) }
        let copying = Copying(bytes)
        let control = latency(of: observed)
        copying.end()
        return attached / control
    }
    say("outside.mmap/control", median(ratios), "x", limit: 1.5)
}

/// Returns the 99.9th percentile of a mapping in the next three seconds.
func latency(of observed: Observed) -> Double {
    _ = observed.latencies()
    usleep(3_000_000)
    return observed.latencies()[1]
}

/// A thread that copies as much as passes over a memory of some size do, with the same pauses.
final class Copying: Sendable {
    private let isOver = Atomic(false)
    private let hasEnded = DispatchSemaphore(value: 0)

    init(_ count: Int) {
        Thread.detachNewThread { [self] in
            let memory = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 64)
            let block = UnsafeMutableRawPointer.allocate(byteCount: 64 << 10, alignment: 64)
            memset(memory, 1, count)
            var offset = 0
            while !isOver.load(ordering: .relaxed) {
                memcpy(block, memory + offset, 64 << 10)
                usleep(50)
                offset += 64 << 10
                if offset + (64 << 10) > count {
                    offset = 0
                    usleep(1_000_000)
                }
            }
            memory.deallocate()
            block.deallocate()
            hasEnded.signal()
        }
    }

    func end() {
        isOver.store(true, ordering: .relaxed)
        hasEnded.wait()
    }
}

switch CommandLine.arguments.dropFirst().first {
case "--program":
    await OutsideProgram.run(tasks: Int(CommandLine.arguments[2])!, megabytes: Int(CommandLine.arguments[3])!)
case "large":
    if let refusal = refusal() {
        print("outside.large is left out: \(refusal)")
        exit(0)
    }
    exit(countFigures(".large", tasks: 100_000, megabytes: 1_000) ? 0 : 1)
case let wanted?:
    guard "outside".hasPrefix(wanted) || wanted.hasPrefix("outside") else { break }
    fallthrough
case nil:
    scanFigures()
    refreshFigures()
    mapFigures()
}
