// SPDX-License-Identifier: MIT

/// The numbers of the wire format. The layout of each message is drawn above the function that writes it, and described
/// in <doc:TheWire>. All integers are little-endian, all texts UTF-8.
public enum Wire {
    /// The first eight bytes of every stream: `chainvw` and a byte that is not text, so that no other protocol matches.
    public static let magic: [UInt8] = [0x63, 0x68, 0x61, 0x69, 0x6E, 0x76, 0x77, 0x9E]
    /// The version that this package speaks.
    public static let version: UInt16 = 1
    /// The oldest version that can read what this version writes.
    public static let oldestVersion: UInt16 = 1
    /// The size of the preamble in bytes.
    public static let preambleSize = 16
    /// The number of bytes of a message before its payload.
    public static let headerSize = 8
    /// The maximum payload of a message from a program, in bytes.
    public static let programMessageLimit = 64 << 20
    /// The maximum payload of a message from a viewer, in bytes.
    public static let viewerMessageLimit = 1 << 20
    /// The size in bytes of one event in a batch, as this version writes it; readers use the batch's event size.
    public static let eventSize = 40
    /// The size in bytes of one node in a batch before its optional fields, as this version writes it.
    static let nodeSize = 32
    /// A count of which nothing is known, where a field cannot be left out.
    static let unknownCount = UInt64.max
    /// The maximum memory in bytes that an empty buffer keeps, so that one large message does not cost memory for good.
    static let keptRoom = 256 << 10
}

/// The kinds of messages. Part of the wire format: never renumbered, only added to.
enum MessageKind: UInt8, CaseIterable {
    case greeting = 1
    case hello = 2
    case batch = 3
    case command = 4
    case reply = 5
    case farewell = 6
    case dumpPart = 40
}

/// The reason why bytes are not a valid stream. After an error nothing more of the stream can be read.
public enum WireError: Error, Hashable, CustomStringConvertible {
    /// The stream does not begin with ``Wire/magic``.
    case notChainview
    /// The other side uses an incompatible version.
    case version(UInt16)
    /// A message is longer than the receiver allows.
    case tooLong(bytes: Int, limit: Int)
    /// A message has an impossible value; the text names what was being read.
    case malformed(String)

    /// What is wrong, in one sentence.
    public var description: String {
        switch self {
        case .notChainview: "The other side does not speak chainview's protocol"
        case .version(let version):
            "The other side speaks version \(version) of chainview's protocol, this one version \(Wire.version): "
                + "bring both to the same release"
        case .tooLong(let bytes, let limit): "A message of \(bytes) bytes came, where at most \(limit) are allowed"
        case .malformed(let what): "The stream is damaged: \(what) cannot be read"
        }
    }
}
