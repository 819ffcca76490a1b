// SPDX-License-Identifier: MIT

import ChainListing

/// A writer of events of the Trace Event Format, one on each line.
struct TraceEvents {
    let pid: Int32
    /// Time 0 of the trace, in nanoseconds of the program's clock.
    let start: UInt64
    let output: TextOutput
    private var isFirst = true

    init(pid: Int32, start: UInt64, output: @escaping TextOutput) {
        self.pid = pid
        self.start = start
        self.output = output
    }

    func begin() throws { try output("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n") }

    func end(_ other: [(name: String, value: String)]) throws {
        try output("\n],\"otherData\":\(JSONText.object(other))}\n")
    }

    /// Writes an event; the values are JSON.
    mutating func write(_ phase: String, _ thread: UInt32?, _ members: [(name: String, value: String)]) throws {
        var text = isFirst ? "" : ",\n"
        isFirst = false
        text += "{\"ph\":\"\(phase)\",\"pid\":\(pid)"
        if let thread { text += ",\"tid\":\(thread)" }
        for (name, value) in members { text += ",\"\(name)\":\(value)" }
        try output(text + "}")
    }

    /// Writes the beginning (phase `b`) or the end (`e`) of a slice on a track.
    mutating func async(_ phase: String, _ name: String, track: Int, at time: UInt64, arguments: String?) throws {
        var members: [(name: String, value: String)] = [
            ("ts", self.time(time)), ("cat", "\"chain\""), ("id2", "{\"local\":\"0x\(String(track + 1, radix: 16))\"}"),
            ("name", JSONText.string(name)),
        ]
        if let arguments { members.append(("args", arguments)) }
        try write(phase, nil, members)
    }

    /// Returns a moment of the program's clock as microseconds since the start.
    func time(_ time: UInt64) -> String { Self.duration(time > start ? time - start : 0) }

    /// Returns nanoseconds as microseconds with three decimals.
    static func duration(_ nanoseconds: UInt64) -> String {
        let part = String(nanoseconds % 1_000)
        return "\(nanoseconds / 1_000)." + String(repeating: "0", count: 3 - part.count) + part
    }
}
