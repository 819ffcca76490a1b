import ArgumentParser
import Foundation

/// `chainview man`: the manual page.
struct Man: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the manual page.",
        discussion: """
            For `man -l -`, or to be kept as chainview.1 where `man` looks. It says what --help says of every command, \
            and lists the keys.
            """)

    func run() throws { try Streams.print(ManualPage(try Manual.read()).text) }
}

/// What the argument parser knows of the commands: its own description of itself.
struct Manual: Decodable {
    struct Name: Decodable, Equatable {
        var kind: String
        var name: String

        /// `--for`, `-W`.
        var dashed: String { (kind == "long" ? "--" : "-") + name }
    }

    struct Argument: Decodable, Equatable {
        var kind: String
        var shouldDisplay: Bool
        var isOptional: Bool
        var isRepeating: Bool
        var names: [Name]?
        var valueName: String?
        var defaultValue: String?
        var allValues: [String]?
        var abstract: String?
        var discussion: String?

        var value: String { valueName ?? "value" }
    }

    struct ViewerCommand: Decodable {
        var commandName: String
        var shouldDisplay: Bool?
        var abstract: String?
        var discussion: String?
        var subcommands: [ViewerCommand]?
        var arguments: [Argument]?

        /// Those that are told of.
        var shown: [Argument] { (arguments ?? []).filter(\.shouldDisplay) }
        var commands: [ViewerCommand] {
            (subcommands ?? []).filter { $0.shouldDisplay != false && $0.commandName != "help" }
        }
    }

    var command: ViewerCommand

    /// Asks the parser.
    static func read() throws -> Manual {
        do { return try JSONDecoder().decode(Manual.self, from: Data(Chainview._dumpHelp().utf8)) } catch {
            throw Failure(status: .defect, message: "the argument parser describes itself in another way: \(error).")
        }
    }
}
