// SPDX-License-Identifier: MIT

import ChainEvents
import ChainInsight
import ChainModel
import ChainText
import Frames

/// The suspended tasks of a forest by the functions in which they are suspended, for `chainview ps --stacks`.
package struct StackListing: Sendable {
    /// The greatest number of stacks to list.
    package var limit: Int
    /// The glyphs, and whether all text is reduced to ASCII.
    package var glyphs: Glyphs

    /// Lists everything by default.
    package init(limit: Int = .max, glyphs: Glyphs = .unicode) {
        self.limit = limit
        self.glyphs = glyphs
    }

    /// Returns a line of titles, then for each stack its number of tasks, the age of the oldest, and the functions: the
    /// innermost first, each further one on a line of its own. Tasks whose frames are not known are counted at the end.
    ///
    /// - Parameter now: the moment that ages count to, in nanoseconds of the process's clock.
    package func text(_ forest: ChainForest, of process: ProcessDescription, now: UInt64) -> String {
        let stacks = TaskStack.all(in: forest)
        let sign = process.isReadFromOutside ? glyphs.charset == .ascii ? ">=" : "≥" : ""
        var text = "\(Self.right("TASKS", 9)) \(Self.right("OLDEST", 9))  SUSPENDED IN\n"
        for stack in stacks.prefix(limit) {
            let age = stack.oldestSince.map { sign + DurationText.running(now - min(now, $0)) } ?? ""
            var head = "\(Self.right(CountText.grouped(stack.count), 9)) \(Self.right(age, 9))  "
            for function in stack.frames.split(separator: "\n") {
                text += head + SafeText.line(String(function), charset: glyphs.charset) + "\n"
                head = String(repeating: " ", count: 21)
            }
            if stack.cancelledCount > 0 {
                text += head + "(\(CountText.grouped(stack.cancelledCount)) of them cancelled)\n"
            }
        }
        if stacks.count > limit {
            text += "\(glyphs.ellipsis) \(CountText.grouped(stacks.count - limit)) more (--limit \(limit))\n"
        }
        return text
    }

    /// Returns an object with `process`, `time` and `stacks`, which are objects with `tasks`, `cancelled`,
    /// `oldestSince` and `oldestAge` (seconds), `oldest` (the number of a task) and `frames`.
    package func json(_ forest: ChainForest, of process: ProcessDescription, now: UInt64) -> String {
        let stacks = TaskStack.all(in: forest).prefix(limit).map { stack in
            JSONText.object([
                ("tasks", "\(stack.count)"), ("cancelled", "\(stack.cancelledCount)"),
                ("oldest", "\(forest.node(stack.oldest).id.rawValue)"),
                ("oldestSince", JSONText.seconds(stack.oldestSince.map { $0 &+ process.wallOffset })),
                ("oldestAge", JSONText.seconds(stack.oldestSince.map { now - min(now, $0) })),
                ("frames", JSONText.array(stack.frames.split(separator: "\n").map { JSONText.string(String($0)) })),
            ])
        }
        return JSONText.object([
            ("pid", "\(process.pid)"), ("name", JSONText.string(process.name)),
            ("time", JSONText.seconds(now &+ process.wallOffset)), ("stacks", JSONText.array(Array(stacks))),
        ]) + "\n"
    }

    private static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
