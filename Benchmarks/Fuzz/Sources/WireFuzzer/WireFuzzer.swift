import ChainEvents
import ChainModel
import ChainWire

/// What the fuzzer calls with each input; a trap is a find. An input is taken in two ways, by its first byte: as a
/// stream, and as a script of events and nodes, since few streams that were made by chance tell of any.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    guard let first = input.first else { return 0 }
    let messages = first == Script.mark ? roundTrip(Script(input.dropFirst()).messages) : read(input)
    let batches = messages.compactMap { if case .batch(let batch) = $0 { batch } else { nil } }
    Fold.check(batches, isThorough: count % 16 == 5)
    // A frame takes a hundred times as long as an input.
    if count % 64 == 9 { View.check(batches) }
    return 0
}

/// The messages of a stream up to what is wrong in it. However it is cut it says the same; whatever was read can be
/// written, and reads the same again.
private func read(_ input: UnsafeBufferPointer<UInt8>) -> [Message] {
    let whole = messages(of: Array(input), cut: input.count)
    let cut = messages(of: Array(input), cut: 1 + input.count % 61)
    precondition(bytes(of: whole.messages) == bytes(of: cut.messages), "cutting changed what a stream says")
    precondition(whole.error == cut.error, "cutting changed what is wrong with a stream")
    return roundTrip(whole.messages)
}

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
        // What came in a message of a few kilobytes fits into one again.
        do { try writer.write(message) } catch { preconditionFailure("\(error)") }
    }
    return writer.bytes
}

private func messages(of bytes: [UInt8], cut: Int) -> (messages: [Message], error: WireError?) {
    var reader = MessageReader(limit: Wire.batchLimit)
    var messages: [Message] = []
    do throws(WireError) {
        for start in stride(from: 0, to: bytes.count, by: max(1, cut)) {
            bytes[start..<min(start + max(1, cut), bytes.count)].withUnsafeBytes { reader.append($0) }
            while let message = try reader.next() { messages.append(message) }
        }
    } catch { return (messages, error) }
    return (messages, nil)
}
