// SPDX-License-Identifier: MIT

import Calibration
import ChainEvents
import Dashboard
import Frames

/// A dashboard without a terminal: the state, what was drawn last, and its clocks.
final class Stage {
    private var state: State
    private(set) var shown: Frame
    private var drawnRevision: UInt64?
    private let source = SourceID(0)
    private var process: UInt64 = 1_000_000_000
    private let wallOffset: UInt64 = 1_700_000_000_000_000_000

    static let size = Size(columns: 200, rows: 60)
    /// The time between two frames, in nanoseconds.
    static let interval: UInt64 = 33_333_333

    init() {
        state = State(size: Self.size)
        shown = Frame(size: Self.size)
        let info = ProcessDescription(key: Traffic.process, pid: 4242, name: "bench", wallOffset: wallOffset)
        act(.connected(source, info))
    }

    private func act(_ action: Action) { _ = reduce(into: &state, action) }

    func receive(_ batch: EventBatch) {
        process = max(process, batch.time)
        act(.received(source, batch))
    }

    func perform(_ intent: Intent) { act(.perform(intent)) }

    func wheel(up: Bool) { act(.mouse(Mouse(up ? .wheelUp : .wheelDown, .none, row: 20, column: 40))) }

    func type(_ text: String) { for character in text { act(.key(.character(character))) } }

    func press(_ key: Key) { act(.key(KeyPress(key))) }

    /// Whether background work is left.
    var hasWork: Bool { state.hasWork }

    /// Advances the clocks, by default by the time of a frame, and ticks.
    func tick(_ duration: UInt64 = Stage.interval) {
        process += duration
        act(.tick(wall: wallOffset + process, monotonic: process))
    }

    /// A slice of background work between two frames.
    struct Slice {
        /// The processor time in nanoseconds.
        var time: UInt64
        /// Whether the slice updated the views' statistics, which go on whatever the user does.
        var isForViews: Bool
    }

    /// Uses the time that is left before the next frame, as the command does: one slice at least.
    @discardableResult
    func work() -> [Slice] {
        var slices: [Slice] = []
        var rest = Self.interval - Self.interval / 4
        repeat {
            let slice = timing { act(.work) }
            slices.append(Slice(time: slice, isForViews: state.hasCountedForViews))
            rest -= min(rest, slice)
        } while state.hasWork && rest > 0
        return slices
    }

    /// Selects the visible rows again, as every change does.
    func updateViewport() { act(.resized(Self.size)) }

    /// Draws if the state has changed. Returns the processor times of rendering and of comparing, in nanoseconds.
    @discardableResult
    func draw() -> (render: UInt64, diff: UInt64, isDrawn: Bool) {
        guard state.revision != drawnRevision else { return (0, 0, false) }
        drawnRevision = state.revision
        let start = nanoseconds()
        let frame = render(state)
        let middle = nanoseconds()
        let diff = FrameDiff(from: shown, to: frame)
        let end = nanoseconds()
        use(diff.isEmpty)
        shown = frame
        return (middle - start, end - middle, true)
    }
}
