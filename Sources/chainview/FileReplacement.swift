import Foundation

/// The replacement of a file: the new one is written beside it, then renamed.
struct FileReplacement {
    /// The file that is replaced: where the user named a symbolic link, the file that it leads to.
    let path: String
    /// The path of the new file until it is complete.
    let temporary: String

    init(of path: String) {
        var facts = stat()
        let isLink = lstat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFLNK
        self.path = isLink ? URL(fileURLWithPath: path).resolvingSymlinksInPath().path : path
        // Not the pid, because in a container a killed process may leave its file, and a later one may get its pid.
        temporary = "\(self.path).\(String(UInt32.random(in: 0 ... .max), radix: 36))"
    }

    /// Replaces the file. Returns false if that fails.
    func finish() -> Bool { rename(temporary, path) == 0 }
}
