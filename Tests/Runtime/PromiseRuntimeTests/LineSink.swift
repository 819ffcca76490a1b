import ChainEvents
import PromiseRuntime

/// A sink that writes records as lines; nodes are numbered in the order in which they first occur.
final class LineSink: EventSink {
    private let numbers = Box<[NodeID: Int]>([:])
    private let log = Log<String>()

    private func number(_ node: NodeID) -> String {
        if node == .none { return "" }
        return numbers.change { numbers in
            let number = numbers[node] ?? numbers.count + 1
            numbers[node] = number
            return "#\(number)"
        }
    }

    func record(_ record: EventRecord, text: String?) {
        var words = ["\(record.kind)", number(record.node)]
        switch record.kind {
        case .created:
            words.append(NodeKind(rawValue: UInt8(record.detail))?.word ?? "?")
            if record.other != .none {
                words.append((record.flags.contains(.hasParent) ? "of " : "by ") + number(record.other))
            }
            if record.flags.contains(.external) { words.append("external") }
            if record.flags.contains(.late) { words.append("late") }
        case .queued: words.append("on \(ExecutorNames.name(of: record.detail) ?? "?")")
        case .linked: words.append("\(number(record.other)) \(LinkKind(rawValue: UInt8(record.detail))!)")
        default: if record.other != .none { words.append(number(record.other)) }
        }
        if record.flags.contains(.handlerEnded) { words.append("ended") }
        if record.flags.contains(.error) { words.append("error") }
        if record.flags.contains(.byViewer) { words.append("byViewer") }
        if let text { words.append("\"\(text)\"") }
        log.add(words.joined(separator: " "))
    }

    var lines: [String] { log.entries }
}

// SPDX-License-Identifier: MIT
