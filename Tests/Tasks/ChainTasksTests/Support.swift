import Foundation
import TerminalHarness
import Testing

/// A run of a probe to its end.
struct ProbeRun {
    let output: String
    let errors: String
    let status: Int32

    init(_ arguments: [String] = [], program: String = "TaskProbe", environment: [String: String] = [:]) throws {
        let process = Process()
        let (output, errors) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: builtProduct(program))
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        // Both at the same time, because a pipe holds 64 KiB only.
        let lateErrors = PipeText(errors)
        self.output = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        self.errors = lateErrors.wait()
        process.waitUntilExit()
        status = process.terminationStatus
    }

    /// The trees in the output, with siblings in an order that does not depend on timing.
    var trees: [String] {
        output.components(separatedBy: "\n\n").filter { $0.contains("nodes alive") }
            .map { tree in shape(tree.split(separator: "\n").drop { !$0.contains("nodes alive") }.dropFirst()) }
    }
}

/// The text that a program writes to a pipe, read on a thread of its own.
private final class PipeText: @unchecked Sendable {
    // Sendable: `text` is written before `isRead` is signalled, and read only after that.
    private var text = ""
    private let isRead = DispatchSemaphore(value: 0)

    init(_ pipe: Pipe) {
        Thread { [self] in
            text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            isRead.signal()
        }
        .start()
    }

    /// Waits for the end of the pipe, and returns the whole text.
    func wait() -> String {
        isRead.wait()
        return text
    }
}

/// Returns the lines of a tree without ids, threads and durations, with sorted children.
func shape(_ lines: some Sequence<Substring>) -> String {
    let top = Node("")
    var path = [top]
    for line in lines {
        let depth = line.prefix { $0 == " " }.count / 2
        var text = String(line.drop { $0 == " " })
        // Only the first is the id: closures have numbers, too.
        text.replace(#/ #\d+/#, with: "", maxReplacements: 1)
        for fact in [
            #/, blocked(?: in [a-z ]+)? for [\d.]+(?:ms|s)/#, #/ for (?:at least )?[\d.]+(?:ms|s)/#,
            #/ on (?:thread \d+|[^ ]+ \[\d+\])/#, #/, \d+ of \d+ alive/#,
            #/, waits for its resolver/#, #/:\d+(?=\))/#,
        ] as [Regex<Substring>] {
            text.replace(fact, with: "")
        }
        path.removeSubrange((depth + 1)...)
        let node = Node(text)
        path[depth].children.append(node)
        path.append(node)
    }
    return top.children.map { $0.lines(0) }.sorted { $0[0] < $1[0] }.flatMap { $0 }.joined(separator: "\n")
}

/// A line of a tree, and the lines below it.
private final class Node {
    var text: String
    var children: [Node] = []
    init(_ text: String) { self.text = text }
    func lines(_ depth: Int) -> [String] {
        let below = children.map { $0.lines(depth + 1) }.sorted { $0[0] < $1[0] }
        return [String(repeating: "  ", count: depth) + text] + below.flatMap { $0 }
    }
}

// SPDX-License-Identifier: MIT
