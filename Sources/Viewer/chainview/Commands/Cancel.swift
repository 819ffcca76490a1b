// SPDX-License-Identifier: MIT

import ArgumentParser
import ChainAttach
import ChainEvents
import Dashboard

/// `chainview cancel`: cancels a node of a program, for scripts.
struct Cancel: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Cancels a node of a program and all under it.",
        discussion: """
            Nodes have the numbers that the dashboard and `chainview ps` show: 123 or '#123'. The command requests the \
            cancellation and does not wait for it; `chainview ps` shows the result.

            Exit codes: 0 requested, 64 wrong usage or an ambiguous target, 65 another version of the protocol, 66 no \
            such program, 69 the program is gone, does not answer or has too many viewers, 74 input or output failed, \
            or another error of the system, 77 refused, with the reason: no access, the program is read-only, there is \
            no such node, or nothing under it is pending.
            """)

    @Argument(
        help: ArgumentHelp(
            "The program: pid, name, unix:PATH, tcp:HOST:PORT, ssh:HOST/PROCESS or exec:COMMAND.", valueName: "target"),
        completion: Completions.targets)
    var name: String

    @Argument(help: "The node: 123 or '#123'.")
    var node: NodeArgument

    @Flag(help: "Cancel the whole chain that the node is in.")
    var chain = false

    func validate() throws { _ = try Target(validating: name) }

    func run() throws {
        let target = try Target(validating: name)
        if case .outside(_, let name) = try RunningProgram(target, Discovery.patient) {
            throw Failure(
                status: .refused,
                message:
                    "refused: \(DisplayText.shown(name)) has no inspector, and takes no commands: link ChainInspector, or start it with `chainview run --tasks`, to cancel."
            )
        }
        let endpoint = try Discovery.patient.find(target)
        let scope = chain ? CancelScope.chain(node.id) : .node(node.id)
        let reply: CommandReply
        do {
            reply = try OneShotClient.perform(
                .cancel(scope, by: DisplayOptions.viewer), at: endpoint, viewerName: DisplayOptions.viewer)
        } catch { throw Failure(error) }
        switch reply.outcome {
        case .accepted:
            let what = chain ? "the chain of \(node.id)" : "\(node.id) and all under it"
            try Streams.print("requested the cancellation of \(what)\n")
        case .refused(let reason):
            throw Failure(status: .refused, message: "refused: \(Failure.uncapitalized(reason)).")
        case .described, .frames, .nodes:
            throw Failure(
                status: .badData, message: "the program sent a reply of another kind; its version may differ.")
        }
    }
}

/// The number of a node: `123` or `#123`.
struct NodeArgument: ExpressibleByArgument {
    var id: NodeID

    init?(argument: String) {
        guard let id = NodeNumber.read(argument) else { return nil }
        self.id = id
    }
}
