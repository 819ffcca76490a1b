import Dashboard
import Dispatch
import Synchronization
import TestWaits
import Testing

@testable import ChainRecording
@testable import chainview

/// Moves in a recording whose disk does not answer.
@Suite struct ReplayerTests {
    private static let second: UInt64 = 1_000_000_000

    private let disk: HangingBytes
    private let file: RecordingFile
    private let playback: Playback
    private let replayer: Replayer
    private let shown = Shown()
    private let hasRead = DispatchSemaphore(value: 0)

    init() throws {
        disk = HangingBytes(try PlaybackTests.stored())
        file = try RecordingFile(disk)
        playback = Playback(file)
        _ = playback.start()
        replayer = Replayer(playback, nil) { [hasRead] in hasRead.signal() }
        replayer.dispatch = { [shown] in shown.actions.append($0) }
    }

    /// Begins a move that the disk holds up.
    private func hang(_ seconds: UInt64) {
        disk.hangs.store(true, ordering: .relaxed)
        replayer.perform(.seek(seconds * Self.second))
        #expect(disk.isReached.waitForSignal())
    }

    /// Takes what was read, as soon as it was.
    private func take() { #expect(hasRead.waitForSignal() && replayer.takeResult()) }

    @Test func commandsOfAHangingMoveWaitAndActInTheirOrder() {
        let before = playback.time
        hang(20)
        for name in ["one", "two"] {
            replayer.perform(.mark(name))
            replayer.perform(.move(Int64(Self.second)))
        }
        replayer.perform(.togglePlaying)
        // The dashboard ticks on, with the moment that it shows.
        replayer.tick(1)
        #expect(!replayer.takeResult() && shown.actions.isEmpty)
        #expect(replayer.shown?.time == before && replayer.isMoving)
        #expect(playback.marks.marks.isEmpty && !playback.isPlaying, "the playback is lent")
        disk.answers.signal()
        for _ in 0..<6 { take() }
        #expect(shown.seconds == [20, 21, 22, 22] && shown.messages == ["marked: one", "marked: two"])
        #expect(playback.marks.marks.map(\.time) == [20 * Self.second, 21 * Self.second])
        #expect(playback.isPlaying && !replayer.takeResult())
    }

    /// The first of what waits lends the playback again.
    @Test func nothingUsesThePlaybackWhileItIsLentAgain() {
        _ = playback.perform(.togglePlaying)
        _ = playback.tick(7, clock: { 7 })
        hang(20)
        replayer.perform(.seek(30 * Self.second))
        replayer.skipPause()
        replayer.note([RecordingDamage(offset: 1, reason: "a chunk is damaged")])
        disk.answers.signal()
        #expect(hasRead.waitForSignal())
        disk.hangs.store(true, ordering: .relaxed)
        #expect(replayer.takeResult() && disk.isReached.waitForSignal())
        #expect(shown.seconds == [20] && replayer.shown?.time == 20 * Self.second)
        replayer.tick(8)
        #expect(playback.lastTick == 7 && file.damage.isEmpty && shown.reports.isEmpty)
        disk.answers.signal()
        take()
        #expect(shown.seconds == [20, 30] && playback.lastTick == 0)
        #expect(file.damage.count == 1 && shown.reports.count == 1)
    }

    /// Of moments to which the pointer is dragged meanwhile, the last one is read, with the next tick.
    @Test func scrubsThatWaitAreOne() {
        hang(20)
        for seconds in 30...40 as ClosedRange<UInt64> { replayer.perform(.scrub(seconds * Self.second)) }
        disk.answers.signal()
        take()
        #expect(playback.scrubbed == 40 * Self.second, "noted without another read")
        replayer.tick(1)
        take()
        #expect(shown.seconds == [20, 40] && !replayer.isMoving)
    }

    /// An action may cause a command, as that of a baseline does.
    @Test func aCommandThatAnActionCausesComesAfterTheWholeStep() {
        let inner = replayer.dispatch
        replayer.dispatch = { [unowned replayer] action in
            inner(action)
            if case .marks = action { replayer.perform(.seek(20 * Self.second)) }
            #expect(!replayer.isMoving, "the playback is not lent before the last action")
        }
        replayer.perform(.mark("here"))
        take()
        #expect(shown.messages == ["marked: here"] && replayer.isMoving)
        replayer.dispatch = inner
        take()
        #expect(shown.seconds == [20])
    }

    @Test func theEndWaitsForMarksOnly() {
        hang(20)
        replayer.perform(.move(Int64(Self.second)))
        #expect(replayer.finishMarks(until: .max), "no mark waits")
        replayer.perform(.mark("here"))
        #expect(!replayer.finishMarks(until: 0))
        disk.answers.signal()
        #expect(replayer.finishMarks(until: .max))
        #expect(shown.messages == ["marked: here"] && playback.marks.marks.map(\.time) == [21 * Self.second])
    }
}

/// What a replayer has shown.
private final class Shown {
    var actions: [Action] = []

    /// The shown moments, in seconds.
    var seconds: [UInt64] {
        actions.compactMap { if case .replayed(_, let step) = $0 { step.position.time / 1_000_000_000 } else { nil } }
    }

    var messages: [String] { actions.compactMap { if case .message(let text) = $0 { text } else { nil } } }
    var reports: [String] { actions.compactMap { if case .report(let text) = $0 { text } else { nil } } }
}

/// The bytes of a recording on a disk that hangs on request.
private final class HangingBytes: StoredBytes {
    private let pages: MemoryPages
    /// Whether the next read hangs until ``answers`` is signalled.
    let hangs = Atomic(false)
    let isReached = DispatchSemaphore(value: 0)
    let answers = DispatchSemaphore(value: 0)

    init(_ pages: MemoryPages) { self.pages = pages }

    var count: UInt64 { pages.count }

    func bytes(at offset: UInt64, count: Int) -> [UInt8] {
        if hangs.exchange(false, ordering: .relaxed) {
            isReached.signal()
            answers.wait()
        }
        return pages.bytes(at: offset, count: count)
    }
}

// SPDX-License-Identifier: MIT
