// SPDX-License-Identifier: MIT

import ChainEvents

/// The content of the file beside a socket (``SocketFolder/labelPath(of:)``), by which viewers find a program without
/// connecting. The file is a hint; the program's hello decides.
public struct SocketLabel: Hashable, Sendable {
    /// The inode of the socket. A label with another inode is ignored.
    public var inode: UInt64
    /// The run of the program.
    public var process: ProcessKey
    /// The program's name, as in its hello.
    public var name: String

    /// The size limit of a file in bytes. A program has no label if its name is too long for such a file.
    public static let sizeLimit = 16 << 10

    /// Labels a socket.
    public init(inode: UInt64, process: ProcessKey, name: String) {
        self.inode = inode
        self.process = process
        self.name = name
    }

    /// Encodes the file: inode in decimal, a space, the process in hexadecimal, a line feed, and the name up to the
    /// end.
    public var text: String { "\(inode) \(String(process.rawValue, radix: 16))\n\(name)" }

    /// Decodes a file; nil where it has another format.
    public init?(text: String) {
        guard let end = text.unicodeScalars.firstIndex(of: "\n") else { return nil }
        let numbers = text[..<end].split(separator: " ", omittingEmptySubsequences: false)
        guard numbers.count == 2, let inode = UInt64(numbers[0]), let key = UInt64(numbers[1], radix: 16) else {
            return nil
        }
        self.init(
            inode: inode, process: ProcessKey(rawValue: key),
            name: String(text.unicodeScalars[text.unicodeScalars.index(after: end)...]))
    }
}
