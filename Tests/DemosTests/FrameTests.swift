import ChainEvents
import Dashboard
import Frames
import GoldenSupport
import Testing

/// What the dashboard shows of each story: at stated moments of virtual time, to the cell.
struct FrameTests {
    /// A story and the moment that is looked at, in seconds.
    static let scenes: [(name: String, seconds: Double)] = [
        ("checkout", 2.5), ("trip", 2.9), ("steps", 0.5), ("mirrors", 2.5), ("storm", 1.5), ("stuck", 30),
    ]
    static let sizes = [Size(columns: 20, rows: 5), Size(columns: 80, rows: 24), Size(columns: 120, rows: 40)]

    @Test(arguments: scenes, sizes)
    func story(_ scene: (name: String, seconds: Double), _ size: Size) throws {
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

    /// From a key to the row that says who did it: the question, the command, what the program makes of it.
    @Test func anOrderIsCancelledByKeys() throws {
        let play = try DemoRun("checkout", capturesValues: true)
        var screen = Screen(Size(columns: 80, rows: 24))
        screen.watch(play, until: 2.5)
        screen.press("c")
        check(screen, "checkout-question-80x24")
        let effects = screen.press("y")
        guard case .send(_, let command)? = effects.first, case .cancel(let scope, let viewer) = command.request else {
            Issue.record("\(effects)")
            return
        }
        let order = try #require(play.run.forest.roots.first)
        #expect(scope == .node(play.run.forest.id(of: order)))
        let count = play.run.cancelTree(labelled: "order 1", by: viewer)
        screen.act(.replied(SourceID(0), CommandReply(command: command.id, outcome: .accepted(count: count))))
        screen.watch(play, until: 2.6)
        check(screen, "checkout-cancelled-80x24")

        play.run(until: .seconds(9))
        let forest = play.run.forest
        #expect(forest.chain(of: order).liveCount == 0)
        #expect(forest.state(of: order) == .cancelled)
        #expect(forest.chain(of: order).counts[.running] == 0)
    }

    private func check(_ screen: Screen, _ name: String) {
        #expect(Golden.complaint(about: screen.golden, named: name) == nil)
    }
}

/// A dashboard that looks at a play.
struct Screen {
    static let process = ProcessDescription(
        key: ProcessKey(rawValue: 1), pid: 4242, name: "demo", wallOffset: 1_790_000_000_000_000_000)

    private(set) var state: State
    private let options: State.Options
    private var toldCount = 0
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

    /// Lets a play go on, and takes in what happens, an instant at a time, with ten ticks a second.
    mutating func watch(_ play: DemoRun, until seconds: Double) {
        for tick in 0...Int((seconds * 10).rounded()) {
            play.run(until: .milliseconds(tick * 100))
            take(play.run.batch)
            act(.tick(wall: Self.process.wallOffset + play.run.clock.now, process: play.run.clock.now))
        }
    }

    /// Takes in what is new of a whole run's batch.
    private mutating func take(_ whole: EventBatch) {
        var rest = whole.events[toldCount...]
        toldCount = whole.events.count
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
