// SPDX-License-Identifier: MIT

import ArgumentParser

/// `chainview config`: prints or checks the configuration file.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Prints or checks the configuration file.",
        discussion: """
            The file is $XDG_CONFIG_HOME/chainview/config.toml, else ~/.config/chainview/config.toml, in TOML. It sets \
            the theme, the first view, warnings and their limits, how much is kept, and named queries. Settings made in \
            the dashboard override the file, and the command line overrides both. To create the file:

              mkdir -p "$(dirname "$(chainview config --path)")"
              chainview config --print-default > "$(chainview config --path)"

            Exit codes: 0 done, the file is valid or there is no default file, 64 wrong usage, 65 the file is invalid \
            or cannot be read: one sentence for each error on standard error, 66 the named file is missing, or there is no home folder.
            """)

    @Flag(name: .customLong("print-default"), help: "Print a file with every key, its default and its meaning.")
    var printDefault = false

    @Flag(name: .customLong("path"), help: "Print the path of the file.")
    var printsPath = false

    @Flag(help: "Check the file and print its errors.")
    var check = false

    @Argument(help: "With --check: another file.", completion: .file(extensions: ["toml"]))
    var file: String?

    func validate() throws {
        let chosen = [printDefault, printsPath, check].filter { $0 }.count
        guard chosen == 1 else {
            throw ValidationError("Give one of --print-default, --path and --check.")
        }
        if file != nil, !check { throw ValidationError("Name a file only with --check.") }
    }

    func run() throws {
        if printDefault { return try Streams.print(ConfigKey.defaultFile) }
        guard let path = file ?? Folders().configuration else {
            throw Failure(
                status: .noInput, message: "there is no folder for the file: set HOME or XDG_CONFIG_HOME.")
        }
        if printsPath { return try Streams.print(path + "\n") }
        let found: ConfigFile
        do throws(SmallFile.Problem) {
            found = ConfigFile(try SmallFile.read(path), file: path)
        } catch {
            guard case .unreadable(let words) = error else {
                // A missing default file is no error, because the defaults apply.
                guard file == nil else { throw Failure(missing: path) }
                return try Streams.print("There is no \(DisplayText.shown(path)): the defaults apply.\n")
            }
            throw Failure(status: .badData, message: "\(path) \(words).")
        }
        guard let last = found.problems.last else {
            return try Streams.print("\(DisplayText.shown(path)): no errors.\n")
        }
        for problem in found.problems.dropLast() { Streams.printError("\(problem)") }
        throw Failure(status: .badData, message: "\(last)")
    }
}
