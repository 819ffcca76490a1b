// SPDX-License-Identifier: MIT

import CCounting
import PromiseRuntime
import Workloads

/// A piece of work with counted instructions; those of its set-up do not count.
struct Piece {
    let name: String
    /// The number of units that the piece makes: nodes, links or members, as in its name.
    let units: Int
    let prepare: @Sendable (_ units: Int) -> () -> Void

    /// Runs the work twice: first to fill caches and metadata, then inside of the counted region.
    func run() {
        prepare(units)()
        var work = prepare(units)
        withUnsafeMutablePointer(to: &work) { work in
            counted_region({ $0!.assumingMemoryBound(to: (() -> Void).self).pointee() }, work)
        }
    }
}

/// Returns the same work in a runtime that is recorded.
private func recorded(_ piece: Piece) -> Piece {
    Piece(name: "recorded-\(piece.name)", units: piece.units) { units in
        let work = Recorded.run { piece.prepare(units) }
        return { Recorded.runtime.run(work) }
    }
}

/// Returns the same work in a runtime with an inspector that leaves these chains out.
private func leftOut(_ piece: Piece) -> Piece {
    Piece(name: "left-out-\(piece.name)", units: piece.units) { units in
        let work = Recorded.runLeftOut { piece.prepare(units) }
        return { Recorded.narrowed.run(work) }
    }
}

private let nodes = Piece(name: "node", units: 1_000) { units in { Workloads.nodes(units) } }
private let threeLinks = Piece(name: "three-links", units: 1_000) { units in { Workloads.threeLinks(units) } }
private let settledLinks = Piece(name: "settled-link", units: 1_000) { units in
    let (nodes, resolver) = Workloads.keptChain(units)
    return { withExtendedLifetime(nodes) { resolver.fulfill(0) } }
}

let pieces = [
    nodes, recorded(nodes), leftOut(nodes), settledLinks, recorded(settledLinks), leftOut(settledLinks), threeLinks,
    Piece(name: "three-capturing-links", units: 1_000) { units in { Workloads.threeCapturingLinks(units) } },
    Piece(name: "pending-three-links", units: 1_000) { units in { Workloads.pendingThreeLinks(units) } },
    recorded(threeLinks), leftOut(threeLinks),
    Piece(name: "chain.link", units: 1_000) { units in { Workloads.chain(units) } },
    Piece(name: "all.settled-member", units: 1_000) { units in
        let members = (0..<units).map { Promise.resolve($0) }
        return { Workloads.allOfSettled(members) }
    },
    Piece(name: "all.pending-member", units: 1_000) { units in
        let members = (0..<units).map { _ in Promise<Int>.pending() }
        return { Workloads.allOfPending(members) }
    },
]
