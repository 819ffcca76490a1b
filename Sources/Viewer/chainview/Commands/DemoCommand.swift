// SPDX-License-Identifier: MIT

import ArgumentParser
import ChainInspector
import ChainSystem
import Dashboard
import Demos

/// `chainview demo`: the dashboard on a demo that runs in this process.
struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Opens the dashboard on a demo (default: \(Demo.all[0].name)).",
        discussion: "Demos:\n\n" + DemoCommand.foldedList)

    @Argument(help: "The name of the demo.", completion: Completions.demos)
    var name = Demo.all[0].name

    @Argument(help: "The demo's arguments: a folder for `files`.")
    var arguments: [String] = []

    @Flag(help: "List the demos and exit.")
    var list = false

    @Option(parsing: .unconditional, help: "The seed of the demo's random numbers; the same seed repeats a run.")
    var seed: UInt64 = 1

    @Option(parsing: .unconditional, help: "How much faster than its own pace the demo runs, such as 2 or 0.5.")
    var speed = 1.0

    @OptionGroup var display: DisplayOptions

    /// The list of the demos, one line for each demo.
    private static let list = Demo.all.map { demo in
        "  " + demo.name + String(repeating: " ", count: max(1, 10 - demo.name.count)) + demo.summary
    }
    .joined(separator: "\n")

    /// The list for the help, which has lines of less than 80 columns: a summary goes on in its column.
    private static let foldedList = list.split(separator: "\n").map { line in
        let indent = String(repeating: " ", count: 12)
        return line.prefix(12) + DisplayText.wrapped(line.dropFirst(12), to: 67).joined(separator: "\n" + indent)
    }
    .joined(separator: "\n")

    /// The number of threads that a demo starts soon: of the inspector, the clock and a pool.
    private static let threadCount = 7

    func validate() throws {
        // Bounded, because the demo divides durations by the speed, and the results have to stay representable.
        guard (0.001...1000).contains(speed) else {
            throw ValidationError("--speed must be from 0.001 to 1000, not \(speed).")
        }
    }

    func run() throws {
        if list { return try Streams.print(Self.list + "\n") }
        guard let demo = Demo.named(name) else {
            let near = Suggestions.names(to: name, among: Demo.all.map(\.name))
            let hint = near.isEmpty ? "" : " Did you mean \(near.joined(separator: " or "))?"
            throw Failure(
                status: .usage,
                message: "there is no demo called \(name).\(hint) The demos are "
                    + Demo.all.map(\.name).joined(separator: ", ") + ".")
        }
        if let extra = arguments.dropFirst(demo.argumentLimit).first {
            throw Failure(
                status: .usage,
                message: "the demo \(name) takes no argument \(extra). Run `chainview demo --help` for its arguments.")
        }
        var settings = try display.settings()
        var options = InspectorOptions()
        options.capturesValues = true
        options.isReadOnly = settings.isReadOnly
        // The runtime traps where it can start no thread.
        guard SystemThread.canStart(Self.threadCount) else { throw Failure.noThread }
        let inspector: Inspector
        do { inspector = try Inspector.start(name: demo.name, options: options) } catch {
            throw Failure(status: .inputOutput, message: "\(error).")
        }
        let context = DemoContext(seed: seed, speed: speed, arguments: arguments)
        do { try demo.start(in: context) } catch let error as DemoError {
            throw Failure(status: .noInput, message: error.description)
        }
        settings.isGrouped = demo.isGrouped
        settings.caption = State.Caption(
            texts: demo.captions,
            endings: context.repeats
                ? nil
                : [
                    "the demo is over: q quits, and `chainview demo --list` names the other demos",
                    "the demo is over: q quits",
                ])
        // Settings are not remembered, because settings that are tried in a demo are not meant for other programs.
        try settings.show([NamedSource(name: demo.name, source: InProcessSource(inspector))], remembers: false)
        context.close()
    }
}
