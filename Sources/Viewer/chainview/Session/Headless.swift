// SPDX-License-Identifier: MIT

import ChainBus
import ChainSystem
import Dashboard
import Frames
import PromiseRuntime

import struct Frames.Size  // Darwin has a Size, too (MacTypes.h).

/// The dashboard without a terminal: runs for a while and prints the last frame as text.
struct Headless {
    /// The time from the moment that the programs' states are complete.
    var duration: Duration
    var size: Size
    /// Whether the queues are printed at the end.
    var printsStatistics = false

    /// Runs the sources and prints the frame.
    func run(
        _ sources: [NamedSource], options: State.Options, showing: ViewSettings,
        print: (String) throws -> Void = Streams.print
    ) throws {
        let woken = Semaphore()
        let feeds = Feed.all(sources, wake: { woken.signal() })
        let store = StateStore<State, Action, Effect>(State(size: size, options: options), reduce: reduce(into:_:)) {
            effect, _ in
            switch effect {
            case .send(let source, let command): feeds[source.rawValue].send(command)
            case .requestSnapshot(let source): feeds[source.rawValue].requestSnapshot()
            // Ignored, because only a user at a screen causes them.
            case .replay, .record, .bell, .alert, .copy, .save, .toggleOutput, .openEditor, .redraw, .suspend, .quit:
                break
            }
        }
        store.dispatch(.restore(showing))
        let clock = SystemClock.shared
        var deadline = StateDeadline(DurationArgument(duration: duration))
        while true {
            for feed in feeds { feed.drain { store.dispatch($0) } }
            tick(store, clock.nanoseconds)
            if feeds.contains(where: \.wasLive) {
                deadline.reached(isStateComplete: store.withState { $0.hasReadStates })
            }
            guard !deadline.isOver, !feeds.allSatisfy(\.isOver) else { break }
            _ = woken.wait(nanoseconds: min(deadline.rest, 50_000_000))
        }
        for feed in feeds { feed.drain { store.dispatch($0) } }
        tick(store, clock.nanoseconds)
        let text = store.withState { render($0).plainText() }
        for feed in feeds { feed.stop() }
        if !feeds.contains(where: \.wasLive), let failure = feeds.compactMap(\.failure).first {
            throw Failure(status: .gone, message: failure + ".")
        }
        try print(text.hasSuffix("\n") ? text : text + "\n")
        if printsStatistics { DebugStatistics.print(store.withState { $0.queueStatistics }, feeds) }
    }

    private func tick(_ store: StateStore<State, Action, Effect>, _ now: UInt64) {
        store.dispatch(.tick(wall: WallClock.now, monotonic: now))
    }
}
