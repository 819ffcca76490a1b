import ChainEvents
import ChainInspector
import ChainModel
import Foundation
import PromiseRuntime
import SeededNumbers
import TerminalHarness
import Testing

@testable import ChainWire

/// A reader in another language, written from the article alone, draws the same trees from the same bytes.
@Suite(.onItsOwnThread, .serialized, .enabled(if: Reader.hasPython, "python3 is not installed: see .ci/need"))
struct ReaderTests {
    @Test func itReadsARunningProgram() throws {
        let folder = ScratchFolder()
        var options = InspectorOptions()
        options.socketFolder = folder.path + "/s"
        options.endpoints = [.unix]
        let runtime = ChainRuntime(executor: InlineExecutor.shared)
        let inspector = try Inspector.start(name: "shop", runtime: runtime, options: options)
        defer { inspector.stop() }
        let address = try #require(inspector.addresses.first)
        let socket = String(address.dropFirst("unix:".count))

        let shop = runtime.run { Shop() }
        for _ in 0..<3 {
            let tree = try Reader.read(socket)
            #expect(tree == state(of: inspector))
            #expect(tree.split(separator: "\n").count > 10)
            runtime.run { shop.advance() }
        }
    }

    /// The stream holds the events of the chains, as for a viewer that is connected from the beginning.
    @Test func anIndependentReaderReadsAWholeProgram() throws {
        let runtime = ChainRuntime(executor: InlineExecutor.shared)
        var options = InspectorOptions()
        (options.endpoints, options.collection) = ([], .manual)
        let inspector = try Inspector.start(name: "shop", runtime: runtime, options: options)
        defer { inspector.stop() }
        let subscription = inspector.subscribe()
        var batches: [EventBatch] = []
        func collect() {
            inspector.collectNow()
            while let batch = subscription.next() { batches.append(batch) }
        }
        collect()
        let shop = runtime.run { Shop() }
        for _ in 0..<3 {
            collect()
            runtime.run { shop.advance() }
        }
        collect()
        #expect(batches.contains { !$0.events.isEmpty })
        try expectTheSameTree(batches, "the shop")
    }

    /// Random batches: cycles, times at the edges, nodes that are referenced but never reported, resyncs with and without
    /// end. All reports of how a node was created agree.
    @Test(arguments: Seeds.upTo(40))
    func itReadsRandomBatches(seed: UInt64) throws {
        var random = RandomMessages(seed: seed)
        let batches = (0..<random.pick(1...6)).map { _ in random.batch(events: 0...[4, 60][Int(seed % 2)]).consistent()
        }
        try expectTheSameTree(batches, "seed \(seed)")
    }

    /// Returns the tree that a new viewer gets.
    private func state(of inspector: Inspector) -> String {
        inspector.collectNow()
        let subscription = inspector.subscribe()
        defer { subscription.dispose() }
        var forest = ChainForest(process: inspector.info.key)
        while let batch = subscription.next() { forest.apply(batch) }
        return forest.drawn()
    }

    /// Checks that the reader and a forest draw the same tree.
    private func expectTheSameTree(_ batches: [EventBatch], _ comment: Comment) throws {
        var forest = ChainForest(process: try #require(batches.first?.process))
        for batch in batches { forest.apply(batch) }
        let folder = ScratchFolder()
        let capture = folder.path + "/capture"
        try Data(stream(batches.map { .batch($0) })).write(to: URL(fileURLWithPath: capture))
        let (read, drawn) = (try Reader.read("--file", capture), forest.drawn())
        let differing = zip(read.split(separator: "\n"), drawn.split(separator: "\n")).first { $0 != $1 }
        #expect(read == drawn, "\(comment): reader, then forest: \(String(describing: differing))")
    }
}

extension EventBatch {
    /// Returns the batch with the facts of each creation derived from the id, so that all reports of a node agree.
    fileprivate func consistent() -> EventBatch {
        var batch = self
        batch.sites = [
            1: CodeLocation(fileID: "Shop/Order.swift", line: 41), 2: CodeLocation(fileID: "A.swift", line: 0),
            3: CodeLocation(fileID: "", line: 7),
        ]
        batch.texts = (0..<40).map { "label \($0)" }
        for index in batch.events.indices where batch.events[index].kind == .created {
            let made = Creation(batch.events[index].node)
            batch.events[index].other = made.origin
            if !batch.events[index].flags.contains(.late) { batch.events[index].time = made.time }
            batch.events[index].flags.remove(.hasParent)
            if made.hasParent { batch.events[index].flags.insert(.hasParent) }
            batch.events[index].flags.remove(.separateChain)
            if made.isSeparate { batch.events[index].flags.insert(.separateChain) }
            batch.events[index].detail = UInt16(made.kind.rawValue)
            batch.events[index].site = made.site
            batch.events[index].text = made.label == nil ? 0 : UInt32(batch.events[index].node.rawValue + 1)
        }
        for index in batch.nodes.indices {
            let made = Creation(batch.nodes[index].id)
            batch.nodes[index].parent = made.hasParent ? made.origin : .none
            batch.nodes[index].creator = made.hasParent ? .none : made.origin
            batch.nodes[index].isSeparate = made.isSeparate
            (batch.nodes[index].kind, batch.nodes[index].site) = (made.kind, made.site)
            batch.nodes[index].label = made.label
            if batch.nodes[index].created != 0 { batch.nodes[index].created = made.time }
        }
        return batch
    }

    /// How a node is created, by its id.
    private struct Creation {
        var time: UInt64
        var origin: NodeID, hasParent: Bool, isSeparate: Bool, kind: NodeKind, site: SiteID, label: String?

        init(_ id: NodeID) {
            let number = id.rawValue
            hasParent = number % 3 == 0
            isSeparate = number % 4 == 1
            origin = number % 3 == 2 ? .none : NodeID(number &* 7 % 40)
            kind = NodeKind.allCases[Int(number % UInt64(NodeKind.allCases.count))]
            site = SiteID(number % 5)
            time = 1_000 * (1 + number % 50)
            label = number < 40 && number % 2 == 0 ? "label \(number)" : nil
        }
    }
}

/// Chains of most kinds, which advance on request.
private final class Shop: Sendable {
    struct Declined: Error, CustomStringConvertible { let description = "card declined" }

    private let card = Promise<Int>.pending()
    private let stock = Promise<Int>.pending()
    private let kept: [Promise<Int>]

    init() {
        let members = [card.promise.map(label: "charge card") { $0 + 1 }, stock.promise, Promise.resolve(3)]
        let whole = Promise.all(members, label: "3 checks").map(label: "order 17") { $0.reduce(0, +) }
        let followed = Promise.resolve(1).then(label: "address lookup") { [stock] _ in stock.promise.map { $0 * 2 } }
        let failed = Promise<Int>.reject(Declined(), label: "naïve 🚢").map { $0 }.catch(label: "refund") { _ in 0 }
        let fork = followed.map(label: "left") { $0 }
        let other = followed.anyway(label: "right") { _ in }
        kept = [whole, followed, failed, fork, other]
    }

    private let steps = Counter()

    /// Fulfils a promise at the first call, rejects one at the second, and cancels a chain after that.
    func advance() {
        switch steps.next() {
        case 0: stock.resolver.fulfill(2)
        case 1: card.resolver.reject(Declined())
        default: kept[0].cancel()
        }
    }
}

/// A counter that begins with zero.
private final class Counter: @unchecked Sendable {
    // Sendable: behind the lock.
    private let lock = NSLock()
    private var count = 0

    func next() -> Int {
        lock.withLock {
            defer { count += 1 }
            return count
        }
    }
}

/// Runs `read_chains.py`.
enum Reader {
    struct Failed: Error { let message: String }

    static let hasPython = (try? run(["python3", "-c", ""])) != nil

    /// Returns what the script prints, without the last newline.
    static func read(_ arguments: String...) throws -> String {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "read_chains.py").path
        return String(try run(["python3", script] + arguments).dropLast())
    }

    /// Runs a program to its end, and returns its output. Terminates it after two minutes.
    private static func run(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["PYTHONIOENCODING=utf-8", "PYTHONDONTWRITEBYTECODE=1"] + arguments
        let (output, errors) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (FileHandle.nullDevice, output)
        process.standardError = errors
        try process.run()
        let watchdog = DispatchWorkItem { process.terminate() }
        DispatchQueue.global().asyncAfter(deadline: .now() + 120, execute: watchdog)
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        // Read only now: a message or a stack trace fits into the buffer of the pipe.
        let errorText = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        watchdog.cancel()
        guard process.terminationStatus == 0 else { throw Failed(message: errorText) }
        return text
    }
}

// SPDX-License-Identifier: MIT
