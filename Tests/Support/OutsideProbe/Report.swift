import Dispatch
import Glibc
import Synchronization

/// What the probe knows of itself: a line each, of words and addresses.
///
/// - `task ADDRESS KIND PARENT WAIT CANCELLED NAME`: a task that lives until the end;
/// - `holds TASK THREAD EXECUTOR`: a task whose thread is blocked while it runs on an executor;
/// - `waits TASK EXECUTOR`: a task in the queue of an executor, in the order of the queue;
/// - `blocked THREAD TASK OWN LOCK`: a thread that owns a lock, and is blocked in another one.
final class Report: Sendable {
    private let lines = Mutex<[String]>([])
    private let isComplete = DispatchSemaphore(value: 0)
    private let expected: Int

    /// Prints the lines once there are as many as `expected`, on a thread of its own.
    init(expecting expected: Int) {
        self.expected = expected
        startThread { [self] in
            isComplete.wait()
            let lines = lines.withLock { $0 }
            print((["ready \(lines.count)"] + lines + ["end"]).joined(separator: "\n"))
            fflush(nil)
        }
    }

    var count: Int { lines.withLock { $0.count } }

    func add(_ words: String...) {
        let isLast = lines.withLock { lines in
            lines.append(words.joined(separator: " "))
            return lines.count == expected
        }
        if isLast { isComplete.signal() }
    }

    /// Adds the current task, which will wait for what `wait` says. Returns its address.
    @discardableResult
    func addTask(
        _ kind: String, parent: String = "0", waitsFor wait: String = "continuation", isCancelled: Bool = false,
        name: String = "-"
    ) -> String {
        let task = currentTask()
        add("task", task, kind, parent, wait, isCancelled ? "cancelled" : "-", name)
        return task
    }
}

/// Returns the address of the current task; 0 outside of tasks.
func currentTask() -> String {
    withUnsafeCurrentTask { task in
        task.map { String(unsafeBitCast($0, to: UInt.self), radix: 16) } ?? "0"
    }
}

func address(of object: AnyObject) -> String { String(UInt(bitPattern: ObjectIdentifier(object)), radix: 16) }

func address(_ pointer: UnsafeRawPointer) -> String { String(UInt(bitPattern: pointer), radix: 16) }

/// Returns the system's number of the calling thread.
func threadID() -> String {
    // A link to `PID/task/TID`.
    var path = [CChar](repeating: 0, count: 64)
    let count = readlink("/proc/thread-self", &path, path.count)
    return String(decoding: path[..<max(0, count)].map { UInt8(bitPattern: $0) }, as: UTF8.self).split(separator: "/")
        .last.map(String.init) ?? ""
}

/// Starts a plain thread, which runs no task.
func startThread(_ body: @escaping @Sendable () -> Void) {
    final class Box: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    pthread_create(
        &thread, nil,
        { argument in
            Unmanaged<Box>.fromOpaque(argument!).takeRetainedValue().body()
            return nil
        }, Unmanaged.passRetained(Box(body)).toOpaque())
}

/// Blocks the thread for ever, in a read from a pipe.
func blockInRead() {
    var ends: [Int32] = [-1, -1]
    pipe(&ends)
    var byte: UInt8 = 0
    _ = read(ends[0], &byte, 1)
}

// SPDX-License-Identifier: MIT
