import ChainEvents
import Dashboard
import Frames
import GoldenSupport
import Testing

/// The dashboard's frame of each demo at a stated moment of virtual time.
struct FrameTests {
    /// A demo, and the moment of its frame in seconds.
    static let scenes: [(name: String, seconds: Double)] = [
        ("checkout", 2.5), ("trip", 2.9), ("steps", 6.25), ("coffee", 6.5), ("counter", 5), ("pages", 5),
        ("mirrors", 2.5),
        ("storm", 1.5),
        ("stuck", 30),
    ]
    static let sizes = [Size(columns: 20, rows: 5), Size(columns: 80, rows: 24), Size(columns: 120, rows: 40)]

    @Test(arguments: scenes, sizes)
    func demo(_ scene: (name: String, seconds: Double), _ size: Size) throws {
        var screen = Screen(size)
        screen.watch(try DemoRun(scene.name, capturesValues: true), until: scene.seconds)
        check(screen, "\(scene.name)-\(size)")
    }

    @Test(arguments: sizes)
    func files(_ size: Size) throws {
        let harbour = try Harbour("frames-\(size)", isInRepository: true)
        var screen = Screen(size)
        screen.watch(try DemoRun("files", arguments: [harbour.path]), until: 1)
        check(screen, "files-\(size)")
    }

    @Test func checkoutInASCII() throws {
        var screen = Screen(Size(columns: 80, rows: 24), options: State.Options(glyphs: .ascii))
        screen.watch(try DemoRun("checkout", capturesValues: true), until: 2.5)
        check(screen, "checkout-ascii-80x24")
    }

    /// The steps of a cancellation: the key, the question, the command, and the row that names the canceller.
    @Test func anOrderIsCancelledByKeys() throws {
        let demo = try DemoRun("checkout", capturesValues: true)
        var screen = Screen(Size(columns: 80, rows: 24))
        screen.watch(demo, until: 2.5)
        screen.press("c")
        check(screen, "checkout-question-80x24")
        let effects = screen.press("y")
        guard case .send(_, let command)? = effects.first, case .cancel(let scope, let viewer) = command.request else {
            Issue.record("\(effects)")
            return
        }
        let order = try #require(demo.recorded.forest.roots.last)
        #expect(scope == .node(demo.recorded.forest.id(of: order)))
        let label = try #require(demo.recorded.forest.label(of: order))
        let count = demo.recorded.cancelTree(labelled: label, by: viewer)
        screen.act(.replied(SourceID(0), CommandReply(command: command.id, outcome: .accepted(count: count))))
        screen.watch(demo, until: 2.6)
        check(screen, "checkout-cancelled-80x24")

        demo.run(until: .seconds(9))
        let forest = demo.recorded.forest
        #expect(forest.chain(of: order).liveCount == 0)
        #expect(forest.state(of: order) == .cancelled)
        #expect(forest.chain(of: order).counts[.running] == 0)
    }

    private func check(_ screen: Screen, _ name: String) {
        #expect(Golden.complaint(about: screen.golden, named: name) == nil)
    }
}

/// A dashboard that shows a demo.
struct Screen {
    static let process = ProcessDescription(
        key: ProcessKey(rawValue: 1), pid: 4242, name: "demo", wallOffset: 1_790_000_000_000_000_000)

    private(set) var state: State
    private let options: State.Options
    private var shownCount = 0
    private var sequence: UInt64 = 0

    init(_ size: Size, options: State.Options = State.Options()) {
        self.options = options
        state = State(size: size, options: options)
        act(.connected(SourceID(0), Self.process))
    }

    var golden: String { render(state).golden(theme: options.theme, glyphs: options.glyphs) }

    @discardableResult
    mutating func act(_ action: Action) -> [Effect] { reduce(into: &state, action) }

    @discardableResult
    mutating func press(_ key: Character) -> [Effect] { act(.key(.character(key))) }

    /// Runs a demo and shows its events, one batch for each moment, with ten ticks a second.
    mutating func watch(_ demo: DemoRun, until seconds: Double) {
        for tick in 0...Int((seconds * 10).rounded()) {
            demo.run(until: .milliseconds(tick * 100))
            receive(demo.recorded.batch)
            act(
                .tick(
                    wall: Self.process.wallOffset + demo.recorded.clock.nanoseconds,
                    monotonic: demo.recorded.clock.nanoseconds))
        }
    }

    /// Receives those events of the whole run that are new.
    private mutating func receive(_ whole: EventBatch) {
        var rest = whole.events[shownCount...]
        shownCount = whole.events.count
        while let time = rest.first?.time {
            var batch = whole
            sequence += 1
            batch.sequence = sequence
            batch.time = time
            batch.events = Array(rest.prefix { $0.time == time })
            rest = rest.dropFirst(batch.events.count)
            act(.received(SourceID(0), batch))
        }
    }
}

// SPDX-License-Identifier: MIT
