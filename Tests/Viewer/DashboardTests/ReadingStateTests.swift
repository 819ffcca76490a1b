import ChainEvents
import ChainModel
import Testing

@testable import Dashboard

/// While the state of a program is read, the screen says so, and nothing that is not so.
@Suite struct ReadingStateTests {
    private static func state(
        _ sequence: UInt64, _ mark: Resync? = nil, count: UInt64? = nil, _ nodes: [NodeSnapshot] = [],
        time: UInt64 = 10_000_000
    )
        -> Action
    {
        var batch = EventBatch(process: Script.process.key, sequence: sequence, time: time + sequence)
        (batch.resync, batch.stateNodeCount, batch.nodes) = (mark, count, nodes)
        return .received(SourceID(0), batch)
    }

    private static func node(_ id: UInt64, creator: UInt64 = 0, _ settlement: Settlement = .pending) -> NodeSnapshot {
        var node = NodeSnapshot(id: NodeID(id), kind: .work)
        (node.creator, node.created, node.settlement) = (NodeID(creator), 5, settlement)
        if settlement != .pending { node.settled = 6 }
        return node
    }

    private static func header(_ screen: Screen) -> String {
        screen.text.split(separator: "\n").first.map(String.init) ?? ""
    }

    private static func screen() -> Screen {
        var screen = Screen(160, 20, connected: false)
        screen.act(.connected(SourceID(0), Script.process))
        screen.act(state(1, .begin(epoch: 1), count: 3))
        screen.tick(20)
        return screen
    }

    @Test func theHeaderSaysHowMuchIsRead() {
        var screen = Self.screen()
        var header = Self.header(screen)
        #expect(header.contains("reading state 0 of 3"), "\(header)")
        #expect(!header.contains("live") && !header.contains("in flight") && !header.contains("chains"), "\(header)")
        screen.act(Self.state(2, nil, [Self.node(3, creator: 2)]))
        screen.tick(30)
        header = Self.header(screen)
        #expect(header.contains("reading state 1 of 3") && header.contains("1 in flight"), "\(header)")
        #expect(screen.text.contains("not read yet") && !screen.text.contains("lost"), "\(screen.text)")
        screen.act(Self.state(3, .end(epoch: 1), [Self.node(2), Self.node(1, .fulfilled)]))
        screen.tick(40)
        header = Self.header(screen)
        #expect(header.contains("live") && !header.contains("reading") && header.contains("2 in flight"), "\(header)")
        #expect(!screen.text.contains("unknown"), "\(screen.text)")
    }

    /// A program that was chosen from a list is live before anything of it has come.
    @Test func beforeTheStateThereAreNoFigures() {
        var screen = Screen(160, 20)
        screen.tick(10)
        #expect(Self.header(screen).contains("live") && !Self.header(screen).contains("0 in flight"))
        #expect(!screen.state.hasReadStates)
        screen.act(Self.state(1, .begin(epoch: 1), count: 0))
        #expect(!screen.state.hasReadStates)
        screen.act(Self.state(2, .end(epoch: 1)))
        screen.tick(20)
        #expect(Self.header(screen).contains("0 in flight") && screen.state.hasReadStates)
    }

    /// The chains that a state has may have failed in the last minute.
    @Test func failuresBeforeTheAttachCountOnceTheStateIsRead() {
        func failed(_ id: UInt64, at second: UInt64) -> NodeSnapshot {
            var node = Self.node(id, .rejected)
            (node.created, node.settled) = (1_000_000_000, second * 1_000_000_000)
            return node
        }
        func screen(_ limits: ForestLimits, _ nodes: [NodeSnapshot]) -> Screen {
            var screen = Screen(160, 20, options: State.Options(limits: limits), connected: false)
            screen.act(.connected(SourceID(0), Script.process))
            screen.tick(100_000)
            let time: UInt64 = 100_000_000_000
            screen.act(Self.state(1, .begin(epoch: time), count: 3, time: time))
            screen.act(Self.state(2, nil, [nodes[0]], time: time))
            screen.tick(100_100)
            #expect(!Self.header(screen).contains("failed/min"), "\(Self.header(screen))")
            screen.act(Self.state(3, .end(epoch: time), Array(nodes.dropFirst()), time: time))
            screen.tick(100_200)
            return screen
        }
        var attached = screen(ForestLimits(), [failed(1, at: 30), failed(2, at: 50), failed(3, at: 99)])
        #expect(Self.header(attached).contains("2 failed/min"), "\(Self.header(attached))")
        attached.type("8")
        #expect(attached.state.overview.rows.first?.failed == 2)
        attached.tick(109_000)
        #expect(Self.header(attached).contains("2 failed/min"))
        attached.tick(110_000)
        #expect(Self.header(attached).contains("1 failed/min"), "one is a minute ago")

        // Where others may have been evicted, nothing is shown until a minute was seen.
        var full = screen(ForestLimits(settledNodeLimit: 4), [failed(1, at: 70), failed(2, at: 80), failed(3, at: 99)])
        for second in 101...159 {
            #expect(!Self.header(full).contains("failed/min"), "\(Self.header(full))")
            full.tick(Double(second) * 1_000)
        }
        #expect(Self.header(full).contains("0 failed/min"), "\(Self.header(full))")
    }

    /// The end of a state has ended what was not in it: only these nodes ended while events were lost.
    @Test func aRepeatedStateIsReread() {
        var screen = Self.screen()
        screen.act(Self.state(2, .end(epoch: 1), [Self.node(1), Self.node(2)]))
        screen.act(Self.state(3, .begin(epoch: 2)))
        screen.tick(30)
        #expect(Self.header(screen).contains("live"), "a walk over the live nodes is no state")
        screen.act(Self.state(4, .end(epoch: 2), [Self.node(1), Self.node(2)]))
        screen.act(Self.state(5, .begin(epoch: 20_000_000), count: 1))
        screen.tick(40)
        let header = Self.header(screen)
        #expect(header.contains("rereading state 0 of 1") && header.contains("2 in flight"), "\(header)")
        screen.act(Self.state(6, .end(epoch: 20_000_000), [Self.node(1)]))
        screen.tick(50)
        #expect(Self.header(screen).contains("live") && screen.text.contains("ended while events were lost"))
    }

    @Test func amongSeveralProgramsTheRowSaysIt() {
        var screen = Self.screen()
        screen.act(.connected(SourceID(1), Script.billing))
        screen.tick(30)
        screen.type("1")
        let header = Self.header(screen)
        #expect(header.contains("1 live") && header.contains("1 reading state"), "\(header)")
        let row = screen.text.split(separator: "\n").first { $0.contains("checkout  4242") } ?? ""
        #expect(row.contains("reading state 0 of 3") && !row.contains("in flight"), "\(screen.text)")
    }

    /// A program of an earlier version does not say how many nodes follow.
    @Test func withoutATotalTheNodesAreCounted() {
        var screen = Screen(160, 20, connected: false)
        screen.act(.connected(SourceID(0), Script.process))
        screen.act(Self.state(1, .begin(epoch: 1)))
        screen.act(Self.state(2, nil, [Self.node(1)]))
        screen.tick(20)
        #expect(Self.header(screen).contains("reading state, 1 nodes"), "\(Self.header(screen))")
    }
}

// SPDX-License-Identifier: MIT
