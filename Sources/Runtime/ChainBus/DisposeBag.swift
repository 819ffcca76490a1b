// SPDX-License-Identifier: MIT

import ChainSystem

/// A collection of disposables. When it is disposed of or released, it disposes of its contents in the order of
/// insertion.
///
///     final class Screen {
///         private let bag = DisposeBag()
///         init(_ status: Variable<String>) {
///             status.subscribe(onNext: { text in draw(text) }).disposed(by: bag)
///         }
///     }
///
/// A bag retains its contents until it is disposed of or released, also subscriptions that have ended. Use one bag for
/// each group of short subscriptions.
public final class DisposeBag: Disposable {
    // nil once disposed of.
    private let contents = Lock<[any Disposable]?>([])

    /// Makes an empty bag.
    public init() {}

    deinit { dispose() }

    /// Inserts a disposable, or disposes of it at once if the bag was disposed of.
    public func insert(_ disposable: any Disposable) {
        let isKept = contents.withLock { contents in
            contents?.append(disposable) != nil
        }
        if !isKept { disposable.dispose() }
    }

    /// Disposes of the contents, and from now on of all that is inserted.
    public func dispose() {
        let taken = contents.withLock { contents in
            let taken = contents
            contents = nil
            return taken
        }
        taken?.forEach { $0.dispose() }
    }
}
