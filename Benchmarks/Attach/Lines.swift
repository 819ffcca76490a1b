// SPDX-License-Identifier: MIT

import Calibration
import Foundation

/// Prints words on one line: the answer of a role's process to its parent.
func answer(_ words: Any...) {
    print(words.map { "\($0)" }.joined(separator: " "))
    fflush(nil)
}

/// A process of this executable in a role. It reads a command from a line, and answers with a line.
final class Role {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    /// Output that was read and not returned.
    private var unread = Data()

    /// Starts the process and waits for its first line.
    init(_ arguments: [String]) {
        process.executableURL = Bundle.main.executableURL!.resolvingSymlinksInPath()
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        do { try process.run() } catch { fatalError("cannot start \(arguments): \(error)") }
        _ = line()
    }

    var pid: Int32 { process.processIdentifier }

    /// Sends a command, and returns the words of its answer.
    @discardableResult
    func ask(_ words: Any...) -> [String] {
        say(words.map { "\($0)" }.joined(separator: " "))
        return line()
    }

    /// Sends a command, and does not wait for its answer: ``answer()`` does.
    func say(_ text: String) { input.fileHandleForWriting.write(Data((text + "\n").utf8)) }

    func answer() -> [String] { line() }

    func signal(_ number: Int32) { kill(pid, number) }

    func end() {
        kill(pid, SIGCONT)
        kill(pid, SIGKILL)
        process.waitUntilExit()
    }

    private func line() -> [String] {
        while true {
            if let end = unread.firstIndex(of: 10) {
                let words = String(decoding: unread[unread.startIndex..<end], as: UTF8.self).split(separator: " ")
                unread = Data(unread[(end + 1)...])
                return words.map(String.init)
            }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { fatalError("process \(pid) ended") }
            unread.append(more)
        }
    }
}

/// Returns the resident memory of a process in kilobytes: `VmRSS` is the present one, `VmHWM` the peak.
func memory(_ name: String, of pid: Int32) -> Int {
    let text = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") } ?? ""
    return line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
}

/// Resets the peak memory of a process.
func resetPeak(of pid: Int32) {
    try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/\(pid)/clear_refs"))
}

func seconds(_ clock: clockid_t = CLOCK_MONOTONIC) -> Double { Double(nanoseconds(of: clock)) / 1e9 }

/// Returns how long this thread has waited for a processor, in seconds; 0 where the system does not count it.
func secondsWithoutProcessor() -> Double {
    let text = (try? String(contentsOfFile: "/proc/thread-self/schedstat", encoding: .utf8)) ?? ""
    let fields = text.split(separator: " ")
    return fields.count > 1 ? (Double(fields[1]) ?? 0) / 1e9 : 0
}
