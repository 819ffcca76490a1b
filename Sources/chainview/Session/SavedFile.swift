import Dashboard
import Foundation

/// A file to which a screen is saved.
struct SavedFile {
    private let url: URL

    /// - Parameter path: as typed: relative to the working folder, or absolute; `~` is the home folder.
    init(path: String) {
        url = URL(fileURLWithPath: (path as NSString).expandingTildeInPath).standardizedFileURL
    }

    /// Writes the file, and returns the action that shows the result. An existing file is replaced only if `overwrites`
    /// is true, and then atomically.
    func write(_ content: String, overwrites: Bool) -> Action {
        do {
            if overwrites {
                try Data(content.utf8).write(to: url, options: .atomic)
            } else {
                try Data(content.utf8).write(to: url, options: .withoutOverwriting)
            }
            return .message("saved to \(url.path)")
        } catch CocoaError.fileWriteFileExists {
            return .report("\(url.path) exists: type save! to overwrite it")
        } catch let error as CocoaError {
            return .report("cannot save to \(url.path): \(Self.reason(error))")
        } catch {
            return .report("cannot save to \(url.path): \(error.localizedDescription)")
        }
    }

    private static func reason(_ error: CocoaError) -> String {
        if let code = (error.underlying as? POSIXError)?.code { return DisplayText.system(code.rawValue) }
        return error.localizedDescription
    }
}
