import Foundation

/// Lines between a role's process and its parent: one line an answer.
func answer(_ words: Any...) {
    print(words.map { "\($0)" }.joined(separator: " "))
    fflush(nil)
}

/// A process of this executable in a role, which obeys a line and answers with one.
final class Role {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var rest = Data()

    /// Starts it and waits for its first line.
    init(_ arguments: [String]) {
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        do { try process.run() } catch { fatalError("cannot start \(arguments): \(error)") }
        _ = line()
    }

    var pid: Int32 { process.processIdentifier }

    /// Has it do something, and gives the words of its answer.
    @discardableResult
    func ask(_ words: Any...) -> [String] {
        say(words.map { "\($0)" }.joined(separator: " "))
        return line()
    }

    /// Begins what ``answer()`` waits for.
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
            if let end = rest.firstIndex(of: 10) {
                let words = String(decoding: rest[rest.startIndex..<end], as: UTF8.self).split(separator: " ")
                rest = Data(rest[(end + 1)...])
                return words.map(String.init)
            }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { fatalError("process \(pid) ended") }
            rest.append(more)
        }
    }
}

/// The resident memory of a process in kilobytes: `VmRSS`, or at most so far `VmHWM`.
func memory(_ name: String, of pid: Int32) -> Int {
    let text = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") } ?? ""
    return line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
}

/// Forgets the most memory that a process had so far.
func resetPeak(of pid: Int32) {
    try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/\(pid)/clear_refs"))
}

func seconds(_ clock: clockid_t = CLOCK_MONOTONIC) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
}
