// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel
import ChainText

/// The requests for the frames of one program's suspended tasks, which the program sends only on request.
///
/// The frames of the tasks on the screen are read while they are there. Those of all live tasks are read part by part
/// while the filter asks for frames (`in:reserve`) or the view does, round after round.
struct FrameReader {
    /// The request without an answer: its command, and the part that it asks for; nil for the tasks on the screen.
    private var open: (command: UInt64, part: UInt32?)?
    /// The part that is asked for next, and when the last round ended, in nanoseconds since 1970.
    private var nextPart: UInt32 = 0
    private var roundEnd: UInt64 = 0
    /// When the tasks on the screen may be asked for next, in nanoseconds since 1970.
    private var nextLook: UInt64 = 0
    /// How many live tasks were looked at in this round.
    private(set) var readCount = 0
    /// How many live tasks the program had at the last answer; 0 without an answer.
    private(set) var taskCount = 0
    /// Whether a whole round was read since the frames of all tasks were first asked for.
    private(set) var isComplete = false
    /// Whether the program does not send frames.
    private(set) var isRefused = false

    /// The least time between two requests for tasks on the screen; also the longer one after an answer without frames;
    /// and the time between two rounds; in nanoseconds.
    private static let lookInterval: UInt64 = 200_000_000
    private static let emptyLookInterval: UInt64 = 2_000_000_000
    private static let roundInterval: UInt64 = 2_000_000_000

    /// Whether a request may be sent.
    var isFree: Bool { open == nil && !isRefused }

    func mayLook(at wall: UInt64) -> Bool {
        // The clock may have been set back.
        wall >= nextLook || nextLook - wall > Self.emptyLookInterval
    }

    /// Returns the part to ask for now, if one is due.
    func duePart(at wall: UInt64) -> UInt32? {
        nextPart > 0 || roundEnd == 0 || wall >= roundEnd &+ Self.roundInterval || wall < roundEnd ? nextPart : nil
    }

    mutating func noteLook(by command: UInt64, at wall: UInt64) {
        open = (command, nil)
        nextLook = wall &+ Self.lookInterval
    }

    mutating func noteAsked(part: UInt32, by command: UInt64) {
        open = (command, part)
        if part == 0 { readCount = 0 }
    }

    /// Notes the answer to a command; nil if it is a refusal. Returns whether the command was sent by this reader.
    mutating func note(_ reading: FrameReading?, to command: UInt64, at wall: UInt64) -> Bool {
        guard let open, open.command == command else { return false }
        self.open = nil
        guard let reading else {
            isRefused = true
            return true
        }
        taskCount = Int(reading.taskCount)
        guard let part = open.part else {
            if reading.entries.isEmpty { nextLook = wall &+ Self.emptyLookInterval }
            return true
        }
        readCount += Int(reading.readCount)
        nextPart = part + 1
        if nextPart >= reading.partCount { (nextPart, roundEnd, isComplete) = (0, wall, true) }
        return true
    }

    /// Begins anew, because the filter has changed, or because frames were not needed or not applied meanwhile. An
    /// answer that is under way counts for no round.
    mutating func restart() {
        open?.part = nil
        (nextPart, roundEnd, readCount, isComplete) = (0, 0, 0, false)
    }
}

extension World {
    /// Requests the frames that are missing: of the tasks on the screen, which are among the rows of `window`, and of all
    /// if `readsAll`. Commands get the ids after `lastCommandID`.
    mutating func askForFrames(
        readsAll: Bool, window: [ChainsView.WindowRow], _ lastCommandID: inout UInt64
    ) -> [Effect] {
        var effects: [Effect] = []
        for programIndex in programs.indices {
            if !readsAll { programs[programIndex].frameReader.restart() }
            guard programs[programIndex].connection.isLive, !programs[programIndex].isFrozen,
                let process = programs[programIndex].info?.key, programs[programIndex].frameReader.isFree
            else { continue }
            let scope: FrameScope
            // The frames of a task whose node has not come yet would be dropped.
            let hasNodes =
                programs[programIndex].stateArrival.hasBegun && programs[programIndex].reading == nil
            if readsAll, hasNodes, let part = programs[programIndex].frameReader.duePart(at: wall) {
                programs[programIndex].frameReader.noteAsked(part: part, by: lastCommandID + 1)
                scope = .part(part)
            } else if let nodes = tasksWithoutFrames(of: programIndex, in: window) {
                programs[programIndex].frameReader.noteLook(by: lastCommandID + 1, at: wall)
                scope = .nodes(nodes)
            } else {
                continue
            }
            lastCommandID += 1
            effects.append(
                .send(
                    programs[programIndex].source,
                    ViewerCommand(id: lastCommandID, process: process, request: .frames(scope))))
        }
        return effects
    }

    /// Returns the suspended tasks on the screen whose frames are missing; nil if there are none, or if they were asked
    /// for a moment ago.
    private func tasksWithoutFrames(of programIndex: Int, in window: [ChainsView.WindowRow]) -> [NodeID]? {
        guard programs[programIndex].frameReader.mayLook(at: wall) else { return nil }
        var nodes: [NodeID] = []
        for row in window where row.programIndex == programIndex && nodes.count < FrameScope.nodeLimit {
            guard let node = row.tree?.node, programs[programIndex].forest.contains(node),
                programs[programIndex].forest.lacksFrames(of: node)
            else { continue }
            nodes.append(programs[programIndex].forest.id(of: node))
        }
        return nodes.isEmpty ? nil : nodes
    }

    /// Applies the answer to a request for frames; returns false if the command was another request.
    mutating func handleFrames(_ reply: CommandReply, in programIndex: Int) -> Bool {
        guard case .frames(let reading) = reply.outcome else {
            return programs[programIndex].frameReader.note(nil, to: reply.command, at: wall)
        }
        _ = programs[programIndex].frameReader.note(reading, to: reply.command, at: wall)
        if !programs[programIndex].isFrozen { programs[programIndex].forest.apply(reading) }
        return true
    }

    /// Returns how many tasks' frames were read, if the frames of all tasks are needed, else searched, in words; nil if all
    /// of them were read.
    func frameWords(readsAll isAsking: Bool) -> String? {
        var (read, total) = (0, 0)
        var isComplete = true
        // By index, because a binding would copy each program.
        for index in programs.indices where programs[index].connection.isLive {
            guard programs[index].frameReader.taskCount > 0 else { continue }
            total += programs[index].frameReader.taskCount
            read += isAsking ? programs[index].frameReader.readCount : programs[index].forest.frameCount
            isComplete = isComplete && isAsking && programs[index].frameReader.isComplete
        }
        guard total > 0, !isComplete, read < total else { return nil }
        let count = "\(CountText.grouped(min(read, total))) of \(CountText.grouped(total))"
        return isAsking ? "frames \(count)" : "frames searched: \(count)"
    }
}
