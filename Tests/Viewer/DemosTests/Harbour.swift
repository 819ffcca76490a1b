import Foundation

/// A small folder to walk. Two of its files cannot be read, even by root: a dangling link and a link to itself.
///
///     harbour/  boats.txt  log.txt  lost → nowhere  ring → ring  .hidden
///       east/   crane.txt
///       west/   (empty)
final class Harbour {
    /// The argument of the demo.
    let path: String
    private let folder: URL

    /// - Parameter isInRepository: whether to use a relative path below the build folder, so that frames are the same on each
    ///   machine; else a temporary folder.
    init(_ name: String, isInRepository: Bool = false) throws {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let files = FileManager.default
        if isInRepository {
            // A no-op under `swift test`.
            _ = files.changeCurrentDirectoryPath(root.path)
            path = ".build/harbour/\(name)"
            folder = root.appending(path: path)
        } else {
            folder = files.temporaryDirectory.appending(path: "harbour-\(UUID().uuidString)")
            path = folder.path
        }
        try? files.removeItem(at: folder)
        for name in ["east", "west"] {
            try files.createDirectory(at: folder.appending(path: name), withIntermediateDirectories: true)
        }
        for (name, text) in [
            ("boats.txt", "three\n"), ("log.txt", ""), ("east/crane.txt", "one\n"), (".hidden", "not counted\n"),
        ] {
            try Data(text.utf8).write(to: folder.appending(path: name))
        }
        try files.createSymbolicLink(atPath: folder.appending(path: "lost").path, withDestinationPath: "nowhere")
        try files.createSymbolicLink(atPath: folder.appending(path: "ring").path, withDestinationPath: "ring")
    }

    deinit { try? FileManager.default.removeItem(at: folder) }
}

// SPDX-License-Identifier: MIT
