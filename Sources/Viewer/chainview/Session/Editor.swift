// SPDX-License-Identifier: MIT

import ChainEvents
import ChainSystem
import Foundation

/// The user's editor, which opens call sites.
struct Editor {
    /// The folder in which to search first.
    var folder = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
    var environment = ProcessInfo.processInfo.environment

    /// The number of folder entries after which a search ends.
    private static let searchLimit = 200_000

    /// Searches below ``folder`` for the file that a call site names (`Module/File.swift`). If it is not there,
    /// searches below the package or repository around that folder. Prefers a file in a folder with the module's name
    /// in its path.
    func find(_ site: CodeLocation) -> String? {
        let parts = site.fileID.split(separator: "/").map(String.init)
        guard let module = parts.first, let name = parts.last else { return nil }
        if let file = Self.find(name, of: module, below: folder) { return file }
        guard let top = enclosing, top.path != folder.path else { return nil }
        return Self.find(name, of: module, below: top)
    }

    /// The nearest folder, from ``folder`` upwards, that holds a package or a repository.
    private var enclosing: URL? {
        var current = folder.standardizedFileURL
        while current.path != "/" {
            for mark in ["Package.swift", ".git"]
            where FileManager.default.fileExists(atPath: current.appendingPathComponent(mark).path) { return current }
            current.deleteLastPathComponent()
        }
        return nil
    }

    private static func find(_ name: String, of module: String, below folder: URL) -> String? {
        guard let walk = FileManager.default.enumerator(atPath: folder.path) else { return nil }
        var best: String?
        var entryCount = 0
        for case let path as String in walk {
            entryCount += 1
            if entryCount > searchLimit { break }
            let file = (path as NSString).lastPathComponent
            if file.hasPrefix(".") || file == "node_modules" { walk.skipDescendants() }
            guard file == name else { continue }
            let whole = folder.appendingPathComponent(path).path
            let inside = (path as NSString).deletingLastPathComponent
            if inside.lowercased().contains(module.lowercased()) { return whole }
            best = best ?? whole
        }
        return best
    }

    /// The editor's command: `$VISUAL`, `$EDITOR` or `vi`. The command may hold options.
    var command: String { ["VISUAL", "EDITOR"].compactMap { environment[$0] }.first { !$0.isEmpty } ?? "vi" }

    /// Returns the arguments for a file and a line, and `--wait` for editors that would return at once without it.
    func arguments(_ file: String, line: Int) -> [String] {
        let words = Self.words(of: command)
        let name = words.first.map { ($0 as NSString).lastPathComponent } ?? ""
        let wait = words.contains { $0 == "--wait" || $0 == "-w" } ? [] : ["--wait"]
        switch name {
        case "code", "code-insiders", "codium", "vscodium", "cursor", "windsurf":
            return wait + ["--goto", "\(file):\(line)"]
        case "subl", "sublime_text", "zed", "zeditor": return wait + ["\(file):\(line)"]
        case "mate", "bbedit": return wait + ["--line", "\(line)", file]
        case "idea", "clion", "fleet", "xed", "kate": return ["--line", "\(line)", file]
        default: return ["+\(line)", file]
        }
    }

    /// Splits a command at spaces outside of quotes. Unlike in the shell that runs it, tabs and backslashes have no
    /// meaning.
    private static func words(of command: String) -> [String] {
        var words = [""]
        var quote: Character?
        for character in command {
            if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
            } else if quote == nil, character == " " {
                words.append("")
            } else {
                words[words.count - 1].append(character)
            }
        }
        return words.filter { !$0.isEmpty }
    }

    /// Runs the editor on a file, and waits for the editor's end. Returns nil, or a sentence on the failure.
    func open(_ file: String, line: Int) -> String? {
        // Run through a shell, because the variable may hold options; the file is an argument and is not parsed.
        var start = ProgramStart(
            "/bin/sh", arguments: ["sh", "-c", "exec \(command) \"$@\"", "editor"] + arguments(file, line: line))
        // The editor runs in the foreground of the terminal.
        start.group = .parent
        start.descriptors = [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].map { ($0, $0) }
        // ^C and ^\ are for the editor, so chainview ignores their signals while the editor runs, as system(3) does.
        let actions = [SIGINT, SIGQUIT].map { (number: $0, action: signal($0, SIG_IGN)) }
        defer { for (number, action) in actions { signal(number, action) } }
        let pid: Int32
        do throws(SystemError) { pid = try start.runAsInvokingUser() } catch {
            return "cannot start \(command): \(error)"
        }
        switch ProgramEnding.wait(for: pid) {
        case .exited(0): return nil
        case .exited(127): return "there is no editor \(command): set $VISUAL or $EDITOR"
        case let ending: return "\(command) \(ending.words)"
        }
    }
}
