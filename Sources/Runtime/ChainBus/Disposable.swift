// SPDX-License-Identifier: MIT

import ChainSystem

/// Something that can be ended, such as a subscription.
///
/// Releasing a disposable ends nothing, unless it is a ``DisposeBag``. A subscription that is not disposed of lasts as
/// long as its stream. Insert it into a bag to tie it to a lifetime.
public protocol Disposable: AnyObject, Sendable {
    /// Ends the disposable. Idempotent, and never waits; may be called from any thread, also inside a delivery.
    ///
    /// After a subscription was disposed of, no delivery to its observer *begins*. A delivery that is under way on
    /// another thread goes on to its end, perhaps after `dispose()` has returned. So does the delivery that calls
    /// `dispose()`. The observer is released by `dispose()` or, if a delivery is under way, by that delivery.
    func dispose()
}

extension Disposable {
    /// Inserts the disposable into `bag`.
    public func disposed(by bag: DisposeBag) { bag.insert(self) }
}

/// A disposable that runs a closure, once.
public final class AnyDisposable: Disposable {
    private let action: Lock<(@Sendable () -> Void)?>

    /// Makes a disposable that runs `action` at the first ``dispose()``, on the thread of that call, and then releases
    /// `action`.
    public init(_ action: @escaping @Sendable () -> Void) {
        self.action = Lock(action)
    }

    /// Runs the closure, unless it was run before.
    public func dispose() {
        let action = action.withLock { action in
            let taken = action
            action = nil
            return taken
        }
        action?()
    }
}
