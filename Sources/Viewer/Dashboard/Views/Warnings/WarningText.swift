// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel
import ChainText

/// The texts of a warning, besides those of ``WarningKind``. Texts from the program are hostile until they are written
/// into a frame, which makes them safe.
enum WarningText {
    /// Returns the name of the node or program that a warning is about.
    static func name(_ warning: Warning, _ program: Program) -> String {
        guard warning.node != .none else { return program.shownName }
        let forest = program.forest
        if let node = forest.index(of: warning.node) {
            return NodeText.name(of: node, in: forest)
        }
        if let label = warning.label, !label.isEmpty { return label }
        return "\(warning.nodeKind.word) \(warning.node)"
    }

    /// Returns the particulars of a warning, such as `12 threads run handlers`; empty for a warning without
    /// particulars.
    static func what(_ warning: Warning, _ program: Program) -> String {
        let forest = program.forest
        func counted(_ noun: String) -> String { CountText.counted(Int(clamping: warning.amount), noun) }
        func ofNode(_ words: (NodeView) -> String) -> String {
            forest.index(of: warning.node).map { words(forest.node($0)) } ?? "no longer kept"
        }
        func thread(_ view: NodeView) -> String {
            view.thread == 0 ? "" : "on " + (forest.threads[view.thread] ?? "thread \(view.thread)")
        }
        switch warning.kind {
        case .tooManyThreads: return "\(counted("thread")) \(warning.amount == 1 ? "runs" : "run") handlers"
        case .starvedPool:
            let queued = "\(counted("task")) \(warning.amount == 1 ? "is" : "are") queued"
            return queued + starvedBy(warning, forest)
        case .lostEvents: return "\(counted("event")) \(warning.amount == 1 ? "was" : "were") lost"
        case .deepChain: return "more than \(CountText.grouped(Int(clamping: warning.amount))) nodes deep"
        case .deadlock: return "\(warning.amount) nodes wait for each other, next \(name(of: warning.other, forest))"
        case .raceLoserRunning: return "lost \(name(of: warning.other, forest))"
        case .mainActorHeld:
            let count = forest.index(of: warning.node).map { forest.waiterCount(of: $0) } ?? 0
            return "held by \(name(of: warning.other, forest)), \(CountText.counted(count, "task")) "
                + (count == 1 ? "waits" : "wait")
        case .abandoned, .unhandledRejection: return ofNode { forest.summary(of: $0) ?? "" }
        case .settledAgain: return ofNode { "was \($0.state.word) already" }
        case .blockedWorker:
            return ofNode { view in
                let stall = forest.stall(of: view.index).map { "blocked\($0.wait.words)" } ?? ""
                let block = warning.other == .none ? stall : "waits for \(name(of: warning.other, forest))"
                return [thread(view), block].filter { !$0.isEmpty }.joined(separator: ", ")
            }
        case .longHandler, .awaitedOnOwnExecutor: return ofNode(thread)
        case .cancellationIgnored:
            return ofNode { view in forest.canceller(of: view.index).map { "asked by \($0)" } ?? "" }
        case .suspendedTask: return ofNode { _ in "" }
        case .longQueueWait:
            return ofNode { view in forest.executors[view.executor].map { "in the queue of \($0)" } ?? "in a queue" }
        case .neverSettled:
            return ofNode { view in
                if view.kind.runsInTask, view.state == .running { return "its task runs" }
                return view.state == .waiting ? "ready, but nothing runs it" : "nothing has settled it"
            }
        }
    }

    /// Returns what holds up queued tasks: the task on the main thread if no other thread runs one, else how many of the
    /// threads that run tasks are blocked in the system; empty if neither is known.
    private static func starvedBy(_ warning: Warning, _ forest: borrowing ChainForest) -> String {
        guard warning.other == .none else {
            let stall = forest.index(of: warning.other).flatMap { forest.stall(of: $0) }
            return ", and main alone runs one: \(name(of: warning.other, forest))"
                + (stall.map { ", blocked\($0.wait.words)" } ?? "")
        }
        var blockedCount = 0
        for stall in forest.stalls {
            if forest.index(of: stall.node).map({ forest.kind(of: $0).runsInTask }) ?? false { blockedCount += 1 }
        }
        guard blockedCount > 0 else { return "" }
        return ", and \(CountText.counted(blockedCount, "thread")) that \(blockedCount == 1 ? "runs" : "run") tasks "
            + "\(blockedCount == 1 ? "is" : "are") blocked"
    }

    private static func name(of id: NodeID, _ forest: borrowing ChainForest) -> String {
        forest.index(of: id).map { NodeText.name(of: $0, in: forest) } ?? id.description
    }

    /// Returns the first sentence of what to do; the view of warnings shows all sentences.
    static func firstAdvice(_ kind: WarningKind, for node: NodeKind) -> String {
        let words = kind.advice(for: node).split(separator: " ")
        let end = words.firstIndex { $0.hasSuffix(".") || $0.hasSuffix("?") } ?? words.count - 1
        return words.prefix(end + 1).joined(separator: " ")
    }

    /// Returns the keys that help with a kind of warning; nil for a kind without keys of its own.
    static func keys(_ kind: WarningKind) -> String? {
        switch kind {
        case .neverSettled: "e opens its call site"
        case .blockedWorker: "w goes to what a waiting handler waits for"
        case .deadlock: "w follows the cycle, c cancels a node of it"
        case .mainActorHeld: "w goes to the task that holds it"
        case .tooManyThreads, .longQueueWait, .starvedPool: "2 shows the threads"
        case .abandoned, .unhandledRejection, .settledAgain, .longHandler, .awaitedOnOwnExecutor, .raceLoserRunning,
            .cancellationIgnored, .suspendedTask, .deepChain, .lostEvents:
            nil
        }
    }

    /// Returns the limit of a kind, in words; nil for a kind without a limit.
    static func limit(_ kind: WarningKind, _ options: WarningOptions) -> String? {
        switch kind.limit?.unit {
        case .nanoseconds?: DurationText.settled(options[kind])
        case .count(let noun, _)?: "\(CountText.grouped(Int(clamping: options[kind]))) \(noun)"
        case nil: nil
        }
    }
}
