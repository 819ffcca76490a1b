// SPDX-License-Identifier: MIT

// Static members, so that `on:` takes the shared executors by short names: `on: .pool`.
extension PromiseExecutor where Self == InlineExecutor {
    /// ``InlineExecutor/shared``: runs handlers on the thread that makes them ready.
    public static var inline: InlineExecutor { InlineExecutor.shared }
}

extension PromiseExecutor where Self == PoolExecutor {
    /// ``PoolExecutor/shared``: the process's default pool.
    public static var pool: PoolExecutor { PoolExecutor.shared }
}

extension PromiseExecutor where Self == ThreadExecutor {
    /// ``ThreadExecutor/shared``: a thread for each handler, 64 at most.
    public static var thread: ThreadExecutor { ThreadExecutor.shared }
}
