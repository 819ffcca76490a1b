import ArgumentParser

/// `chainview config`: what the configuration file is, can say, and says wrongly.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Prints or looks over the configuration file.",
        discussion: """
            The file is $XDG_CONFIG_HOME/chainview/config.toml, else ~/.config/chainview/config.toml, in TOML. It sets \
            the theme, the view to begin with, warnings and their limits, what is kept, and queries by name. What was set \
            in the dashboard counts more than the file, and the command line more than both. To begin with one:

              mkdir -p "$(dirname "$(chainview config --path)")"
              chainview config --print-default > "$(chainview config --path)"

            Exit codes: 0 done, or nothing is wrong, 64 wrong usage, 65 something in the file is wrong: a sentence each \
            on standard error, 66 there is no such file.
            """)

    @Flag(name: .customLong("print-default"), help: "Print a file with every key, its default and what it means.")
    var printDefault = false

    @Flag(help: "Print where the file is looked for.")
    var path = false

    @Flag(help: "Say what is wrong with the file.")
    var check = false

    @Argument(help: "With --check: another file.", completion: .file(extensions: ["toml"]))
    var file: String?

    func validate() throws {
        let chosen = [printDefault, path, check].filter { $0 }.count
        guard chosen == 1 else {
            throw ValidationError("One of --print-default, --path and --check says what is to be done.")
        }
        if file != nil, !check { throw ValidationError("A file is for --check.") }
    }

    func run() throws {
        if printDefault { return try Streams.print(ConfigKey.defaultFile) }
        guard let place = file ?? Folders().configuration else {
            throw Failure(
                status: .noInput, message: "there is no place for a file: neither HOME nor XDG_CONFIG_HOME is set.")
        }
        if path { return try Streams.print(place + "\n") }
        let found: ConfigFile
        do throws(SmallFile.Trouble) {
            found = ConfigFile(try SmallFile.read(place), file: place)
        } catch {
            guard case .unreadable(let words) = error else {
                // Without a file of one's own the defaults hold, and nothing is wrong with those.
                guard file == nil else { throw Failure(missing: place) }
                return try Streams.print("There is no \(DisplayText.shown(place)): the defaults hold.\n")
            }
            throw Failure(status: .badData, message: "\(place) \(words).")
        }
        guard let last = found.problems.last else {
            return try Streams.print("\(DisplayText.shown(place)): nothing is wrong.\n")
        }
        for problem in found.problems.dropLast() { Streams.complain("\(problem)") }
        throw Failure(status: .badData, message: "\(last)")
    }
}
