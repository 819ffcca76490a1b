// SPDX-License-Identifier: MIT

import Dashboard
import Foundation

/// A file to which a screen is saved.
struct SavedFile {
    private let url: URL

    /// - Parameter path: as typed: relative to the working folder, or absolute; `~` is the home folder.
    init(path: String) {
        url = URL(fileURLWithPath: (path as NSString).expandingTildeInPath).standardizedFileURL
    }

    /// Writes the file beside its place and then renames it, so that a full disk leaves nothing, and returns the action
    /// that shows the result. An existing file is replaced only if `overwrites` is true.
    func write(_ content: String, overwrites: Bool) -> Action {
        let replacement = FileReplacement(of: url.path)
        let descriptor = open(replacement.temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { return failure(errno) }
        InvokingUser.own(descriptor)
        // Some disks say that they are full only at the close.
        guard Streams.write(content, to: descriptor), fsync(descriptor) == 0 else {
            let code = errno
            close(descriptor)
            unlink(replacement.temporary)
            return failure(code)
        }
        close(descriptor)
        guard overwrites ? replacement.finish() : replacement.finishNew() else {
            let code = errno
            unlink(replacement.temporary)
            return failure(code)
        }
        return .message("saved to \(url.path)")
    }

    private func failure(_ code: Int32) -> Action {
        .report(
            code == EEXIST
                ? "\(url.path) exists: type save! to overwrite it"
                : "cannot save to \(url.path): \(DisplayText.system(code))")
    }
}
