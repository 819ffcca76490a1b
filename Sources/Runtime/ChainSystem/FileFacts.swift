// SPDX-License-Identifier: MIT

import CChainRuntime

/// The identity, size, kind, owner and permissions of a file.
package struct FileFacts: Equatable, Sendable {
    package let device: UInt64
    package let inode: UInt64
    package let size: Int
    package let owner: UInt32
    private let mode: UInt32

    /// Reads the facts of a path, without following links; nil, with `errno` set, if they cannot be read.
    package init?(at path: String) {
        var facts = stat()
        guard lstat(path, &facts) == 0 else { return nil }
        self.init(facts)
    }

    /// Reads the facts of an open file; nil, with `errno` set, if they cannot be read.
    package init?(of descriptor: Int32) {
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { return nil }
        self.init(facts)
    }

    private init(_ facts: stat) {
        device = UInt64(truncatingIfNeeded: facts.st_dev)
        inode = UInt64(facts.st_ino)
        size = Int(facts.st_size)
        mode = UInt32(facts.st_mode)
        owner = facts.st_uid
    }

    private func isKind(_ kind: mode_t) -> Bool { mode & UInt32(S_IFMT) == UInt32(kind) }
    package var isFolder: Bool { isKind(S_IFDIR) }
    package var isLink: Bool { isKind(S_IFLNK) }
    package var isFile: Bool { isKind(S_IFREG) }
    package var isSocket: Bool { isKind(S_IFSOCK) }
    package var isOurs: Bool { owner == geteuid() }
    /// The permissions of the group and of all others.
    package var othersPermissions: UInt32 { mode & 0o077 }
    package var ownersPermissions: UInt32 { mode & 0o700 }
}

/// The reason why a path is not a folder that this user alone may enter.
package enum FolderProblem: Error, Hashable, Sendable {
    case missing(SystemError)
    case isLink
    case isNoFolder
    case belongsTo(user: UInt32)
    case isOpenToOthers
    /// The owner lacks the permission to read, to write or to enter the folder.
    case isRestricted

    /// Checks a path; nil for a real folder (no link) of this user with mode 0700.
    package init?(at path: String) {
        guard let facts = FileFacts(at: path) else {
            self = .missing(SystemError())
            return
        }
        if facts.isLink {
            self = .isLink
        } else if !facts.isFolder {
            self = .isNoFolder
        } else if !facts.isOurs {
            self = .belongsTo(user: facts.owner)
        } else if facts.othersPermissions != 0 {
            self = .isOpenToOthers
        } else if facts.ownersPermissions != 0o700 {
            self = .isRestricted
        } else {
            return nil
        }
    }
}

/// Returns whether the program at a path gets the capabilities of its file when it starts (`setcap`). Follows links.
package func hasCapabilities(at path: String) -> Bool { chain_file_has_capabilities(path) }

/// Returns the number of names of an open file; 1 if it cannot be read. The bytes of a file without a name are lost once
/// it is closed.
package func linkCount(of descriptor: Int32) -> UInt64 {
    var facts = stat()
    return fstat(descriptor, &facts) == 0 ? UInt64(facts.st_nlink) : 1
}

/// Returns the names in a folder, `.` and `..` among them, up to a limit; no names if the folder cannot be read.
package func fileNames(in path: String, limit: Int = 10_000) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder), names.count < limit {
        names.append(
            withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
    }
    return names
}

/// Returns the folder of a path: "/" for a file of the root, "." for a bare name.
package func parentFolder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
}
