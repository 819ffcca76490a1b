import ChainEvents
import ChainSource
import ChainWire
import Foundation
import Testing

@testable import ChainAttach

/// Each command gets exactly one reply, whatever becomes of the connection.
@Suite struct CommandTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func commandsAreAnsweredUnderTheirOwnNumbers() throws {
        let program = try FakeProgram(in: folder)
        let watched = Watched(.unix(path: program.path), folder.options)
        let (viewer, _) = try program.welcome()
        try watched.waitUntilLive()
        // A sender may use a number twice: each command gets its reply.
        for id: UInt64 in [40, 41, 40] { watched.cancel(id, id: id, of: program.info) }
        let commands = try (0..<3).map { _ in try viewer.receiveCommand() }
        #expect(
            commands.map(\.request) == [40, 41, 40].map { .cancel(.node(NodeID($0)), by: "tester") })
        for (count, command) in commands.enumerated().reversed() {
            let reply = CommandReply(command: command.id, outcome: .accepted(count: count))
            viewer.send(.reply(reply))
            viewer.send(.reply(reply))
        }
        viewer.send(.batch(program.batch(1)))
        _ = try watched.waitForBatch(1)
        #expect(
            watched.replies.all
                == [(40, 2), (41, 1), (40, 0)].map {
                    CommandReply(command: $0, outcome: .accepted(count: $1))
                })
        watched.source.stop()
        #expect(watched.replies.all.count == 3)
    }

    @Test func anOpenCommandIsRefusedWhenTheConnectionBreaks() throws {
        let program = try FakeProgram(in: folder)
        let watched = Watched(.unix(path: program.path), folder.options)
        var viewer: FakeConnection? = try program.welcome().0
        try watched.waitUntilLive()
        for id: UInt64 in 1...3 { watched.cancel(id, id: id, of: program.info) }
        for _ in 0..<2 { _ = try viewer?.receiveCommand() }
        let third = try #require(try viewer?.receiveCommand())
        viewer?.send(.reply(CommandReply(command: third.id, outcome: .accepted(count: 1))))
        viewer = nil
        try watched.status.wait("the loss") { $0.disconnection != nil }
        let lost = "The connection was lost before the program answered"
        #expect(
            watched.replies.all == [
                CommandReply(command: 3, outcome: .accepted(count: 1)),
                CommandReply(command: 1, outcome: .refused(lost)), CommandReply(command: 2, outcome: .refused(lost)),
            ])
        watched.cancel(4, id: 4, of: program.info)
        let reply = try watched.replies.wait("a refusal") { $0.command == 4 }
        #expect(reply.outcome == .refused("checkout cannot be reached: the connection was lost"))
        watched.source.stop()
        #expect(watched.replies.all.count == 4)
    }

    @Test func aCommandWithoutAConnectionIsRefused() throws {
        let program = try FakeProgram(in: folder)
        let source = AttachedProcess(.unix(path: program.path), options: folder.options, clock: ManualPollClock())
        let replies = Recorded<CommandReply>()
        _ = source.replies.subscribe(replies)
        let command = ViewerCommand(id: 1, process: program.info.key, request: .resync)
        source.send(command)
        #expect(replies.all == [CommandReply(command: 1, outcome: .refused("The program is not attached to"))])
        source.start()
        var viewer: FakeConnection? = try program.nextViewer()
        source.send(command)
        source.send(command)
        #expect(replies.wait { $0.count == 3 })
        let refusal = CommandReply.Outcome.refused("unix:\(program.path) is not attached to yet")
        #expect(replies.all[1].outcome == refusal && replies.all[2].outcome == refusal)
        viewer = nil
        try replies.waitForCompletion()
        source.stop()
        #expect(viewer == nil && replies.all.count == 3)
    }

    @Test func commandsPastTheLimitAreRefused() throws {
        let program = try FakeProgram(in: folder)
        let isBlocked = DispatchSemaphore(value: 0)
        let mayContinue = DispatchSemaphore(value: 0)
        let watched = Watched(.unix(path: program.path), folder.options)
        let subscription = watched.source.status.subscribe(
            onNext: { status in
                guard status.isLive else { return }
                isBlocked.signal()
                mayContinue.wait()
            })
        let (viewer, _) = try program.welcome()
        // An observer blocks the source's thread.
        isBlocked.wait()
        let limit = UInt64(AttachCore.Inbox.commandLimit)
        for id in 1...limit + 1 { watched.cancel(1, id: id, of: program.info) }
        let refusal = "1000 commands wait to be sent already: try again once they were answered"
        #expect(watched.replies.all == [CommandReply(command: limit + 1, outcome: .refused(refusal))])
        mayContinue.signal()
        #expect(try viewer.receiveCommand().id == 1)
        subscription.dispose()
        watched.source.stop()
        #expect(UInt64(watched.replies.all.count) == limit + 1)
    }

    @Test func stoppingAnswersOpenCommands() throws {
        let program = try FakeProgram(in: folder)
        let watched = Watched(.unix(path: program.path), folder.options)
        let (viewer, _) = try program.welcome()
        try watched.waitUntilLive()
        watched.cancel(1, id: 1, of: program.info)
        _ = try viewer.receiveCommand()
        watched.source.stop()
        #expect(watched.replies.all.map(\.command) == [1] && watched.replies.isCompleted)
    }

    @Test func aReadOnlyViewerSendsNoCancellation() throws {
        let program = try FakeProgram(in: folder)
        var options = folder.options
        options.isReadOnly = true
        let watched = Watched(.unix(path: program.path), options)
        let (viewer, greeting) = try program.welcome()
        #expect(greeting.isReadOnly)
        try watched.waitUntilLive()
        watched.cancel(1, id: 1, of: program.info)
        let reply = try watched.replies.wait("the refusal") { $0.command == 1 }
        #expect(reply.outcome == .refused("This viewer only looks (--read-only)"))
        let describe = ViewerCommand(id: 2, process: program.info.key, request: .describe(NodeID(4)))
        watched.source.send(describe)
        let command = try viewer.receiveCommand()
        #expect(command.request == .describe(NodeID(4)))
        let detail = NodeDetail(node: NodeID(4), entries: [.init(name: "error", text: "long")])
        viewer.send(.reply(CommandReply(command: command.id, outcome: .described(detail))))
        let answer = try watched.replies.wait("the answer") { $0.command == 2 }
        #expect(answer.outcome == .described(detail))
        watched.source.stop()
    }

    @Test func aCommandThatIsTooLongIsNotSent() throws {
        let program = try FakeProgram(in: folder)
        let watched = Watched(.unix(path: program.path), folder.options)
        let (viewer, _) = try program.welcome()
        try watched.waitUntilLive()
        func cancel(_ id: UInt64, count: UInt64) {
            let nodes = (1...count).map { NodeID($0) }
            watched.source.send(
                ViewerCommand(id: id, process: program.info.key, request: .cancel(.nodes(nodes), by: "t")))
        }
        cancel(1, count: 200_000)
        let reply = try watched.replies.wait("the refusal") { $0.command == 1 }
        #expect(reply.outcome == .refused(ViewerCommand.tooLong))
        cancel(2, count: 100_000)
        #expect(try viewer.receiveCommand().request != .resync)
        watched.source.stop()
    }
}

// SPDX-License-Identifier: MIT
