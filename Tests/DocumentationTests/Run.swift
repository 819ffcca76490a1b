import Foundation

/// One run of a program, of at most five minutes.
struct Run {
    var status: Int32
    var standardOutput: String
    var standardError: String

    /// Runs a program and waits for it on a new thread, because a blocked test would take a thread from other tests.
    static func of(_ arguments: [String]) async throws -> Run {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try Run(arguments) }) }
        }
    }

    private init(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        let outputs = [Pipe(), Pipe()]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = outputs[0]
        process.standardError = outputs[1]
        try process.run()
        let watchdog = DispatchWorkItem { process.terminate() }
        DispatchQueue.global().asyncAfter(deadline: .now() + 300, execute: watchdog)
        // Read on another thread, because a full pipe would block the program.
        let errors = Collected()
        let done = DispatchSemaphore(value: 0)
        let pipe = outputs[1].fileHandleForReading
        Thread.detachNewThread {
            errors.data = pipe.readDataToEndOfFile()
            done.signal()
        }
        standardOutput = String(decoding: outputs[0].fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        done.wait()
        process.waitUntilExit()
        watchdog.cancel()
        status = process.terminationStatus
        standardError = String(decoding: errors.data, as: UTF8.self)
    }

    // Sendable, because `data` is written once, before the semaphore is signalled, and read afterwards.
    private final class Collected: @unchecked Sendable {
        var data = Data()
    }
}

// SPDX-License-Identifier: MIT
