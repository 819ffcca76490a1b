import ChainEvents
import ChainModel
import Testing

@testable import ChainExport

/// Collects the ids of the nodes that a stream passes on.
private struct IDCollector: NodeExporter {
    var began: [UInt64] = []
    var finished: [UInt64] = []
    var unfinished: [UInt64] = []

    mutating func began(_ root: NodeIndex, in forest: borrowing ChainForest) {
        began.append(forest.id(of: root).rawValue)
    }
    mutating func finished(_ node: NodeIndex, in forest: borrowing ChainForest) {
        finished.append(forest.id(of: node).rawValue)
    }
    mutating func unfinished(_ node: NodeIndex, in forest: borrowing ChainForest) {
        unfinished.append(forest.id(of: node).rawValue)
    }
}

struct StreamTests {
    @Test func eachNodeIsPassedOnOnce() throws {
        var stream = ExportStream(of: ProcessDescription.test.key, to: IDCollector())
        for batch in shop() { try stream.apply(batch) }
        #expect(stream.exporter.finished == [])
        try stream.end()
        #expect(stream.exporter.began == [1, 10, 20, 30])
        // In order of settlement, batch by batch.
        #expect(stream.exporter.finished == [1, 10, 11, 4, 2, 3, 5, 6, 30])
        #expect(stream.exporter.unfinished.sorted() == [20, 21, 22])
    }

    /// Nodes that were finished at the moment that the export begins at are left out.
    @Test func anExportBeginsAtItsMoment() throws {
        for (index, began, finished) in [
            (0, [1, 10, 20, 30], [10, 11, 4, 2, 3, 5, 6, 30]), (2, [20, 30], [30]), (3, [20], []),
        ] as [(Int, [UInt64], [UInt64])] {
            var options = ExportStream<IDCollector>.Options()
            options.start = shop()[index].time
            var stream = ExportStream(of: ProcessDescription.test.key, to: IDCollector(), options: options)
            for batch in shop() { try stream.apply(batch) }
            try stream.end()
            #expect(stream.exporter.began == began && stream.exporter.finished == finished, "\(stream.exporter)")
            #expect(stream.exporter.unfinished.sorted() == [20, 21, 22])
        }
    }

    /// An exporter that shows chains opens it with the first node that is passed on.
    @Test func aChainThatWasOverDoesNotBeginAgain() throws {
        var options = ExportStream<IDCollector>.Options()
        var script = ScriptedBatches()
        for node in 1...2 as ClosedRange<UInt64> {
            script.make(node)
            script.fulfill(node)
        }
        script.close(after: 1)
        options.start = script.time
        script.then(3, on: 2)
        script.close(after: 1)
        script.fulfill(3)
        script.close(after: 1)
        var stream = ExportStream(of: ProcessDescription.test.key, to: IDCollector(), options: options)
        for batch in script.batches { try stream.apply(batch) }
        try stream.end()
        #expect(stream.exporter.began == [] && stream.exporter.finished == [3], "\(stream.exporter)")
    }

    @Test func waitingIsBoundedByCountAndTime() throws {
        var options = ExportStream<IDCollector>.Options()
        (options.waitingLimit, options.delay) = (4, 1_000_000_000)
        var stream = ExportStream(of: ProcessDescription.test.key, to: IDCollector(), options: options)
        var script = ScriptedBatches()
        for node in 1...10 as ClosedRange<UInt64> {
            script.make(node, .promise)
            script.record(.fulfilled, node)
            script.close(after: 1)
        }
        for batch in script.batches { try stream.apply(batch) }
        // Each batch adds a root and a node to the queue, so the last two nodes wait.
        #expect(stream.exporter.finished == Array(1...8))
        var later = EventBatch(process: ProcessDescription.test.key, sequence: 11, time: 2_000_000_000)
        later.loss.madeCount = 20
        try stream.apply(later)
        #expect(stream.exporter.finished == Array(1...10))
    }

    @Test func theBeginningOfALongChainIsPassedOn() throws {
        var options = ExportStream<IDCollector>.Options()
        options.chainNodeLimit = 50
        var stream = ExportStream(of: ProcessDescription.test.key, to: IDCollector(), options: options)
        var script = ScriptedBatches()
        for node in 1...200 as ClosedRange<UInt64> {
            script.make(node, .then, under: node - 1)
            script.record(.fulfilled, node)
            script.close(after: 1)
        }
        for batch in script.batches { try stream.apply(batch) }
        try stream.end()
        #expect(stream.forest.totals.counts.nodeCount < 60)
        #expect(stream.exporter.finished == Array(1...200))
    }

    /// The forest, and what is stored beside it, stay small over 100,000 chains.
    @Test func memoryDoesNotDependOnTheLength() throws {
        var options = ExportStream<IDCollector>.Options()
        options.waitingLimit = 500
        var stream = ExportStream(of: ProcessDescription.test.key, to: IDCollector(), options: options)
        var (node, most, mostStored): (UInt64, Int, Int) = (1, 0, 0)
        for number in 1...500 as ClosedRange<UInt64> {
            var script = ScriptedBatches()
            script.time = number * 1_000_000
            for _ in 0..<200 {
                script.make(node, .promise, "order \(node)")
                script.make(node + 1, .then, under: node)
                script.record(.fulfilled, node)
                script.fulfill(node + 1)
                node += 2
            }
            script.close()
            try stream.apply(script.batches[0])
            most = max(most, stream.forest.totals.nodeCount)
            mostStored = max(mostStored, stream.storedCount)
        }
        try stream.end()
        #expect(stream.exporter.finished.count == 200_000 && Set(stream.exporter.finished).count == 200_000)
        #expect(most < 4_000, "\(most)")
        #expect(mostStored < 8_000, "\(mostStored)")
    }
}

// SPDX-License-Identifier: MIT
