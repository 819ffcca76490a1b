import ArgumentParser
import ChainAttach
import ChainBus
import ChainEvents
import ChainModel
import ChainOutside
import ChainRecording
import ChainSource
import Foundation
import TerminalHarness
import Testing

@testable import chainview

extension ProcessDescription {
    /// The program of ``EventBatch/seconds(_:from:)``. Its clock began 1 s before noon, UTC.
    static let recorded = ProcessDescription(
        key: ProcessKey(rawValue: 7), pid: 4242, name: "shop", wallOffset: 1_700_049_600_000_000_000 - 1_000_000_000)
}

extension EventBatch {
    /// Returns a batch for each second from `first` on: a node is made, and rejected half a second later.
    static func seconds(_ count: UInt64, from first: UInt64 = 1) -> [EventBatch] {
        (0..<count).map { second in
            let time = (first + second) * 1_000_000_000
            var batch = EventBatch(
                process: ProcessDescription.recorded.key, sequence: second + 1, time: time + 600_000_000)
            batch.sites = [1: CodeLocation(fileID: "Shop/Order.swift", line: 42)]
            batch.texts = ["order \(second + 1)", "declined"]
            let node = NodeID(second + 1)
            batch.events = [
                ChainEvent(
                    time: time, .created, node: node, site: 1, text: 1, thread: 3,
                    detail: UInt16(NodeKind.promise.rawValue)),
                ChainEvent(time: time + 500_000_000, .rejected, node: node, text: 2, thread: 3, flags: .handlerEnded),
            ]
            return batch
        }
    }
}

extension Place {
    /// Writes a recording into the folder; returns its path.
    @discardableResult
    func recording(
        _ name: String = "shop.chain", _ batches: [EventBatch] = EventBatch.seconds(5),
        of process: ProcessDescription = .recorded
    ) throws -> String {
        let file = path + "/" + name
        let storage = try RecordingFileStorage(path: file, overwrites: true)
        var recorder = BatchRecorder(process, RecordingWriter(storage, id: 1))
        for batch in batches { try recorder.record(batch, at: batch.time) }
        try recorder.finish()
        return file
    }
}

private let singapore = TimeZone(identifier: "Asia/Singapore")
private let berlin = TimeZone(identifier: "Europe/Berlin")

/// What the words `TARGET` and `FILE[@TIME]` mean for commands.
@Suite(.serialized, .onItsOwnThread) struct ForestSourceTests {
    /// Returns the moment in a word that names a recording.
    private func moment(_ word: String) throws -> UInt64? {
        guard case .recording(_, let moment) = try ForestSource(word, clockOffset: 0) else {
            throw HarnessError(description: "\(word) is no recording")
        }
        return moment
    }

    @Test func aWordIsARecordingAndAMoment() throws {
        let place = Place()
        // From the first batch's end at 1.6 s to the last batch's at 5.6 s.
        let file = try place.recording()
        #expect(try moment(file) == nil)
        for (time, seconds) in [
            ("end", 5.6), ("start", 1.6), ("1s", 2.6), ("500ms", 2.1), ("-0.5s", 5.1), ("12:00:03", 4),
            ("12:00:03.25", 4.25),
            ("1h", 5.6),
        ] {
            #expect(try moment("\(file)@\(time)") == UInt64(seconds * 1e9), "\(time)")
        }
        var marks = MarkList(ofRecording: file)
        _ = marks.set("the crash", at: 3_000_000_000)
        #expect(marks.save() == nil)
        #expect(try moment("\(file)@the crash") == 3_000_000_000)
        // A name with an @ is that of the file, if it exists.
        let signed = try place.recording("a@1s")
        #expect(try moment(signed) == nil && moment("\(signed)@end") == 5_600_000_000)
    }

    /// The recording is of 1970, when Singapore was half an hour nearer to UTC than it is since.
    @Test(.enabled(if: singapore != nil, "without the time zones of the world"))
    func timesOfDayAreThoseOfTheRecordingsTime() throws {
        let zone = try #require(singapore)
        #expect(WallClock.offset(at: 0, in: zone) == 27_000 && WallClock.offset(in: zone) == 28_800)
        let place = Place()
        var process = ProcessDescription.recorded
        process.wallOffset = 0
        try place.recording("shop.chain", of: process)
        let setting = place.environment.merging(["TZ": zone.identifier]) { $1 }
        let events = try Shell.run("events shop.chain@07:30:03", setting: setting, directory: place.path)
        #expect(events.status == 0 && events.output.hasPrefix("07:30:0"), "\(events.output) \(events.errors)")
        let difference = try Shell.run("diff shop.chain@07:30:03 shop.chain", setting: setting, directory: place.path)
        #expect(difference.output.contains("07:30:03.000 ("), "\(difference.output) \(difference.errors)")
    }

    /// Of a program, times of day follow a change to summer time; all of a recording are by the clock of its end.
    @Test(.enabled(if: berlin != nil, "without the time zones of the world"))
    func timesOfDayOfAProgramAreThoseOfTheMoment() throws {
        let zone = try #require(berlin)
        let program = ForestSource.program(.pid(1), OutsideReading())
        // Noon in Berlin of 1 January and of 1 July 2026.
        let moments = [1_767_265_200, 1_782_900_000].map { UInt64($0) * 1_000_000_000 }
        #expect(moments.map { program.clockOffset(at: $0, in: zone) } == [3_600, 7_200])
        let place = Place()
        let recording = try ForestSource(try place.recording())
        #expect(Set(moments.map { recording.clockOffset(at: $0, in: zone) }).count == 1)
    }

    @Test func otherWordsAreTargets() throws {
        for (word, target) in [
            ("shop", Target.name("shop")), ("my.service", .name("my.service")), ("42", .pid(42)), ("a@b", .name("a@b")),
            ("ssh:me@build.3/shop", .ssh(host: "me@build.3", process: "shop")),
            ("unix:/tmp/a.sock", .unix(path: "/tmp/a.sock")),
            ("exec:ssh me@build relay", .exec(program: "ssh", arguments: ["me@build", "relay"])),
        ] {
            guard case .program(target, _) = try ForestSource(word) else {
                Issue.record("\(word) is no target")
                continue
            }
        }
    }

    private func problem(_ word: String) -> (status: Int32, message: String) {
        do {
            _ = try ForestSource(word)
            return (0, "")
        } catch let failure as Failure {
            return (failure.status.rawValue, failure.message)
        } catch { return (Chainview.exitCode(for: error).rawValue, Chainview.message(for: error)) }
    }

    @Test func whatIsWrongIsOneSentence() throws {
        let place = Place()
        let file = try place.recording()
        try Data("hello".utf8).write(to: URL(fileURLWithPath: place.path + "/notes"))
        mkfifo(place.path + "/pipe", 0o600)
        try Data(try Data(contentsOf: URL(fileURLWithPath: file)).prefix(20)).write(
            to: URL(fileURLWithPath: place.path + "/cut.chain"))
        for (word, status, part) in [
            ("\(file)@soon", 64, "@soon is not a time: 12:04:31.2, 90s"), ("\(file)@", 64, "@ is not a time"),
            ("\(file)@25:00", 64, "+5s, -5s, start or end, or the name of a mark"),
            ("\(place.path)/none.chain", 66, "there is no recording /"),
            ("none.chain@90s", 66, "there is no recording none.chain."),
            ("\(place.path)/notes", 65, "is not a chainview recording"),
            ("\(place.path)/pipe", 65, "is not a chainview recording"),
            (place.path, 65, "is not a chainview recording"),
            ("\(place.path)/cut.chain", 65, "holds no whole state"), ("", 64, "a target is a pid"),
            ("tcp:here", 64, "needs a host and a port"),
        ] as [(String, Int32, String)] {
            let found = problem(word)
            #expect(found.status == status && found.message.contains(part), "\(word): \(found)")
        }
    }

    @Test func aRecordingIsReadAtAMomentAndFromIt() throws {
        let place = Place()
        let file = try place.recording()
        let state = try ForestSource("\(file)@1.2s", clockOffset: 0).state()
        // The third node is made at 3 s, after the moment.
        #expect(state.time == 2_800_000_000 && state.forest.totals.counts.nodeCount == 2)
        #expect(try ForestSource(file).state().forest.totals.counts.nodeCount == 5)

        let reader = try ForestSource("\(file)@1.2s", clockOffset: 0).reader()
        var forest = ChainForest(process: reader.process.key)
        var times: [UInt64] = []
        loop: while true {
            switch reader.next() {
            case .batch(let batch):
                forest.apply(batch)
                times += batch.events.map(\.time)
            case .nothing: Issue.record("a recording waits for nothing")
            case .ended(let notes):
                #expect(notes.isEmpty)
                break loop
            }
        }
        #expect(times == times.sorted() && times.last == 5_500_000_000 && forest.totals.counts.nodeCount == 5)
    }

    /// A source that a test drives.
    private final class DrivenSource: BatchSource {
        let events = PublishSubject<EventBatch>()
        let states = BehaviorSubject<SourceStatus>(.idle)
        var batches: EventStream<EventBatch> { events.observable }
        var status: EventStream<SourceStatus> { states.observable }
        var replies: EventStream<CommandReply> { PublishSubject<CommandReply>().observable }
        func start() { states.on(.next(.live(.recorded))) }
        func send(_ command: ViewerCommand) {}
        func stop() {}
    }

    @Test func aProgramIsReadUntilItIsLost() throws {
        let source = DrivenSource()
        let reader = try LiveBatches(NamedSource(name: "shop", source: source))
        #expect(reader.process.name == "shop")
        if case .nothing = reader.next() {} else { Issue.record("nothing came yet") }
        for batch in EventBatch.seconds(2) { source.events.on(.next(batch)) }
        var other = EventBatch.seconds(1)[0]
        other.process = ProcessKey(rawValue: 8)
        source.events.on(.next(other))
        // A lost connection is no end.
        let disconnection = Disconnection(since: 0, reason: "it was stopped", attempt: 1, nextAttempt: 5)
        source.states.on(.next(.reconnecting(.recorded, disconnection)))
        var sequence: [UInt64] = []
        while case .batch(let batch) = reader.next() { sequence.append(batch.sequence) }
        source.states.on(.next(.ended(.failed("it was killed"))))
        guard case .ended(let notes) = reader.next() else { throw HarnessError(description: "it goes on") }
        #expect(sequence == [1, 2] && notes == ["it was killed"])
        reader.stop()
    }

    @Test func aSourceThatFailsIsGone() throws {
        final class Failing: BatchSource {
            let states = BehaviorSubject<SourceStatus>(.ended(.failed("there is nothing")))
            var batches: EventStream<EventBatch> { PublishSubject<EventBatch>().observable }
            var status: EventStream<SourceStatus> { states.observable }
            var replies: EventStream<CommandReply> { PublishSubject<CommandReply>().observable }
            func start() {}
            func send(_ command: ViewerCommand) {}
            func stop() {}
        }
        let failure = #expect(throws: Failure.self) {
            try LiveBatches(NamedSource(name: "shop", source: Failing()))
        }
        #expect(failure?.status == .gone && failure?.message == "there is nothing.")
    }

    @Test func recordingsAreCompleted() throws {
        let place = Place()
        try place.recording()
        try place.recording("other.chain")
        #expect(Completions.recordings(beginningWith: place.path + "/sh") == [place.path + "/shop.chain"])
        #expect(Completions.recordings(beginningWith: "/no/such/folder/").isEmpty)
    }

    @Test func psPrintsTheTreeOfARecording() throws {
        let place = Place()
        try place.recording()
        let late = try place.run("ps shop.chain")
        #expect(late.status == 0 && late.output.contains("order 5") && late.output.contains("declined"), "\(late)")
        let early = try place.run("ps shop.chain@1.2s --json")
        #expect(early.status == 0 && early.output.contains("order 2") && !early.output.contains("order 3"), "\(early)")
        #expect(try place.run("ps none.chain").errors == "chainview: there is no recording none.chain.\n")
    }
}

// SPDX-License-Identifier: MIT
