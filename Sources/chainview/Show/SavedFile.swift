import Dashboard
import Foundation

/// A file that a screen is saved to.
struct SavedFile {
    private let url: URL

    /// - Parameter path: as the user typed it: of this folder, or whole; `~` is the user's own folder.
    init(path: String) {
        url = URL(fileURLWithPath: (path as NSString).expandingTildeInPath).standardizedFileURL
    }

    /// Writes it; gives what the dashboard is to be told. A file that is there is only replaced if that was asked for,
    /// whole or not at all.
    func write(_ content: String, overwrites: Bool) -> Action {
        do {
            if overwrites {
                try Data(content.utf8).write(to: url, options: .atomic)
            } else {
                try Data(content.utf8).write(to: url, options: .withoutOverwriting)
            }
            return .told("saved to \(url.path)")
        } catch CocoaError.fileWriteFileExists {
            return .report("\(url.path) is there already: save! writes over it")
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
