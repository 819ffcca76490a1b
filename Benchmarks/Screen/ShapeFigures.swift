// SPDX-License-Identifier: MIT

import Calibration
import ChainEvents
import Dashboard

/// Hard shapes of chains.
enum ShapeFigures {
    static func roots() {
        let scene = Scene(nodes: 1_000_000, traffic: Traffic(plans: [Plan.single]))
        figures(
            "roots", scene, to: .reads, .init(p99: 0.35, most: 0.45, slice: 0.2),
            .init(move: 0.03, key: 0.4, slice: 0.2, sort: 45, filter: 55))
    }

    static func wide() { grown("wide", Growth(count: 100_000, isDeep: false)) }

    static func deep() { grown("deep", Growth(count: 10_000, isDeep: true)) }

    /// Measures with the large chain unfolded on the screen, beside other chains. Where its rows are read for the first
    /// time (after it was unfolded, or with a new filter), a frame or a key waits for a walk as far as the selection.
    private static func grown(_ name: String, _ growth: Growth) {
        let scene = Scene(nodes: 10_000)
        var growth = growth
        scene.stage.receive(growth.begin(at: scene.traffic.now))
        scene.growth = growth
        scene.advance(frames: 30)
        scene.stage.perform(.home)
        scene.stage.perform(.right)
        figures(
            name, scene, to: .sort, .init(p99: 0.25, most: 0.35, slice: 0.1),
            .init(move: 0.1, key: 0.25, slice: 0.1, sort: 0.6, filter: 1.6))
    }

    private static func figures(
        _ name: String, _ scene: Scene, to peer: Peer, _ frames: FrameRun.Limits, _ keys: KeyFigures.Limits
    ) {
        scene.advance(frames: 30)
        FrameRun.report("screen.shape.\(name).frame", scene, to: peer, limits: frames)
        FrameFigures.picture("screen.shape.\(name).picture", of: scene)
        KeyFigures.keys(name, of: scene, to: peer, limits: keys)
    }
}

/// One large chain that goes on: some of its nodes settle in each frame, and as many are made.
struct Growth {
    /// The number of links.
    let count: Int
    /// Whether each link is on the link before; else all are on one promise.
    let isDeep: Bool
    /// The number of nodes that settle in a frame.
    private static let step: UInt64 = 20
    /// The id of the root, far from the ids of the other chains.
    private static let firstID: UInt64 = 1 << 40
    private var made: UInt64 = 0
    private var settled: UInt64 = 1

    init(count: Int, isDeep: Bool) { (self.count, self.isDeep) = (count, isDeep) }

    /// Makes the whole chain, older than all other chains, so that it is the first row.
    mutating func begin(at time: UInt64) -> EventBatch {
        var batch = EventBatch(process: Traffic.process, sequence: 1, time: time)
        while made <= count { make(1_000_000 + made, in: &batch) }
        batch.events.append(ChainEvent(time: time, .fulfilled, node: NodeID(Self.firstID)))
        return batch
    }

    /// Appends the events of a frame to a batch.
    mutating func advance(in batch: inout EventBatch) {
        for _ in 0..<Self.step {
            let node = NodeID(Self.firstID + settled)
            settled += 1
            for kind in [EventKind.queued, .started, .fulfilled] {
                batch.events.append(
                    ChainEvent(
                        time: batch.time, kind, node: node, thread: 1, detail: kind == .queued ? 1 : 0,
                        flags: kind == .fulfilled ? .handlerEnded : []))
            }
            make(batch.time, in: &batch)
        }
    }

    private mutating func make(_ time: UInt64, in batch: inout EventBatch) {
        let isRoot = made == 0
        batch.events.append(
            ChainEvent(
                time: time, .created, node: NodeID(Self.firstID + made),
                other: isRoot ? .none : NodeID(Self.firstID + (isDeep ? made - 1 : 0)), site: 3,
                detail: UInt16((isRoot ? NodeKind.pending : .then).rawValue), flags: isRoot ? .external : .hasParent))
        made += 1
    }
}
