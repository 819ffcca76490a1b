// SPDX-License-Identifier: MIT

import ChainSystem
import Foundation

/// A queue of jobs. A command line is run once for each job, one after the other, in order.
///
/// The command line is the user's own. Texts of the observed program are passed as environment variables and on the
/// command's standard input, never as a part of the command line.
final class CommandQueue {
    /// The data that one run of the command receives.
    struct Job {
        /// Variables to add to the environment of this process. Starting the command makes their texts safe for a
        /// terminal.
        var environment: [String: String]
        var input: String
    }

    private let command: String
    /// The maximum number of jobs that may wait.
    private let limit: Int
    /// How long ``finish(unless:)`` waits for the running job once the queue is to stop.
    private let stopLimit: DispatchTimeInterval
    /// The jobs. The jobs before `nextIndex`, which are fewer than `limit`, were started.
    private var waiting: [Job] = []
    private var nextIndex = 0
    private var running: pid_t?
    /// The number of jobs that found the queue full.
    private(set) var droppedCount = 0

    /// Makes an empty queue for a command line of `/bin/sh`.
    init(_ command: String, limit: Int = 1_000, stopLimit: DispatchTimeInterval = .seconds(5)) {
        self.command = command
        self.limit = limit
        self.stopLimit = stopLimit
    }

    /// Whether a further job has room.
    var hasRoom: Bool { waiting.count - nextIndex < limit }

    /// Enqueues a job, or drops it if there is no room.
    func add(_ job: Job) throws {
        guard hasRoom else { return try drop() }
        waiting.append(job)
        try advance()
    }

    /// Counts a job that found no room.
    func drop() throws {
        droppedCount += 1
        try advance()
    }

    /// Starts the next job if the job before it has ended; returns whether a job still runs.
    @discardableResult
    func advance() throws -> Bool {
        while true {
            if let running {
                guard let ending = ProgramEnding.ofEnded(running) else { return true }
                end(ending)
            }
            guard nextIndex < waiting.count else {
                (waiting, nextIndex) = ([], 0)
                return false
            }
            running = try start(waiting[nextIndex])
            nextIndex += 1
            if nextIndex == limit {
                waiting.removeFirst(nextIndex)
                nextIndex = 0
            }
        }
    }

    /// Runs jobs until a further job has room, or until `isStopped` returns true.
    func waitForRoom(unless isStopped: () -> Bool) throws {
        while !hasRoom, !isStopped(), try advance() { usleep(Self.pause) }
    }

    /// Runs the waiting jobs. Once `isStopped` returns true, it starts no other job, and waits for the running job for
    /// a limited time. Returns how many jobs were not run.
    func finish(unless isStopped: () -> Bool) throws -> Int {
        // Polls with pauses, because a wait for a process has no limit and cannot be ended.
        while !isStopped(), try advance() { usleep(Self.pause) }
        let restCount = waiting.count - nextIndex
        (waiting, nextIndex) = ([], 0)
        let end = DispatchTime.now() + stopLimit
        while try advance(), DispatchTime.now() < end { usleep(Self.pause) }
        return restCount
    }

    /// The time between two looks at the running job, in microseconds.
    private static let pause: UInt32 = 5_000

    private func end(_ ending: ProgramEnding) {
        running = nil
        if ending != .exited(0) { Streams.printError("the command \(ending.words).") }
    }

    private func start(_ job: Job) throws -> pid_t {
        // The input is a file, because a pipe holds only 64 KiB, and the command need not read its input.
        guard let file = tmpfile() else { throw Failure(notStarted: "the command", errno) }
        defer { fclose(file) }
        fputs(job.input, file)
        fflush(file)
        rewind(file)
        var start = ProgramStart(commandLine: command, texts: job.environment)
        start.descriptors = [
            (fileno(file), STDIN_FILENO), (STDOUT_FILENO, STDOUT_FILENO), (STDERR_FILENO, STDERR_FILENO),
        ]
        do throws(SystemError) { return try start.runAsInvokingUser() } catch {
            throw Failure(notStarted: "the command", error.code)
        }
    }
}
