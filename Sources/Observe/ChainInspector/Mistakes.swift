// SPDX-License-Identifier: MIT

import PromiseRuntime

// Declarations for a common mistake, with a message that names what is missing. They are disfavoured, so that the
// operations of ChainTasks are chosen where that module is imported.
extension Inspector {
    /// Unavailable: tasks are shown by the product `ChainTasks`.
    @available(*, unavailable, message: "tasks are shown by the product ChainTasks: import that module")
    @_disfavoredOverload @discardableResult
    public static func start(
        name: String? = nil, tasks: Bool, runtime: ChainRuntime = .shared,
        options: InspectorOptions = InspectorOptions()
    ) throws -> Inspector { fatalError("unavailable") }

    /// Unavailable: tasks are shown by the product `ChainTasks`.
    @available(*, unavailable, message: "tasks are shown by the product ChainTasks: import that module")
    @_disfavoredOverload @discardableResult
    public static func startIfRequested(
        tasks: Bool, name: String? = nil, runtime: ChainRuntime = .shared,
        options: InspectorOptions = InspectorOptions()
    ) -> Inspector? { fatalError("unavailable") }
}
