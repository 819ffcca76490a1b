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

    /// Replaces the file. Returns false if that fails.
    func finish() -> Bool { rename(temporary, path) == 0 }
}
