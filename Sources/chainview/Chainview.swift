import ArgumentParser

/// The command.
@main
struct Chainview: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chainview",
        abstract: "Shows running promise chains live in the terminal, and cancels them.",
        discussion: """
            Start with `chainview demo`. Keys are listed by ? on the screen.

            Exit codes: 0 done or quit, 64 wrong usage or a terminal that cannot be used, 66 no such file, 70 a defect \
            of chainview, 74 input or output failed. A signal that ends chainview is raised again once the terminal is \
            restored.
            """,
        version: Version.text,
        subcommands: [Demo.self])

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

    /// Help and the version on standard output, what is wrong in one sentence on standard error.
    private static func end(_ error: any Error) -> Never {
        let code = exitCode(for: error)
        if code == .success {
            do { try Streams.print(fullMessage(for: error) + "\n") } catch {
                Failure(status: .inputOutput, message: "\(error)").exit()
            }
            exit(withError: nil)
        }
        let words = message(for: error).split(separator: "\n").joined(separator: " ")
        guard code == .validationFailure else { Failure(status: .defect, message: words).exit() }
        let dot = words.hasSuffix(".") ? "" : "."
        Failure(status: .usage, message: "\(words)\(dot) `chainview demo --help` says what can be given.").exit()
    }
}

/// What this build calls itself.
enum Version {
    static let text = "0.1.0"
}
