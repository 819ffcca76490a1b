import ChainEvents

/// What stands in the file beside a socket (``SocketFolder/labelPath(of:)``): the program's name, so that it is found
/// without a question to any program. Only a hint: the program's hello decides.
public struct SocketLabel: Hashable, Sendable {
    /// The inode of the socket; the label of another one, or of an earlier one of that name, does not count.
    public var inode: UInt64
    /// The run of the program.
    public var process: ProcessKey
    /// The program's name, as its hello says it.
    public var name: String

    /// The longest file that is read, in bytes; a program with a longer name has none.
    public static let sizeLimit = 16 << 10

    /// Labels a socket.
    public init(inode: UInt64, process: ProcessKey, name: String) {
        self.inode = inode
        self.process = process
        self.name = name
    }

    /// The file: inode in decimal, a space, the process in hexadecimal, a line feed, and the name up to the end.
    public var text: String { "\(inode) \(String(process.rawValue, radix: 16))\n\(name)" }

    /// Reads a file; nil where it is something else.
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
