// SPDX-License-Identifier: MIT

import ArgumentParser
import Foundation

/// `chainview`: the root of the commands.
@main
struct Chainview: ParsableCommand {
    static let introduction = """
        Without a command it lists the programs that can be attached to, and opens the dashboard on one. To try it: \
        `chainview demo`. In the dashboard, ? lists the keys.
        """

    static let exitNote = """
        The exit code of `chainview run` is the program's own. A signal that ends chainview is raised again once the \
        terminal is restored.
        """

    static let configuration = CommandConfiguration(
        commandName: "chainview",
        abstract: "Shows running promise chains live in the terminal, and cancels them.",
        discussion: introduction + "\n\nExit codes: "
            + Reference.exitCodes.map { "\($0.term) \($0.text)" }.joined(separator: "; ") + ". " + exitNote,
        version: Version.text,
        subcommands: [
            Attach.self, Run.self, Record.self, Replay.self, PostMortem.self, Export.self, PS.self, Snapshot.self,
            Events.self, Watch.self, Diff.self, Cancel.self, DemoCommand.self, ConfigCommand.self, Flags.self, Man.self,
            Pick.self, RelayCommand.self, AsUserCommand.self,
        ],
        defaultSubcommand: Pick.self)

    static func main() {
        Streams.fillClosed()
        Signals.resetInherited()
        // SIGXFSZ is ignored, so that a write past `ulimit -f` fails with an error, which is reported.
        signal(SIGXFSZ, SIG_IGN)
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

    /// The word that stands in the place of a command's name and names no command; nil if there is no such word. The
    /// parser takes an unknown first word for an argument of the default command, and `help` prints the root's help for
    /// an unknown word.
    private static var unknownCommand: String? {
        let words = CommandLine.arguments.dropFirst()
        let named = words.first == "help" ? words.dropFirst().first : words.first
        guard let named, !named.isEmpty, !named.hasPrefix("-"), !isKnown(named) else { return nil }
        return named
    }

    /// What to write for a value that is wrong or missing, by the name of the value.
    private static let forms: [Substring: String] = [
        "duration": "a time of at most 366 days, such as 500ms, 30s, 10m or 2h",
        "node": "its number in `chainview ps TARGET`, such as 123", "COLSxROWS": SizeArgument.form,
        "seed": "a whole number from 0 on", "limit": "a whole number", "count": "a whole number",
        "speed": "a number such as 2 or 0.5", "percent": "a number from 0 to 100",
    ]

    /// Prints help or the version on standard output, or an error as one sentence on standard error, and exits.
    private static func end(_ error: any Error) -> Never {
        let code = exitCode(for: error)
        let unknown = unknownCommand
        if code == .success, unknown == nil {
            do { try Streams.print(fullMessage(for: error) + "\n") } catch {
                Failure(status: .inputOutput, message: "\(error)").exit()
            }
            exit(withError: nil)
        }
        var sentence = oneLine(message(for: error))
        // A sentence may begin with a word of the command line.
        if let word = sentence.split(separator: " ").first, !CommandLine.arguments.contains(String(word)) {
            sentence = Failure.uncapitalized(sentence)
        }
        if let name = sentence.firstMatch(of: /<(\w+)>'$/)?.1, let form = forms[name] { sentence += ": write \(form)" }
        guard code == .validationFailure || code == .success else { Failure(status: .defect, message: sentence).exit() }
        let names = configuration.subcommands.map { $0._commandName }.filter { !["pick", "relay"].contains($0) }
        let first = CommandLine.arguments.dropFirst().first ?? ""
        let command = names.contains(first) ? first + " " : ""
        if let unknown {
            let near = Suggestions.name(to: unknown, among: names)
            let meant: String? = first == "help" ? near.map { "help \($0)" } : near ?? "attach \(unknown)"
            sentence =
                (near == nil ? ForestSource.replayAdvice(for: unknown) : nil)
                ?? "there is no command \(unknown)" + (meant.map { ": did you mean `chainview \($0)`?" } ?? "")
        }
        let fullStop = [".", "?"].contains(sentence.last) ? "" : "."
        sentence += "\(fullStop) Run `chainview \(command)--help` for the usage."
        Failure(status: .usage, message: sentence).exit()
    }
}

extension Chainview {
    /// Joins the lines of a message into one sentence, with commas between the points of a list.
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

/// The version of this build.
enum Version {
    static let text = "0.1.0"
}
