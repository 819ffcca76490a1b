// SPDX-License-Identifier: MIT

/// The id of a node within one process: 64 bits, allocated in blocks per thread, never reused. Zero means none.
public struct NodeID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number itself.
    public var rawValue: UInt64

    /// Wraps a raw id; any value is allowed.
    @inlinable
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Wraps a raw id; any value is allowed.
    @inlinable
    public init(_ rawValue: UInt64) { self.rawValue = rawValue }

    /// No node, such as the parent of a root.
    @inlinable
    public static var none: NodeID { NodeID(rawValue: 0) }

    /// Compares numbers. The numbers that one thread allocates are in the order of creation.
    @inlinable
    public static func < (left: NodeID, right: NodeID) -> Bool { left.rawValue < right.rawValue }

    /// `#` and the number, as shown and typed.
    public var description: String { "#\(rawValue)" }
}

/// The key of one run of a program: random at its start, so that a restarted process is not mistaken for the earlier
/// run.
public struct ProcessKey: RawRepresentable, Hashable, Sendable {
    /// The number itself.
    public var rawValue: UInt64

    /// Wraps a raw key; any value is allowed.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// The unique key of a node: the process, and the node's id within the process.
public struct NodeKey: Hashable, Sendable {
    /// The run of a program.
    public var process: ProcessKey
    /// The node within the process.
    public var id: NodeID

    /// Makes a key.
    public init(process: ProcessKey, id: NodeID) {
        self.process = process
        self.id = id
    }

    /// Process and node in hexadecimal, for headers and events: `1f3a5c7e9b2d4f60-2a`.
    package var text: String { String(process.rawValue, radix: 16) + "-" + String(id.rawValue, radix: 16) }

    /// Parses ``text``, also with capital letters or leading zeros; nil for other texts, and for node 0.
    package init?(text: some StringProtocol) {
        let parts = text.split(separator: "-", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.first?.isHexDigit == true }),
            let process = UInt64(parts[0], radix: 16), let id = UInt64(parts[1], radix: 16), id != 0
        else { return nil }
        self.init(process: ProcessKey(rawValue: process), id: NodeID(rawValue: id))
    }
}

/// The number of a call site in a process's table of sites (``EventBatch/sites``). Zero is unknown.
public typealias SiteID = UInt32

/// The kernel's id of a thread, resolved by ``EventBatch/threads``. Zero is unknown.
public typealias ThreadID = UInt32

/// The number of an executor in a process, resolved by ``EventBatch/executors``. Zero is unknown.
public typealias ExecutorID = UInt16

/// The call site where a node was made or awaited: `#fileID`, by a pointer to its literal, and `#line`.
///
/// This is the form inside the observed program; viewers have ``CodeLocation``.
public struct CallSite: @unchecked Sendable {
    // Sendable: the pointer is to a string literal, immutable and alive as long as the program.
    /// The NUL-terminated UTF-8 of `#fileID`, or nil if unknown.
    @usableFromInline package let filePointer: UnsafePointer<UInt8>?
    /// The line, from 1; 0 where unknown.
    public let line: UInt32

    /// Makes a call site from `#fileID` and `#line`; costs two stores.
    @inlinable
    public init(fileID: StaticString, line: UInt) {
        filePointer = fileID.hasPointerRepresentation ? fileID.utf8Start : nil
        self.line = UInt32(truncatingIfNeeded: line)
    }

    /// Makes a call site from its stored properties.
    @inlinable
    package init(filePointer: UnsafePointer<UInt8>?, line: UInt32) {
        self.filePointer = filePointer
        self.line = line
    }

    /// An unknown call site.
    @inlinable
    public static var unknown: CallSite { CallSite(filePointer: nil, line: 0) }

    /// `Module/File.swift`, or empty if unknown; copies the file's name.
    public var fileID: String { filePointer.map { String(cString: $0) } ?? "" }

    /// The file and line as text; copies the file's name.
    public var site: CodeLocation { CodeLocation(fileID: fileID, line: line) }
}

/// A call site as viewers receive it.
public struct CodeLocation: Hashable, Sendable, CustomStringConvertible {
    /// `Module/File.swift`; for a Swift task (``line`` 0) the name of its function; empty if unknown.
    public var fileID: String
    /// The line, from 1; 0 where unknown.
    public var line: UInt32

    /// Makes a location.
    public init(fileID: String, line: UInt32) {
        self.fileID = fileID
        self.line = line
    }

    /// The file of a call site; nil for the function of a Swift task, and for an unknown location.
    package var file: String? { line == 0 || fileID.isEmpty ? nil : fileID }

    /// The function of a Swift task, which is known in place of a file; nil for a call site.
    package var function: String? { line != 0 || fileID.isEmpty ? nil : fileID }

    /// The line of ``file``.
    package var fileLine: UInt32? { line == 0 ? nil : line }

    /// ``fileID`` and the line, if there is a line.
    package var place: String { line == 0 ? fileID : "\(fileID):\(line)" }

    /// The last part of the file's path.
    public var fileName: Substring {
        let bytes = fileID.utf8
        var end = bytes.endIndex
        while end > bytes.startIndex, bytes[bytes.index(before: end)] == UInt8(ascii: "/") {
            end = bytes.index(before: end)
        }
        guard let slash = bytes[..<end].lastIndex(of: UInt8(ascii: "/")) else { return fileID[..<end] }
        return fileID[bytes.index(after: slash)..<end]
    }

    /// `File.swift:41`; without a line, ``fileID``; `?` if that is empty.
    public var description: String {
        if fileID.isEmpty { return "?" }
        return line == 0 ? fileID : "\(fileName):\(line)"
    }
}
