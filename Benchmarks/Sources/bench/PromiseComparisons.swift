// SPDX-License-Identifier: MIT

/// The cost of promises for a program that uses them, beside that of other libraries. Ratios, not times, have limits;
/// the limits are goals.
let promiseComparisons = [
    Comparison(
        name: "three-links.inline", ours: { Ours.threeLinks(20_000) },
        peers: [
            .init(name: "nio", limit: 0.5) { NIOPeer.threeLinks(20_000) },
            .init(name: "tasks") { TaskPeer.threeLinks(20_000) },
        ]),
    Comparison(
        name: "three-links.handed-over", ours: { Ours.handedOver(10_000) },
        peers: [
            .init(name: "nio", limit: 0.5) { NIOPeer.handedOver(10_000) },
            .init(name: "dispatch") { DispatchPeer.handedOver(10_000) },
        ]),
    Comparison(
        name: "chain-of-100000.inline", ours: { Ours.chain(100_000) },
        peers: [
            .init(name: "nio", limit: 0.6) { NIOPeer.chain(100_000) },
            .init(name: "tasks") { TaskPeer.chain(100_000) },
        ]),
    Comparison(
        name: "chain-of-100000.pool", ours: { Ours.chainOnPool(100_000) },
        peers: [.init(name: "nio", limit: 0.6) { NIOPeer.chainFromOutside(100_000) }]),
    Comparison(
        name: "chain-of-1000000.inline", turns: 3, ours: { Ours.chain(1_000_000) },
        peers: [
            .init(name: "nio", limit: 0.6) { NIOPeer.chain(1_000_000) },
            // Linear: a link of a long chain costs what one of a shorter chain does, but for the caches.
            .init(name: "promise-of-100000", limit: 1.5) { Ours.chain(100_000) },
        ]),
    Comparison(
        name: "chain-of-1000000.pool", turns: 3, ours: { Ours.chainOnPool(1_000_000) },
        peers: [.init(name: "nio", limit: 0.6) { NIOPeer.chainFromOutside(1_000_000) }]),
    Comparison(
        name: "all-of-100000.settled.member", ours: { Ours.allOfSettled(100_000) },
        peers: [
            .init(name: "nio", limit: 0.06) { NIOPeer.allOfSettled(100_000) },
            .init(name: "tasks") { TaskPeer.allOfSettled(100_000) },
        ]),
    Comparison(
        name: "all-of-100000.pending.member", ours: { Ours.allOfPending(100_000) },
        peers: [
            .init(name: "nio", limit: 0.25) { NIOPeer.allOfPending(100_000) },
            .init(name: "tasks") { TaskPeer.allOfPending(100_000) },
        ]),
    Comparison(
        name: "two-threads.inline", turns: 5, ours: { Ours.twoThreadsInline(1_000_000) },
        peers: [.init(name: "nio", limit: 0.6) { NIOPeer.twoThreadsInline(1_000_000) }]),
    Comparison(
        name: "two-threads.pool", turns: 3, ours: { Ours.twoThreadsOnPool(1_000_000) },
        peers: [
            .init(name: "nio", limit: 0.5) { NIOPeer.twoThreadsQueued(1_000_000) },
            .init(name: "dispatch") { DispatchPeer.twoThreads(1_000_000) },
            // Fewer: a million would take 6 GB.
            .init(name: "tasks") { TaskPeer.twoThreads(200_000) },
        ]),
    Comparison(
        name: "pending.memory", unit: "bytes", turns: 1, limit: 96, ours: { Ours.bytesOfPending },
        peers: [.init(name: "nio") { NIOPeer.bytesOfPending }, .init(name: "tasks") { TaskPeer.bytesOfPending }]),
    Comparison(
        name: "pending-with-handler.memory", unit: "bytes", turns: 1, limit: 208,
        ours: { Ours.bytesOfPendingWithHandler },
        peers: [.init(name: "nio") { NIOPeer.bytesOfPendingWithHandler }]),
    Comparison(
        name: "pending-with-capturing-handler.memory", unit: "bytes", turns: 1, limit: 224,
        ours: { Ours.bytesOfPendingWithCapturingHandler },
        peers: [.init(name: "nio") { NIOPeer.bytesOfPendingWithCapturingHandler }]),
]
