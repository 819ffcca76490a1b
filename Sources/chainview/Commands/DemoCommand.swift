import ArgumentParser
import ChainInspector
import Demos
import PromiseRuntime

/// `chainview demo`: the dashboard on a demo that runs in this process.
struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Opens the dashboard on a demo (\(Demo.all[0].name), unless you name another).",
        discussion: "Demos:\n\n" + DemoCommand.list)

    @Argument(help: "Which demo.", completion: Completions.demos)
    var name = Demo.all[0].name

    @Argument(help: "What the demo is about: for `files`, the folder.")
    var arguments: [String] = []

    @Flag(help: "List the demos and exit.")
    var list = false

    @Option(help: "The same number makes the demo decide the same way.")
    var seed: UInt64 = 1

    @Option(help: "How much faster than by itself the demo goes, such as 2 or 0.5.")
    var speed = 1.0

    @OptionGroup var display: DisplayOptions

    /// The demos, a line each.
    private static let list = Demo.all.map { demo in
        "  " + demo.name + String(repeating: " ", count: max(1, 10 - demo.name.count)) + demo.summary
    }
    .joined(separator: "\n")

    func validate() throws {
        guard speed > 0, speed <= 1000 else {
            throw ValidationError("The speed is above 0 and at most 1000, not \(speed).")
        }
    }

    func run() throws {
        if list { return try Streams.print(Self.list + "\n") }
        guard let demo = Demo.named(name) else {
            let near = Suggestions.names(to: name, among: Demo.all.map(\.name))
            let hint = near.isEmpty ? "" : " Did you mean \(near.joined(separator: " or "))?"
            throw Failure(
                status: .usage,
                message: "there is no demo called \(name).\(hint) `chainview demo --list` names them all.")
        }
        if let extra = arguments.dropFirst(demo.argumentLimit).first {
            throw Failure(
                status: .usage,
                message: "the demo \(name) takes no \(extra): `chainview demo --help` says what it takes.")
        }
        let settings = try display.settings()
        var options = InspectorOptions()
        options.capturesValues = true
        options.isReadOnly = settings.isReadOnly
        let inspector = try Inspector.start(name: demo.name, options: options)
        let stage = DemoContext(seed: seed, speed: speed, arguments: arguments)
        do { try demo.start(on: stage) } catch let error as DemoError {
            throw Failure(status: .noInput, message: error.description)
        }
        // What is tried in a demo is not meant to last.
        try settings.show([NamedSource(name: demo.name, source: InProcessSource(inspector))], remembers: false)
        stage.close()
    }
}
