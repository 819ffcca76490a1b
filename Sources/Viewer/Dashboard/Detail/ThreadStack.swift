// SPDX-License-Identifier: MIT

import ChainModel

/// The stack of a thread that was asked for last.
struct ThreadStackReading {
    let rowID: RowID
    let command: UInt64
    /// Nil until the answer has come.
    var answer: NodeDetailCache.Answer?
}

extension State {
    /// Asks for the stack of the thread that runs the selected task, and shows the details, which show the answer.
    mutating func askForThreadStack() -> [Effect] {
        guard let selection, let (programIndex, node) = selectedNode else {
            return refuse("only a task has a thread's stack")
        }
        if let reason = threadStackRefusal(node, world.programs[programIndex]) { return refuse(reason, .warning) }
        if Layout(self).detail == nil { toggleDetail() }
        lastCommandID += 1
        threadStack = ThreadStackReading(rowID: selection, command: lastCommandID)
        revision += 1
        return [
            .send(
                world.programs[programIndex].source,
                ViewerCommand(
                    id: lastCommandID, process: world.programs[programIndex].forest.process,
                    request: .threadStack(world.programs[programIndex].forest.node(node).id)))
        ]
    }

    private func threadStackRefusal(_ node: NodeIndex, _ program: Program) -> String? {
        guard program.forest.kind(of: node) == .task else { return "only a task has a thread's stack" }
        guard program.forest.isReadFromOutside else {
            return "the stack of a thread is read from outside only, of programs that are not prepared"
        }
        guard !isReplaying, program.connection.isLive else { return "the program cannot be asked any more" }
        if options.isReadOnly { return "read-only: reading a thread's stack would stop the thread" }
        guard !program.isFrozen else { return "the picture is frozen; p resumes" }
        guard program.forest.node(node).activity == .running else {
            return "it runs on no thread; the details say where it continues"
        }
        return nil
    }

    /// Takes the answer to a request for a thread's stack; returns false if the command was another request.
    mutating func handleThreadStack(_ reply: CommandReply) -> Bool {
        guard let asked = threadStack, asked.command == reply.command else { return false }
        let answer = NodeDetailCache.Answer(reply.outcome, about: asked.rowID.id, at: live.wall)
        threadStack?.answer = answer
        revision += 1
        scrollToThreadStack()
        return true
    }

    /// Scrolls the details to the stack, unless they fit.
    private mutating func scrollToThreadStack() {
        guard selection == threadStack?.rowID, let area = Layout(self).detail else { return }
        let lines = DetailText.lines(of: self, width: area.columns - 4)
        guard lines.count > area.rows - 1 else { return }
        let title = lines.firstIndex { $0.parts.first?.text.hasPrefix(DetailText.threadStackTitle) ?? false }
        detailScroll = clampedDetailScroll(title ?? lines.count)
    }
}

extension DetailText {
    fileprivate static let threadStackTitle = "the stack of its thread"

    /// Adds the stack of the thread that runs the selected task, if it was asked for.
    static func addThreadStack(of state: borrowing State, to text: inout DetailWriter) {
        guard let reading = state.threadStack, reading.rowID == state.selection else { return }
        guard let answer = reading.answer else {
            text.gap()
            return text.wrap("reading \(threadStackTitle)\(text.glyphs.ellipsis)", style: .dim)
        }
        add(answer, titled: threadStackTitle, clockOffset: state.options.clockOffset, to: &text)
    }
}
