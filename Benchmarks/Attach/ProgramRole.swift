// SPDX-License-Identifier: MIT

import ChainEvents
import ChainInspector
import ChainModel
import Foundation
import PromiseRuntime

/// An observed program: makes nodes and load on command. Each command has an answer.
///
///     nodes N        makes chains of five until N more nodes are pending; `ok`
///     spins N        sets how much work a chain does; `ok`
///     events         how many were made so far; `events N`
///     load MS        one thread runs chains of work for so long; `done CHAINS CPU-SECONDS SECONDS`, without the time in
///                    which the thread waited for a processor
///     settle N       fulfils the root with the label `order N`; `ok`
///     run N          from now on N threads run a handler each, for three seconds, and then the next; `ok`
///     digest         counts and hashes the live nodes of its own forest; `digest COUNT HASH`
enum ProgramRole {
    private static let runtime = ChainRuntime(executor: InlineExecutor.shared)
    nonisolated(unsafe) private static var kept: [Resolver<Int>] = []  // touched by the main thread alone
    nonisolated(unsafe) private static var spins = 0  // set by the main thread before threads that read it start

    static func run(folder: String, hasFlightRecorder: Bool) {
        var options = InspectorOptions()
        if hasFlightRecorder { options.flightRecorder = .init() }
        options.socketFolder = folder
        guard let inspector = try? Inspector.start(name: "bench", runtime: runtime, options: options) else {
            fatalError("the inspector does not start")
        }
        answer("ready")
        while let line = readLine() {
            let words = line.split(separator: " ")
            let number = words.count > 1 ? Int(words[1]) ?? 0 : 0
            switch words.first {
            case "nodes":
                runtime.run { make(number) }
                inspector.collectNow()
                answer("ok")
            case "spins":
                spins = number
                answer("ok")
            case "events":
                inspector.collectNow()
                answer("events", inspector.eventCounts.madeCount)
            case "load":
                let (chains, cpu, wall) = load(Double(number) / 1_000)
                answer("done", chains, cpu, wall)
            case "run":
                for _ in 0..<number { Thread.detachNewThread { runtime.run { rest() } } }
                answer("ok")
            case "settle":
                kept[number].fulfill(0)
                answer("ok")
            case "digest":
                inspector.collectNow()
                answer("digest", digest(inspector))
            default: answer("what?")
            }
        }
    }

    private static func make(_ count: Int) {
        for number in 0..<count / 5 {
            let (root, resolver) = Promise<Int>.pending(label: "order \(number)")
            _ = root.map { $0 &+ 1 }.map { $0 &+ 1 }.map { $0 &+ 1 }.map { $0 &+ 1 }
            kept.append(resolver)
        }
    }

    /// Runs one handler after another, each of which takes three seconds but no processor.
    private static func rest() {
        while true {
            let (root, resolver) = Promise<Int>.pending(label: "import")
            let end = root.map { usleep(3_000_000) == 0 ? $0 : 0 }
            resolver.fulfill(1)
            precondition(end.isSettled)
        }
    }

    /// Makes a chain of five that does some work and ends.
    private static func chain() {
        let (root, resolver) = Promise<Int>.pending()
        let end = root.map { work($0) }.map { $0 &+ 1 }.map { $0 &+ 1 }.map { $0 &+ 1 }
        resolver.fulfill(1)
        precondition(end.isSettled)
    }

    @inline(never)
    private static func work(_ seed: Int) -> Int {
        var value = UInt64(bitPattern: Int64(seed))
        // The shift keeps the compiler from doing several rounds in one.
        for _ in 0..<spins { value = (value &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407) ^ value >> 29 }
        return Int(truncatingIfNeeded: value)
    }

    private static func load(_ duration: Double) -> (chains: Int, cpu: Double, wall: Double) {
        let (start, cpuStart, waitStart) = (seconds(), seconds(CLOCK_THREAD_CPUTIME_ID), secondsWithoutProcessor())
        var chains = 0
        runtime.run {
            while seconds() - start < duration {
                for _ in 0..<20 { chain() }
                chains += 20
            }
        }
        let waited = secondsWithoutProcessor() - waitStart
        return (chains, seconds(CLOCK_THREAD_CPUTIME_ID) - cpuStart, seconds() - start - waited)
    }

    /// Returns the digest of the inspector's own forest, which is read as by a viewer.
    private static func digest(_ inspector: Inspector) -> String {
        let subscription = inspector.subscribe()
        defer { subscription.dispose() }
        var forest = ChainForest(process: inspector.info.key)
        while let batch = subscription.next() { forest.apply(batch) }
        return Digest.words(of: forest)
    }
}

/// The live nodes of a forest and their states, to compare two forests.
enum Digest {
    static func words(of forest: ChainForest) -> String {
        var count = 0
        var hash: UInt64 = 0
        for slot in 0..<forest.indexBound {
            let index = NodeIndex(rawValue: UInt32(slot))
            guard forest.contains(index) else { continue }
            let view = forest.node(index)
            guard view.isLive else { continue }
            count += 1
            // A sum, so that the order of the nodes does not matter.
            var value = view.id.rawValue &* 0x9E37_79B9_7F4A_7C15
            value ^= UInt64(view.state.rawValue) << 32 | UInt64(view.kind.rawValue) << 8
            value = (value ^ value >> 29) &* 0xBF58_476D_1CE4_E5B9
            hash &+= value ^ value >> 32
        }
        return "\(count) \(hash)"
    }
}
