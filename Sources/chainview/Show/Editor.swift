import ChainEvents
import Foundation

/// Opens a call site in the user's editor.
struct Editor {
    /// How many folder entries are looked at before a file counts as not found.
    private static let searchLimit = 200_000

    /// The file of a call site, `Module/File.swift`, below the current folder: one whose path also names the module, if
    /// there is one.
    func find(_ site: Site) -> String? {
        let parts = site.fileID.split(separator: "/").map(String.init)
        guard let module = parts.first, let name = parts.last else { return nil }
        guard let walk = FileManager.default.enumerator(atPath: ".") else { return nil }
        var best: String?
        var seen = 0
        for case let path as String in walk {
            seen += 1
            if seen > Self.searchLimit { break }
            let file = (path as NSString).lastPathComponent
            if file.hasPrefix(".") || file == "node_modules" { walk.skipDescendants() }
            guard file == name else { continue }
            if path.lowercased().contains(module.lowercased()) { return path }
            best = best ?? path
        }
        return best
    }

    /// Runs `$VISUAL`, `$EDITOR` or `vi` on the file and waits for it; gives one sentence where that fails.
    func open(_ file: String, line: Int) -> String? {
        let environment = Foundation.ProcessInfo.processInfo.environment
        let editor = ["VISUAL", "EDITOR"].compactMap { environment[$0] }.first { !$0.isEmpty } ?? "vi"
        let process = Foundation.Process()
        // The variable may hold arguments, so that a shell has to read it; the file's name does not go through it.
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "exec \(editor) \"$@\"", "editor", "+\(line)", file]
        do { try process.run() } catch { return "cannot start \(editor): \(error.localizedDescription)" }
        process.waitUntilExit()
        return process.terminationStatus == 0 ? nil : "\(editor) ended with status \(process.terminationStatus)"
    }
}
