// SPDX-License-Identifier: MIT

import ChainEvents
import ChainModel
import ChainWire

/// Checks one input; the fuzzer calls this function, and reports a trap. The first byte decides whether the input is
/// read as a stream or as a script of events and nodes, because few random streams contain any.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    guard let first = input.first else { return 0 }
    let messages = first == Script.mark ? roundTrip(Script(input.dropFirst()).messages) : read(input)
    let batches = messages.compactMap { if case .batch(let batch) = $0 { batch } else { nil } }
    Fold.check(batches, isThorough: count % 16 == 5)
    // Rarely, because a frame takes a hundred times as long as the rest.
    if count % 64 == 9 { View.check(batches) }
    return 0
}

/// Returns the messages of a stream up to its first error. Checks that cutting the stream changes no message, and that
/// the messages can be written and read again.
private func read(_ input: UnsafeBufferPointer<UInt8>) -> [Message] {
    let whole = messages(of: Array(input), cut: input.count)
    let cut = messages(of: Array(input), cut: 1 + input.count % 61)
    precondition(bytes(of: whole.messages) == bytes(of: cut.messages), "cutting changed the messages of a stream")
    precondition(whole.error == cut.error, "cutting changed what is wrong with a stream")
    return roundTrip(whole.messages)
}

/// Returns messages after writing and reading them; checks that they stay the same.
private func roundTrip(_ sent: [Message]) -> [Message] {
    let written = bytes(of: sent)
    let again = messages(of: written, cut: written.count)
    precondition(again.error == nil, "what was written cannot be read")
    precondition(bytes(of: again.messages) == written, "what was written reads differently")
    return again.messages
}

private func bytes(of messages: [Message]) -> [UInt8] {
    var writer = MessageWriter()
    writer.writePreamble()
    for message in messages {
        // Cannot fail, because a message that was read from a few kilobytes fits into one message again.
        do { try writer.write(message) } catch { preconditionFailure("\(error)") }
    }
    return writer.bytes
}

private func messages(of bytes: [UInt8], cut: Int) -> (messages: [Message], error: WireError?) {
    var reader = MessageReader(limit: Wire.programMessageLimit)
    var messages: [Message] = []
    do throws(WireError) {
        for start in stride(from: 0, to: bytes.count, by: max(1, cut)) {
            bytes[start..<min(start + max(1, cut), bytes.count)].withUnsafeBytes { reader.append($0) }
            while let message = try reader.next() { messages.append(message) }
        }
    } catch { return (messages, error) }
    return (messages, nil)
}
