import Foundation

/// A file that another one replaces, which is written beside it first.
struct FileReplacement {
    /// The file that is replaced: where the user named a symbolic link, the file that it leads to.
    let path: String
    /// The path of the other file until it is whole.
    let temporary: String

    init(of path: String) {
        var facts = stat()
        let isLink = lstat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFLNK
        self.path = isLink ? URL(fileURLWithPath: path).resolvingSymlinksInPath().path : path
        // Not the pid, because in a container a later process may have that of one that was killed and left its file.
        temporary = "\(self.path).\(String(UInt32.random(in: 0 ... .max), radix: 36))"
    }

    /// Replaces the file. Returns false if that fails.
    func finish() -> Bool { rename(temporary, path) == 0 }
}
