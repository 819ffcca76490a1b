import ChainEvents
import Dashboard

/// Shapes that are hard: within the limits of all others.
enum ShapeFigures {
    static func roots() {
        let scene = Scene(nodes: 1_000_000, traffic: Traffic(plans: [Plan.single]))
        figures("roots", scene, limits: KeyFigures.Limits(sort: 120, filter: 200))
    }

    static func wide() { grown("wide", Growth(count: 100_000, isDeep: false)) }

    static func deep() { grown("deep", Growth(count: 10_000, isDeep: true)) }

    /// The chain unfolded on the screen, beside other chains.
    private static func grown(_ name: String, _ growth: Growth) {
        let scene = Scene(nodes: 10_000)
        var growth = growth
        scene.stage.receive(growth.begin(at: scene.traffic.now))
        scene.growth = growth
        scene.goOn(frames: 30)
        scene.stage.perform(.home)
        scene.stage.perform(.right)
        figures(name, scene)
    }

    private static func figures(_ name: String, _ scene: Scene, limits: KeyFigures.Limits = KeyFigures.Limits()) {
        scene.goOn(frames: 30)
        FrameRun(scene, frames: 360).report("screen.shape.\(name).frame", p99: 3, most: 8)
        FrameFigures.picture("screen.shape.\(name).picture", of: scene)
        KeyFigures.keys("\(name)", of: scene, limits: limits)
    }
}

/// One large chain that goes on: some of its nodes settle in each frame, and as many are made.
struct Growth {
    /// So many links on one promise, or each on the one before.
    let count: Int
    let isDeep: Bool
    /// How many settle in a frame.
    private static let step: UInt64 = 20
    /// Far from the ids of the rest of the program.
    private static let firstID: UInt64 = 1 << 40
    private var made: UInt64 = 0
    private var settled: UInt64 = 1

    init(count: Int, isDeep: Bool) { (self.count, self.isDeep) = (count, isDeep) }

    /// Makes all of it; it is older than anything else, and so the first row.
    mutating func begin(at time: UInt64) -> EventBatch {
        var batch = EventBatch(process: Traffic.process, sequence: 1, time: time)
        while made <= count { make(1_000_000 + made, in: &batch) }
        batch.events.append(ChainEvent(time: time, .fulfilled, node: NodeID(Self.firstID)))
        return batch
    }

    /// Goes on within a batch.
    mutating func goOn(in batch: inout EventBatch) {
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
