import Foundation

/// A small folder to walk, with what cannot be read, even by root: a link to nowhere and one to itself.
///
///     harbour/  boats.txt  log.txt  lost → nowhere  ring → ring  .hidden
///       east/   crane.txt
///       west/   (empty)
final class Harbour {
    /// What a story is given.
    let path: String
    private let folder: URL

    /// In the repository's build folder, by a path relative to the current one, it looks the same in everybody's frames;
    /// else it is a temporary folder of its own.
    init(_ name: String, isInRepository: Bool = false) throws {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let files = FileManager.default
        if isInRepository {
            // Where the tests are run by `swift test` this is so already.
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
