import ArgumentParser

/// The command.
@main
struct Chainview: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chainview",
        abstract: "Shows running promise chains live in the terminal, and cancels them.",
        discussion: """
            Start with `chainview demo`. Keys are listed by ? on the screen.

            Exit codes: 0 done or quit, 64 wrong usage, 66 no such file, 70 a defect of chainview, 74 input or output
            failed. A signal that ends chainview is raised again once the terminal is restored.
            """,
        version: Version.text,
        subcommands: [Demo.self])

    static func main() {
        Signals.resetMask()
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch let failure as Failure {
            failure.exit()
        } catch {
            exit(withError: error)
        }
    }
}

/// What this build calls itself.
enum Version {
    static let text = "0.1.0"
}
