import ArgumentParser

/// The command.
@main
struct Chainview: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chainview",
        abstract: "Shows running promise chains live in the terminal, and cancels them.",
        discussion: """
            Alone it lists what can be attached to, to choose from. To try it: `chainview demo`. Keys are listed by ? on \
            the screen.

            Exit codes: 0 done or quit, 64 wrong usage or a terminal that cannot be used, 65 another version of the \
            protocol or a configuration file that is wrong, 66 no such file, process or program, 69 the program is gone \
            or does not answer, 70 a defect of chainview, 74 input or output failed, 77 refused; `run` gives the \
            program's own. A signal that ends chainview is raised again once the terminal is restored.
            """,
        version: Version.text,
        subcommands: [
            Attach.self, Run.self, PS.self, Cancel.self, DemoCommand.self, ConfigCommand.self, Man.self, Pick.self,
            RelayCommand.self,
        ],
        defaultSubcommand: Pick.self)

    static func main() {
        Streams.fillClosed()
        Signals.resetMask()
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch let failure as Failure {
            failure.exit()
        } catch {
            end(error)
        }
    }

    private static func isKnown(_ command: String) -> Bool {
        command == "help" || configuration.subcommands.contains { $0._commandName == command }
    }

    /// Help and the version on standard output, what is wrong in one sentence on standard error.
    private static func end(_ error: any Error) -> Never {
        let code = exitCode(for: error)
        if code == .success {
            do { try Streams.print(fullMessage(for: error) + "\n") } catch {
                Failure(status: .inputOutput, message: "\(error)").exit()
            }
            exit(withError: nil)
        }
        var words = oneLine(message(for: error))
        guard code == .validationFailure else { Failure(status: .defect, message: words).exit() }
        let names = configuration.subcommands.map { $0._commandName }.filter { !["pick", "relay"].contains($0) }
        let first = CommandLine.arguments.dropFirst().first ?? ""
        let command = names.contains(first) ? first + " " : ""
        // The parser takes the first word for an argument of the command that is meant where none is named.
        if !first.isEmpty, !first.hasPrefix("-"), !isKnown(first) {
            let near = Suggestions.name(to: first, among: names)
            words = "there is no command \(first): did you mean `chainview \(near ?? "attach \(first)")`?"
        }
        let dot = [".", "?"].contains(words.last) ? "" : "."
        Failure(status: .usage, message: "\(words)\(dot) `chainview \(command)--help` says what can be given.").exit()
    }
}

extension Chainview {
    /// A message of several lines as one sentence; points of a list with commas between them.
    fileprivate static func oneLine(_ message: String) -> String {
        var words = ""
        for line in message.split(separator: "\n") {
            let isPoint = line.hasPrefix("  - ")
            if !words.isEmpty { words += isPoint && !words.hasSuffix(":") ? ", " : " " }
            words += isPoint ? String(line.dropFirst(4)) : String(line.drop { $0 == " " })
        }
        return words
    }
}

/// What this build calls itself.
enum Version {
    static let text = "0.1.0"
}
