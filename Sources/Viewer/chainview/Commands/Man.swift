// SPDX-License-Identifier: MIT

import ArgumentParser
import Foundation

/// `chainview man`: the manual page.
struct Man: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the manual page.",
        discussion: """
            Save it as chainview.1 and read it with `man ./chainview.1`, or save it as man1/chainview.1 in a folder of \
            MANPATH. It holds the help of every command, and the tables of the manual: keys, queries, warnings, the \
            configuration, exit codes, files and variables.
            """)

    func run() throws { try Streams.print(ManualPage(try ToolInfo.read()).text) }
}

/// The argument parser's own description of the commands, decoded.
struct ToolInfo: Decodable {
    struct Name: Decodable, Equatable {
        var kind: String
        var name: String

        /// The name as it is typed: `--for` or `-W`.
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

    struct Command: Decodable {
        var commandName: String
        var shouldDisplay: Bool?
        var abstract: String?
        var discussion: String?
        var subcommands: [Command]?
        var arguments: [Argument]?

        var shown: [Argument] { (arguments ?? []).filter(\.shouldDisplay) }
        var commands: [Command] {
            (subcommands ?? []).filter { $0.shouldDisplay != false && $0.commandName != "help" }
        }
    }

    /// The root of the commands.
    var command: Command

    /// Reads the description from the parser.
    static func read() throws -> ToolInfo {
        do { return try JSONDecoder().decode(ToolInfo.self, from: Data(Chainview._dumpHelp().utf8)) } catch {
            throw Failure(status: .defect, message: "the argument parser's description has another format: \(error).")
        }
    }
}
