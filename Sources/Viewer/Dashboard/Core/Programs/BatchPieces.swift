// SPDX-License-Identifier: MIT

import ChainEvents

extension EventBatch {
    /// Calls `body` with pieces of the batch of at most `count` events, in order. Tables and snapshots are in the first
    /// piece, `frames`, `resync` and `loss` are in the last piece. All pieces have all texts, because events refer to texts by
    /// index.
    func forEachPiece(of count: Int, _ body: (EventBatch, _ isLast: Bool) -> Void) {
        guard events.count > count else { return body(self, true) }
        var piece = EventBatch(process: process, sequence: sequence, time: time)
        (piece.sites, piece.threads, piece.executors, piece.nodes) = (sites, threads, executors, nodes)
        piece.texts = texts
        var next = 0
        while next < events.count {
            let end = min(next + count, events.count)
            piece.events.replaceSubrange(0..., with: events[next..<end])
            if end == events.count {
                (piece.resync, piece.stateNodeCount, piece.loss) = (resync, stateNodeCount, loss)
                piece.frames = frames
            }
            body(piece, end == events.count)
            (piece.sites, piece.threads, piece.executors, piece.nodes) = ([:], [:], [:], [])
            next = end
        }
    }
}
