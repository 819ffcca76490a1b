import ChainEvents
import ChainModel
import ChainRecording
import ChainSystem
import ChainWire
import Foundation
import PromiseRuntime
import TerminalHarness
import Testing

@testable import ChainInspector

/// The flight recorder: what its dumps hold, its limits and its triggers.
@Suite(.onItsOwnThread) struct FlightRecorderTests {
    private let folder = ScratchFolder()
    private let runtime = ChainRuntime(executor: ManualExecutor())

    private func options(_ flight: InspectorOptions.FlightRecorder = .init()) -> InspectorOptions {
        var options = folder.options([])
        options.flightRecorder = flight
        return options
    }

    @Test func aDumpHoldsWhatHappened() throws {
        let inspector = try Inspector.start(runtime: runtime, options: options())
        defer { inspector.stop() }
        #expect(inspector.flightRecordingPath == "\(folder.path)/s/\(getpid()).flight")
        let path = folder.path + "/dump.chain"
        let begin = runtime.clock.nanoseconds - 10_000_000_000
        for number in 1...3 {
            let (promise, resolver) = runtime.run { Promise<Int>.pending(label: "order \(number)") }
            try inspector.dumpFlightRecording(last: .seconds(30), to: path + "\(number)")
            let reading = try FlightReading(path + "\(number)")
            #expect(reading.file.range.lowerBound >= begin)
            let forest = reading.end
            #expect(forest.index(of: promise.id).map { forest.label(of: $0) } == "order \(number)")
            resolver.fulfill(number)
        }
        let mode = try FileManager.default.attributesOfItem(atPath: path + "1")[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
        // No file is replaced, and a dump without a recorder leaves none.
        let error = #expect(throws: InspectorError.self) { try inspector.dumpFlightRecording(to: path + "1") }
        #expect(error?.description.contains("exists") == true, "\(error.debugDescription)")
        inspector.stop()
        #expect(throws: InspectorError.noFlightRecorder) { try inspector.dumpFlightRecording(to: path + "4") }
        #expect(folder.files == ["dump.chain1", "dump.chain2", "dump.chain3", "s"])
    }

    @Test func theFlightRecorderIsOffByDefault() throws {
        var options = folder.options([])
        let inspector = try Inspector.start(runtime: runtime, options: options)
        #expect(inspector.flightRecordingPath == nil && folder.files == [])
        #expect(throws: InspectorError.noFlightRecorder) { try inspector.dumpFlightRecording(to: folder.path + "/a") }
        inspector.stop()
        // If its file cannot be made, the program continues without it.
        options.flightRecorder = .init()
        options.flightRecorder?.folder = "/nowhere/at/all"
        let other = try Inspector.start(runtime: runtime, options: options)
        defer { other.stop() }
        #expect(other.flightRecordingPath == nil)
    }

    @Test func aFileThatIsRemovedEndsTheFlightRecorder() throws {
        let inspector = try Inspector.start(runtime: runtime, options: options())
        defer { inspector.stop() }
        unlink(try #require(inspector.flightRecordingPath))
        let promise = runtime.run { Promise<Int>.pending(label: "order") }
        #expect(wait { inspector.info.flightRecorder == .ended })
        withExtendedLifetime(promise) {}
    }

    @Test func aDumpHoldsTheLastPartOnly() throws {
        let clock = StillClock()
        let executor = ManualExecutor()
        let runtime = ChainRuntime(clock: clock, executor: executor)
        let inspector = try Inspector.start(runtime: runtime, options: options(.init(maxAge: .seconds(300))))
        defer { inspector.stop() }
        for number in 0..<60 {
            clock.advance(by: 10_000_000_000)
            let promise = runtime.run { Promise<Int>.resolve(number, label: "order \(number)") }
            inspector.collectNow()
            try inspector.dumpFlightRecording(last: .seconds(1), to: "\(folder.path)/\(number).chain")
            withExtendedLifetime(promise) {}
        }
        let now = clock.nanoseconds
        for (seconds, name) in [(25, "a"), (0, "b"), (900, "c")] {
            let path = "\(folder.path)/\(name).chain"
            try inspector.dumpFlightRecording(last: .seconds(seconds), to: path)
            let range = try FlightReading(path).file.range
            let wanted = UInt64(min(seconds, 300)) * 1_000_000_000
            #expect(range.upperBound == now && range.lowerBound <= now - wanted, "\(name)")
            #expect(range.lowerBound + wanted + 25_000_000_000 > now, "\(name)")
        }
    }

    /// The state comes in several parts, some of them late, because another thread collects meanwhile.
    @Test func aDumpHoldsTheWholeState() throws {
        #if DEBUG
            let (promiseCount, roundCount) = (10_000, 3)
        #else
            let (promiseCount, roundCount) = (20_000, 10)
        #endif
        var options = folder.options([])
        options.collection = .manual
        let inspector = try Inspector.start(runtime: runtime, options: options)
        defer { inspector.stop() }
        var promises: [(Promise<Int>, Resolver<Int>)] = []
        for first in stride(from: 0, to: promiseCount, by: 1_000) {
            promises += runtime.run { (first..<first + 1_000).map { Promise<Int>.pending(label: "order \($0)") } }
            inspector.collectNow()
        }
        let isDone = Lock(false)
        let join = startThread { while !isDone.withLock({ $0 }) { inspector.collectNow() } }
        defer {
            isDone.withLock { $0 = true }
            join()
        }
        for number in 0..<roundCount {
            let options = InspectorOptions.FlightRecorder()
            let file = try FlightFile(in: SocketFolder(path: folder.path), limit: options.limit)
            let recorder = try FlightRecorder(inspector, options, in: file)
            defer { recorder.stop() }
            let path = "\(folder.path)/\(number).chain"
            let target = try RecordingFileStorage(path: path, overwrites: false)
            _ = try recorder.dump(FlightRecorder.DumpRequest(span: .max, target: target))
            let count = try FlightReading(path).labels.count
            #expect(count == promises.count)
        }
    }

    @Test func theOldestPartMakesRoom() throws {
        let inspector = try Inspector.start(runtime: runtime, options: options(.init(maxBytes: 1)))
        defer { inspector.stop() }
        let path = try #require(inspector.flightRecordingPath)
        let many = String(repeating: " of many more", count: 20)
        for number in 0..<40 {
            runtime.run { for _ in 0..<400 { _ = Promise<Int>.resolve(1, label: "order \(number)\(many)") } }
            inspector.collectNow()
            // Waits for the recorder's thread, which would otherwise get one state for many rounds.
            try inspector.dumpFlightRecording(last: .zero, to: "\(folder.path)/\(number).chain")
        }
        try inspector.dumpFlightRecording(to: folder.path + "/a.chain")
        let reading = try FlightReading(folder.path + "/a.chain")
        #expect(reading.labels.contains("order 39\(many)"))
        #expect(try #require(FileFacts(at: path)).size > 3 << 20)
        #expect(try #require(FileFacts(at: path)).size <= 4 << 20)
        #expect(reading.file.damage == [])
    }

    @Test func aTriggerDumpsOnce() throws {
        struct Declined: Error {}
        var flight = InspectorOptions.FlightRecorder()
        flight.dumpTriggers = [.unhandledRejection, .abandoned]
        let inspector = try Inspector.start(name: "a shop/1", runtime: runtime, options: options(flight))
        defer { inspector.stop() }
        func waitForTriggers() throws {
            // The recorder's thread looks for triggers after the first dump, so it has done so before the second.
            for _ in 0..<2 {
                let path = "\(folder.path)/\(UUID().uuidString)"
                try inspector.dumpFlightRecording(to: path)
                unlink(path)
            }
        }
        runtime.run { _ = Promise<Int>.resolve(1) }
        try waitForTriggers()
        #expect(folder.files == ["s", "s/\(getpid()).flight"])
        for _ in 0..<3 {
            runtime.run { _ = Promise<Int>.reject(Declined(), label: "charge") }
            try waitForTriggers()
        }
        let dump = "a_shop_1-\(getpid())-1.chain"
        #expect(folder.files == ["s", "s/\(getpid()).flight", "s/" + dump])
        #expect(try FlightReading(folder.path + "/s/" + dump).labels == ["charge"])
    }

    /// A program that fails may stop its inspector at once.
    @Test func aTriggerJustBeforeTheStopLeavesADump() throws {
        struct Declined: Error {}
        var flight = InspectorOptions.FlightRecorder()
        flight.dumpTriggers = [.unhandledRejection]
        let inspector = try Inspector.start(name: "shop", runtime: runtime, options: options(flight))
        // The recorder's thread has read the state by then, which triggers nothing.
        try inspector.dumpFlightRecording(to: folder.path + "/first")
        unlink(folder.path + "/first")
        runtime.run { _ = Promise<Int>.reject(Declined(), label: "charge") }
        inspector.stop()
        let dump = "s/shop-\(getpid())-1.chain"
        #expect(folder.files == ["s", dump])
        #expect(try FlightReading(folder.path + "/" + dump).labels == ["charge"])
    }

    @Test func theEnvironmentRequestsAFlightRecorder() {
        func requested(_ value: String?, _ before: InspectorOptions.FlightRecorder? = nil)
            -> InspectorOptions.FlightRecorder?
        {
            var options = InspectorOptions()
            options.flightRecorder = before
            options.requestFlightRecorder(value)
            return options.flightRecorder
        }
        for value in [nil, "", "0", "off", "maybe", "3M", "-1", "1e9", "99999999999G"] {
            #expect(requested(value) == nil, "\(value ?? "nil")")
        }
        #expect(requested("1") == .init() && requested("ON") == .init())
        #expect(requested("64M")?.maxBytes == 64 << 20 && requested("2g")?.maxBytes == 2 << 30)
        #expect(requested("8388608")?.maxBytes == 8 << 20)
        #expect(requested("/var/tmp")?.folder == "/var/tmp")
        #expect(requested("1", .init(maxBytes: 5 << 20))?.maxBytes == 5 << 20)
        #expect(requested("no", .init()) == nil && requested(nil, .init()) == .init())
    }
}

/// A recording, and the forest at its end.
struct FlightReading {
    let file: RecordingFile
    let end: ChainForest

    init(_ path: String) throws {
        file = try RecordingFile(path: path)
        var player = RecordingPlayer(file)
        var forest = ChainForest(process: file.process.key)
        for batch in player.seek(to: .max) { forest.apply(batch) }
        end = forest
    }

    /// The labels at the end, each once.
    var labels: [String] {
        Set(
            (0..<end.indexBound).map { NodeIndex(rawValue: UInt32($0)) }.filter { end.contains($0) }.compactMap {
                end.label(of: $0)
            }
        ).sorted()
    }
}

// SPDX-License-Identifier: MIT
