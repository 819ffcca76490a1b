import Foundation

/// A temporary folder, removed with this object. Its path is short enough for a socket in it.
public final class ScratchFolder: Sendable {
    /// The path, without a slash at its end.
    public let path: String
    /// The folder as a URL.
    public var url: URL { URL(fileURLWithPath: path) }

    /// Creates the folder.
    public init() {
        var name = Array("/tmp/cvt-XXXXXX".utf8CString)
        path = String(cString: mkdtemp(&name))
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

// SPDX-License-Identifier: MIT
