// SPDX-License-Identifier: MIT

import Foundation

/// The replacement of a file: the new file is written beside the old file, then renamed.
struct FileReplacement {
    /// The path of the file that is replaced. If the user named a symbolic link, this is the path that the link leads
    /// to.
    let path: String
    /// The path of the new file until it is complete.
    let temporary: String

    init(of path: String) {
        var facts = stat()
        let isLink = lstat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFLNK
        self.path = isLink ? URL(fileURLWithPath: path).resolvingSymlinksInPath().path : path
        // The name has a random number in place of the pid. In a container, a killed process may leave its file, and a
        // later process may get the same pid.
        temporary = "\(self.path).\(String(UInt32.random(in: 0 ... .max), radix: 36))"
    }

    /// Gives the new file its name unless a file has that name. Returns false if that fails; `errno` is the cause.
    func finishNew() -> Bool {
        guard link(temporary, path) != 0 else {
            unlink(temporary)
            return true
        }
        // Some file systems have no hard links.
        guard [EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS].contains(errno) else { return false }
        var facts = stat()
        if lstat(path, &facts) == 0 {
            errno = EEXIST
            return false
        }
        return finish()
    }

    /// Replaces the file. Returns false if that fails.
    func finish() -> Bool { rename(temporary, path) == 0 }
}
