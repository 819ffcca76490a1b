// SPDX-License-Identifier: MIT

import ChainEvents
import ChainModel
import Dashboard
import Frames

/// Folds batches into a dashboard and draws every view of it. No batch may make that trap.
enum View {
    private static let limits = ForestLimits(
        settledNodeLimit: 12, settledLeafLimit: 4, ageLimit: 100, chainNodeLimit: 10, nodeLimit: 40, changeLimit: 16)
    private static let views = ViewID.allCases.filter { $0 != .overview }.map(Intent.show)
    private static let keys: [Intent] = [
        .unfoldAll, .detail, .end, .sort, .sort, .group, .own("zoomIn"), .own("zoomIn"), .right, .left, .own("scope"),
        .why, .freeze,
        .home, .freeze, .own("zoomOut"), .invertSort, .foldAll,
    ]

    static func check(_ batches: [EventBatch]) {
        guard let first = batches.first else { return }
        var state = State(size: Size(columns: 120, rows: 30), options: State.Options(limits: limits))
        let info = ProcessDescription(
            key: first.process, pid: .max, name: "a", wallOffset: first.time, startTime: first.loss.madeCount)
        act(&state, .connected(SourceID(0), info))
        for (number, batch) in batches.enumerated() {
            act(&state, .received(SourceID(0), batch))
            let moment = 1_790_000_000_000_000_000 + UInt64(number) * 700_000_000
            act(&state, .tick(wall: moment, monotonic: moment))
            act(&state, .work)
        }
        for (index, view) in views.enumerated() {
            act(&state, .perform(view))
            _ = render(state)
            for key in keys[(index * 3)...].prefix(3) { act(&state, .perform(key)) }
            act(&state, .tick(wall: .max, monotonic: .max))
            _ = render(state)
        }
        for queue in state.queueStatistics { precondition(queue.count <= queue.limit, "\(queue) is over its limit") }
    }

    private static func act(_ state: inout State, _ action: Action) { _ = reduce(into: &state, action) }
}
