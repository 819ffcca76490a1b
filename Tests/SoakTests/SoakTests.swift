import ChainEvents
import ChainModel
import Dashboard
import Foundation
import Frames
import PlainPainter
import SeededNumbers
import Terminal
import TerminalHarness
import Testing

/// Random keys, clicks, sizes and load on a libvterm terminal. Each cell is as after a full redraw, nothing traps, and
/// memory stops growing. Takes some seconds, or as many as `CHAINVIEW_SOAK` says; `make soak` takes ten minutes.
@Suite(.serialized) struct SoakTests {
    private static let seconds = ProcessInfo.processInfo.environment["CHAINVIEW_SOAK"].flatMap { Double($0) }

    @Test func noCellIsEverWrong() throws {
        let seed = seconds == nil ? 7 : UInt64.random(in: 1...UInt64.max)
        var soak = Soak(seed: seed)
        let clock = ContinuousClock()
        let begin = clock.now
        let duration = Duration.seconds(Self.seconds ?? 0)
        var sizes: [Int] = []
        var nextSample = begin + .seconds(1)
        var steps = 0
        while Self.seconds == nil ? steps < 400 : clock.now - begin < duration {
            soak.step()
            steps += 1
            if steps % 7 == 0, let wrong = soak.wrongCell() {
                Issue.record("seed \(seed), step \(steps), last \(soak.lastActions): \(wrong)")
                return
            }
            if clock.now >= nextSample {
                sizes.append(Self.residentByteCount())
                nextSample = clock.now + .seconds(1)
            }
        }
        print("soak: seed \(seed), \(steps) steps, \(soak.frameCount) frames, \(soak.eventCount) events")
        guard sizes.count >= 60 else { return }
        // The second half only, because all limits are reached in the first.
        let half = sizes.count / 2
        let (middle, end) = (sizes[half..<(half + half / 2)].max()!, sizes[(half + half / 2)...].max()!)
        print("soak: resident at most \(middle / 1024) kB in the third quarter, \(end / 1024) kB in the last")
        #expect(end < middle + middle / 5 + 4_000_000, "memory grows: \(sizes)")
    }

    private var seconds: Double? { Self.seconds }

    /// Returns the resident memory in bytes; 0 where `/proc` is missing.
    private static func residentByteCount() -> Int {
        let words = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        return (words.flatMap { $0.count > 1 ? Int($0[1]) : nil } ?? 0) * Int(getpagesize())
    }
}

/// A dashboard, a terminal that gets differences only, and a random user.
private struct Soak {
    private var random: SeededGenerator
    private var state: State
    private var loads: [Load] = []
    /// The number of programs started so far, which is also the number of the latest.
    private var runs: UInt64 = 0
    private var painter = ScreenPainter.plain()
    /// The latest frame that was painted; nil after a new size, so that the next is painted completely.
    private var shown: Frame?
    private var terminal: VirtualScreen
    /// The clock of the programs, in nanoseconds.
    private var now: UInt64 = 1
    /// The last eight actions, for a failure's message.
    private(set) var lastActions: [String] = []
    private(set) var frameCount = 0
    private(set) var eventCount = 0

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        let size = Size(columns: 120, rows: 40)
        state = State(
            size: size,
            options: State.Options(
                limits: ForestLimits(settledNodeLimit: 2_000, settledLeafLimit: 500, nodeLimit: 6_000),
                frozenLimit: 5_000))
        terminal = VirtualScreen(columns: size.columns, rows: size.rows)
        begin(0)
    }

    // MARK: Actions

    private mutating func act(_ action: Action) {
        lastActions.append(String("\(action)".prefix(60)))
        if lastActions.count > 8 { lastActions.removeFirst() }
        for effect in reduce(into: &state, action) {
            guard case .send(let source, let command) = effect else { continue }
            let isAccepted = Bool.random(using: &random)
            let reply = CommandReply(
                command: command.id, outcome: isAccepted ? .accepted(count: 1) : .refused("not today"))
            _ = reduce(into: &state, .replied(source, reply))
        }
        paint()
    }

    private mutating func paint() {
        let frame = render(state)
        terminal.feed(painter.paint(frame, over: shown, theme: state.options.theme))
        shown = frame
        frameCount += 1
    }

    /// Starts a program, again or for the first time.
    private mutating func begin(_ index: Int) {
        runs += 1
        let load = Load(run: runs)
        if index < loads.count { loads[index] = load } else { loads.append(load) }
        act(.connected(SourceID(index), load.process))
    }

    /// Advances the clock and applies random batches, actions of the user, background work, and rarely a connection.
    mutating func step() {
        now += UInt64.random(in: 1...200, using: &random) * 1_000_000
        for index in loads.indices where Int.random(in: 0..<3, using: &random) > 0 {
            let count = [0, 1, 10, 200].randomElement(using: &random)!
            eventCount += count
            _ = reduce(
                into: &state,
                .received(SourceID(index), loads[index].batch(now, eventCount: count, &random)))
        }
        act(.tick(wall: 1_790_000_000_000_000_000 + now, monotonic: now))
        for _ in 0..<Int.random(in: 0..<4, using: &random) { userActs() }
        for _ in 0..<Int.random(in: 0..<3, using: &random) { act(.work) }
        guard Int.random(in: 0..<150, using: &random) == 0 else { return }
        switch Int.random(in: 0..<4, using: &random) {
        case 0 where loads.count < 3: begin(loads.count)
        case 1: begin(loads.indices.randomElement(using: &random)!)
        case 2:
            let source = SourceID(loads.indices.randomElement(using: &random)!)
            act(.reconnecting(source, since: now, reason: "gone", attempt: 1, nextAttempt: now + 1_000_000_000))
        default: act(.connected(SourceID(0), loads[0].process))
        }
    }

    private mutating func userActs() {
        switch Int.random(in: 0..<20, using: &random) {
        case 0:
            let size = Size(
                columns: Int.random(in: 18..<210, using: &random), rows: Int.random(in: 4..<62, using: &random))
            terminal.resize(columns: size.columns, rows: size.rows)
            shown = nil
            act(.resized(size))
        case 1...3:
            let row = Int.random(in: 0..<state.size.rows, using: &random)
            let column = Int.random(in: 0..<state.size.columns, using: &random)
            let action = [Mouse.Action.press, .press, .release, .drag, .wheelUp, .wheelDown].randomElement(
                using: &random)!
            act(
                .mouse(
                    Mouse(
                        action, action == .press || action == .drag || action == .release ? .left : .none, row: row,
                        column: column, clickCount: Int.random(in: 1...2, using: &random))))
        case 4:
            act(
                .pasted(
                    ["state:rejected", "日本", "\u{1B}[2J", "age>1s or (", "sort total"].randomElement(using: &random)!))
        case 5...6: act(.key(.character("abcdefghijklmnopqrstuvwxyz0123456789:>( ".randomElement(using: &random)!)))
        default:
            let bindings = KeyMap.bindings(in: state.context) + KeyMap.bindings(in: .allViews)
            guard let key = bindings.randomElement(using: &random)?.keys.randomElement(using: &random) else { return }
            act(.key(key))
        }
    }

    // MARK: Checks

    /// Describes the first cell that differs from a terminal with only the latest frame; nil if there is none.
    func wrongCell() -> String? {
        guard let shown else { return nil }
        let fresh = VirtualScreen(columns: shown.size.columns, rows: shown.size.rows)
        var other = ScreenPainter.plain()
        fresh.feed(other.paint(shown, over: nil, theme: state.options.theme))
        for row in 0..<shown.size.rows {
            for column in 0..<shown.size.columns where terminal.cell(row, column) != fresh.cell(row, column) {
                return
                    "\(row),\(column) shows \(terminal.cell(row, column)) for \(fresh.cell(row, column)) of \(shown.size)"
            }
        }
        return nil
    }
}

// SPDX-License-Identifier: MIT
