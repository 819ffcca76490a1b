// SPDX-License-Identifier: MIT

import ChainSystem
import Synchronization

/// The handle of one observer's subscription to a ``Hub``. The observer is in the hub's receivers, not in the handle,
/// so that a delivery reads a flag and takes no lock.
@usableFromInline
final class Subscription<Element: Sendable>: Disposable {
    @usableFromInline
    struct Source: Sendable {
        // Weak, because a disposable that was not disposed of must not keep the stream alive.
        @usableFromInline weak var hub: Hub<Element>?

        @inlinable
        init(_ hub: Hub<Element>) { self.hub = hub }
    }

    @usableFromInline let ended = Atomic(false)
    @usableFromInline let source: Lock<Source>
    @usableFromInline let key: OrderedBag<Hub<Element>.Receiver>.Key

    @inlinable
    init(of hub: Hub<Element>, key: OrderedBag<Hub<Element>.Receiver>.Key) {
        source = Lock(Source(hub))
        self.key = key
    }

    @inlinable
    var isEnded: Bool { ended.load(ordering: .acquiring) }

    /// Ends the subscription: no delivery begins any more. Returns whether this was the first call.
    @inlinable
    func end() -> Bool { !ended.exchange(true, ordering: .acquiringAndReleasing) }

    @inlinable
    func dispose() {
        guard end() else { return }
        let hub = source.withLock { $0.hub }
        hub?.remove(key)
    }
}
