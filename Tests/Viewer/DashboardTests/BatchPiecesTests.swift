import ChainEvents
import SeededNumbers
import Testing

@testable import Dashboard

/// Large batches are applied piece by piece.
@Suite struct BatchPiecesTests {
    @Test(arguments: [0, 1, 6, 7, 8, 21, 100]) func piecesAddUpToTheBatch(_ count: Int) {
        var script = Script(time: 1)
        for node in 0..<UInt64(count) { script.make(node + 1, .work, "label \(node)", site: "Shop.swift:\(node + 1)") }
        var batch = script.batch
        batch.threads = [1: "worker"]
        batch.resync = .end(epoch: 9)
        batch.nodes = [NodeSnapshot(id: NodeID(700), kind: .work)]
        batch.loss.lostInRings = 3
        var pieces: [EventBatch] = []
        var lasts: [Bool] = []
        batch.forEachPiece(of: 7) {
            pieces.append($0)
            lasts.append($1)
        }
        #expect(pieces.count == max(1, (count + 6) / 7) && pieces.allSatisfy { $0.events.count <= 7 })
        #expect(pieces.flatMap(\.events) == batch.events)
        #expect(
            pieces.flatMap { piece in piece.events.map { piece.text(of: $0) } }
                == batch.events.map { batch.text(of: $0) })
        #expect(pieces.allSatisfy { $0.time == batch.time && $0.process == batch.process })
        // Names and snapshots come with the first piece, the mark of a resync and the losses with the last.
        #expect(pieces[0].sites == batch.sites && pieces[0].threads == batch.threads && pieces[0].nodes.count == 1)
        #expect(pieces.dropFirst().allSatisfy { $0.sites.isEmpty && $0.threads.isEmpty && $0.nodes.isEmpty })
        #expect(lasts == pieces.indices.map { $0 == pieces.count - 1 })
        #expect(pieces.map { $0.resync != nil } == lasts && pieces.map { $0.loss.lostCount > 0 } == lasts)
    }

    /// A batch that is applied whole and one that is applied in pieces give the same screen.
    @Test(arguments: 1...6) func theScreenIsTheSame(_ seed: Int) {
        var (whole, parts) = (Screen(120, 40), Screen(120, 40))
        var random = SeededGenerator(seed: UInt64(seed))
        var time = 10.0
        for round in 1...4 as ClosedRange<UInt64> {
            var script = Script(sequence: round, time: time)
            for chain in 0..<300 as Range<UInt64> {
                let first = round * 10_000 + chain * 3
                script.make(first, .promise, "order \(chain)")
                script.make(first + 1, .then, under: first)
                script.make(first + 2, .map, under: Bool.random(using: &random) ? first + 1 : first)
                if Bool.random(using: &random) { script.fulfill(first) }
                if Int.random(in: 0..<4, using: &random) == 0 { script.reject(first, "declined") }
            }
            time += 900
            if round == 2 {
                for screen in 0..<2 { screen == 0 ? whole.type("/map<Enter>") : parts.type("/map<Enter>") }
            }
            whole.feed(script)
            script.batch.forEachPiece(of: 100) { piece, _ in parts.act(.received(SourceID(0), piece)) }
            parts.tick(script.time)
            for moment in [time, time + 1_300] {
                whole.tick(moment)
                parts.tick(moment)
                #expect(whole.frame == parts.frame, "seed \(seed), round \(round)")
            }
            time += 1_400
        }
    }
}

// SPDX-License-Identifier: MIT
