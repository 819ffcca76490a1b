import ChainBus
import ChainSource
import Dashboard
import Dispatch
import Foundation
import Frames
import PromiseRuntime

/// The dashboard without a terminal: runs for a while and gives the last frame as text.
struct Headless {
    var duration: Duration
    var size: Size

    /// Runs the source and prints; throws where standard output takes nothing.
    func run(_ source: any BatchSource, options: State.Options) throws {
        let woken = DispatchSemaphore(value: 0)
        let store = Store<State, Action, Effect>(State(size: size, options: options), reduce: reduce(into:_:))
        let feed = Feed(source, wake: { woken.signal() })
        let clock = SystemClock.shared
        let end = clock.now &+ duration.clampedNanoseconds
        while clock.now < end {
            feed.drain { store.dispatch($0) }
            tick(store, clock.now)
            _ = woken.wait(timeout: .now() + .nanoseconds(Int(min(end - min(end, clock.now), 50_000_000))))
        }
        feed.drain { store.dispatch($0) }
        tick(store, clock.now)
        let text = store.withState { render($0).plainText() }
        feed.stop()
        try Streams.print(text.hasSuffix("\n") ? text : text + "\n")
    }

    private func tick(_ store: Store<State, Action, Effect>, _ now: UInt64) {
        store.dispatch(.tick(wall: UInt64(Date().timeIntervalSince1970 * 1e9), process: now))
    }
}
