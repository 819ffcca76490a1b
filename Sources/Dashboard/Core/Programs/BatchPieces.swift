import ChainEvents

extension EventBatch {
    /// Gives it in pieces of so many events: names and snapshots with the first, what holds after all of it with the last.
    func forEachPiece(of count: Int, _ body: (EventBatch, _ isLast: Bool) -> Void) {
        guard events.count > count else { return body(self, true) }
        var piece = EventBatch(process: process, sequence: sequence, time: time)
        (piece.sites, piece.threads, piece.executors, piece.nodes) = (sites, threads, executors, nodes)
        piece.texts = texts
        var next = 0
        while next < events.count {
            let end = min(next + count, events.count)
            piece.events.replaceSubrange(0..., with: events[next..<end])
            if end == events.count { (piece.resync, piece.loss) = (resync, loss) }
            body(piece, end == events.count)
            (piece.sites, piece.threads, piece.executors, piece.nodes) = ([:], [:], [:], [])
            next = end
        }
    }
}
