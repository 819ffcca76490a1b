// SPDX-License-Identifier: MIT

import ChainEvents

// Commands of viewers.
extension Inspector {
    /// Carries out a command, or refuses it with a reason. When this returns, the events of a cancellation are
    /// published, except those of handlers that still run.
    ///
    /// A scope is cancelled by rule X5 (TheRules): first its topmost pending nodes, then its other nodes and newly
    /// created nodes, until none is pending. Nodes that a node outside of the scope waits for are left out, unless the
    /// command names them.
    public func perform(_ command: ViewerCommand) -> CommandReply { perform(command, for: nil) }

    /// Carries out a command; a requested state is sent to `subscribers`, or to all subscribers if that is nil.
    func perform(_ command: ViewerCommand, for subscribers: [BatchSubscription]?) -> CommandReply {
        CommandReply(command: command.id, outcome: outcome(of: command, subscribers))
    }

    private func outcome(of command: ViewerCommand, _ subscribers: [BatchSubscription]?) -> CommandReply.Outcome {
        guard command.process == description.key else {
            return .refused("The command is for another run of the program")
        }
        guard collector.recorder.isInOwnProcess else {
            return .refused("The command is for the parent of this process")
        }
        guard !isStopped.withLock({ $0 }) else { return .refused("The program has stopped its inspector") }
        switch command.request {
        case .resync:
            collector.resync(subscribers)
            return .accepted(count: 0)
        case .cancel(let scope, let viewer):
            guard !info.isReadOnly else { return .refused("The program allows viewers to look only (read-only)") }
            return collector.cancel(scope, by: viewer)
        case .describe(let id):
            return collector.describe(id)
        case .nodesOfTasks(let numbers):
            return collector.nodes(ofTasks: numbers)
        case .threadStack:
            return .refused("The stack of a thread is read from outside only, of programs that are not prepared")
        case .frames(let scope):
            return collector.frames(of: scope)
        case .dump:
            return .refused("A dump goes to a viewer that attaches: use dumpFlightRecording(last:to:)")
        }
    }
}
