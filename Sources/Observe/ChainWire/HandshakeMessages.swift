// SPDX-License-Identifier: MIT

import ChainEvents

extension MessageWriter {
    ///     greeting   0         1           2         4     8      12
    ///                ├ purpose ┼ bits ─────┼ zero ───┼ pid ┼ name ┼ token
    ///
    /// Bits: 1 if the viewer is read-only, 2 if it gets the program's state once and no batch after that. A text is its
    /// length in bytes (4), then its bytes; 12 is the offset of the token if the name is empty.
    mutating func write(_ greeting: ClientHello) {
        append(greeting.purpose.rawValue)
        append(UInt8((greeting.isReadOnly ? 1 : 0) | (greeting.leavesAfterState ? 2 : 0)))
        append(UInt16(0))
        append(greeting.pid)
        append(greeting.name)
        append(greeting.token)
    }

    ///     hello   0         8     12             16            24      32     40       88
    ///             ├ process ┼ pid ┼ capabilities ┼ wall offset ┼ start ┼ time ┼ totals ┼ name
    ///
    /// Six totals of eight bytes: chains, nodes, live, running, rejected, viewers. In `capabilities`, bit 31 is set if
    /// the program refuses cancellations. Bits 8 to 15 are the ``TaskFacts`` that the program cannot show, bits 16 and
    /// 17 are the state of its flight recorder, and bit 18 is set if its tasks are read from outside.
    mutating func write(_ hello: Hello) {
        append(hello.process.key.rawValue)
        append(hello.process.pid)
        let missing = hello.process.missingTaskFacts.rawValue << missingFactsShift & missingFactsMask
        append(
            hello.capabilities.rawValue & ~processBits | missing
                | UInt32(hello.process.flightRecorder.rawValue) << flightRecorderShift
                | (hello.process.isReadFromOutside ? outsideBit : 0)
                | (hello.process.isReadOnly ? readOnlyBit : 0))
        append(hello.process.wallOffset)
        append(hello.process.startTime)
        append(hello.time)
        let totals = hello.totals
        for count in [
            totals.chainCount, totals.nodeCount, totals.liveCount, totals.runningCount, totals.rejectedCount,
            totals.viewerCount,
        ] { append(count) }
        append(hello.process.name)
    }

    ///     farewell   0        1         4
    ///                ├ reason ┼ zero ───┼ text
    mutating func write(_ farewell: Goodbye) {
        append(farewell.reason.rawValue)
        for _ in 0..<3 { append(UInt8(0)) }
        append(farewell.text)
    }
}

let readOnlyBit: UInt32 = 1 << 31
let missingFactsMask: UInt32 = 0xFF00
private let missingFactsShift: UInt32 = 8
let flightRecorderMask: UInt32 = 0x3_0000
private let flightRecorderShift: UInt32 = 16
let outsideBit: UInt32 = 1 << 18
/// The bits of `capabilities` on the wire that become properties of ``ProcessDescription``, not ``Hello/Capabilities``.
private let processBits = readOnlyBit | missingFactsMask | flightRecorderMask | outsideBit

extension ClientHello {
    init(from reader: inout ByteReader) throws(WireError) {
        guard let purpose = Purpose(rawValue: try reader.next(UInt8.self)) else {
            throw .malformed("what the viewer wants")
        }
        self.init(purpose: purpose)
        let bits = try reader.next(UInt8.self)
        isReadOnly = bits & 1 != 0
        leavesAfterState = bits & 2 != 0
        _ = try reader.next(UInt16.self)
        pid = try reader.next(Int32.self)
        name = try reader.nextText()
        token = try reader.nextText()
    }
}

extension Hello {
    init(from reader: inout ByteReader) throws(WireError) {
        let key = ProcessKey(rawValue: try reader.next(UInt64.self))
        let pid = try reader.next(Int32.self)
        let bits = try reader.next(UInt32.self)
        let wallOffset = try reader.next(UInt64.self)
        let startTime = try reader.next(UInt64.self)
        time = try reader.next(UInt64.self)
        totals = ProcessTotals()
        totals.chainCount = try reader.next(UInt64.self)
        totals.nodeCount = try reader.next(UInt64.self)
        totals.liveCount = try reader.next(UInt64.self)
        totals.runningCount = try reader.next(UInt64.self)
        totals.rejectedCount = try reader.next(UInt64.self)
        totals.viewerCount = try reader.next(UInt64.self)
        process = ProcessDescription(
            key: key, pid: pid, name: try reader.nextText(), wallOffset: wallOffset, startTime: startTime,
            isReadOnly: bits & readOnlyBit != 0)
        process.missingTaskFacts = TaskFacts(rawValue: (bits & missingFactsMask) >> missingFactsShift)
        let flight = UInt8((bits & flightRecorderMask) >> flightRecorderShift)
        process.flightRecorder = FlightRecorderState(rawValue: flight) ?? .none
        process.isReadFromOutside = bits & outsideBit != 0
        capabilities = Capabilities(rawValue: bits & ~processBits)
    }
}

extension Goodbye {
    init(from reader: inout ByteReader) throws(WireError) {
        reason = Reason(rawValue: try reader.next(UInt8.self)) ?? .other
        for _ in 0..<3 { _ = try reader.next(UInt8.self) }
        text = try reader.nextText()
    }
}
