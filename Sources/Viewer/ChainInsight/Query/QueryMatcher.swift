// SPDX-License-Identifier: MIT

import ChainModel

/// An evaluator of a ``Query`` for the nodes of one forest: some 20 to 60 ns for each node. Names of threads, executors
/// and sites are compared once, and the answers are cached.
package struct QueryMatcher: Sendable {
    /// The query.
    package let query: Query
    /// Whether the query read a name that is not known yet, of a thread, executor or site. Once it is known, more nodes
    /// may match.
    package private(set) var hasMissedName = false
    /// Bytes of text searched so far; callers limit a slice of work by them.
    package private(set) var comparedBytes = 0
    /// The changes of a node that can change whether it matches. The passing of time, which can do so, too, is not
    /// listed.
    package let relevantChanges: NodeChanges
    /// By node, the kinds of warnings that hold for it, with one bit for each kind: what `warning:deadlock` asks for.
    package var warnings: [NodeID: WarningBits]
    private let program: QueryProgram
    private var patterns: [TextPattern]
    /// The cached answers for names: one cache for each needle, then one for each pattern.
    private var answers: [NameAnswers]

    /// The maximum number of members of a combinator that are read to find what it waits for.
    private static let memberLimit = 16

    /// Makes a matcher for one forest.
    package init(_ query: Query, warnings: [NodeID: WarningBits] = [:]) {
        self.warnings = warnings
        self.query = query
        program = QueryProgram(query.root)
        relevantChanges = program.relevantChanges
        patterns = program.patterns
        answers = Array(repeating: NameAnswers(), count: program.needles.count + program.patterns.count)
    }

    /// Returns whether the query finds a node at the moment `now` (nanoseconds of the process's clock).
    package mutating func matches(_ node: NodeIndex, in forest: ChainForest, now: UInt64) -> Bool {
        matches(node, forest.searchFields(of: node), in: forest, now: now)
    }

    /// Returns whether the query finds a node, with the search fields that the caller has read from it.
    package mutating func matches(
        _ node: NodeIndex, _ fields: SearchFields, in forest: ChainForest, now: UInt64
    ) -> Bool {
        var next = program.entry
        while next >= 0 {
            let step = program.steps[next]
            next = passes(step.test, node, fields, forest, now) ? step.yes : step.no
        }
        return next == QueryProgram.found
    }

    @inline(__always)
    private mutating func passes(
        _ test: QueryProgram.Test, _ node: NodeIndex, _ fields: SearchFields, _ forest: ChainForest,
        _ now: UInt64
    ) -> Bool {
        switch test {
        case .states(let states): return states & fields.state.bit != 0
        case .kinds(let kinds): return kinds.contains(fields.kind)
        case .id(let id): return forest.id(of: node) == id
        case .duration(let field, let comparison, let limit):
            return passes(field, comparison, limit, forest.node(node), forest, now)
        case .warnings(let kinds):
            return !warnings.isEmpty && kinds & (warnings[forest.id(of: node)] ?? 0) != 0
        case .waits(let reasons):
            guard fields.state.isLive else { return false }
            if reasons == QueryParser.suspendedTask { return forest.node(node).isSuspended }
            return reasons & forest.blocker(of: node, memberLimit: Self.memberLimit).reason.bit != 0
        case .fieldText(let field, let needle): return holds(needle, field.text(of: node, fields, in: forest))
        case .name(.site, let needle): return isInName(.site, needle, fields.site, forest)
        case .name(let field, let needle):
            let view = forest.node(node)
            return isInName(field, needle, field == .thread ? view.thread : UInt32(view.executor), forest)
        case .text(let needle, let states, let kinds):
            return holds(needle, states, kinds, fields, forest) || holds(needle, forest.frames(of: node))
        }
    }

    private mutating func holds(
        _ needle: Int, _ states: UInt16, _ kinds: KindSet, _ fields: SearchFields, _ forest: ChainForest
    ) -> Bool {
        if states & fields.state.bit != 0 || kinds.contains(fields.kind) { return true }
        if let label = forest.label(of: fields) {
            if holds(needle, label) { return true }
        } else if isInName(.site, needle, fields.site, forest) {
            return true
        }
        return holds(needle, forest.summary(of: fields))
    }

    private mutating func holds(_ needle: Int, _ text: String?) -> Bool {
        guard let text else { return false }
        comparedBytes &+= text.utf8.count
        if needle < 0 { return patterns[-1 - needle].matches(text) }
        return program.needles.matches(needle, text)
    }

    private mutating func isInName(
        _ field: QueryField, _ needle: Int, _ number: UInt32, _ forest: ChainForest
    ) -> Bool {
        guard number != 0 else { return false }
        let index = needle < 0 ? program.needles.count - 1 - needle : needle
        if let known = answers[index][number] { return known }
        let name =
            switch field {
            case .site: forest.sites[number]?.description
            case .thread: forest.threads[number]
            default: forest.executors[ExecutorID(number)]
            }
        guard let name else {
            hasMissedName = true
            // A thread without a name is shown by its number.
            return field == .thread && holds(needle, "\(number)")
        }
        let answer = holds(needle, name)
        answers[index][number] = answer
        return answer
    }

    private mutating func passes(
        _ field: QueryDuration, _ comparison: Query.Comparison, _ limit: UInt64, _ view: NodeView,
        _ forest: ChainForest, _ now: UInt64
    ) -> Bool {
        guard let value = field.value(of: view, in: forest, now: now) else { return false }
        let (threshold, matchesFromThere) = comparison.threshold(limit)
        return (value >= threshold) == matchesFromThere
    }
}

/// A cache that stores for each name, by its number, whether the name contains a text.
private struct NameAnswers {
    /// For small numbers: 0 if it is unknown whether the name matches, 1 if not, 2 if it does.
    private var small: [UInt8] = []
    private var large: [UInt32: Bool] = [:]
    private static let smallLimit: UInt32 = 16_384

    subscript(number: UInt32) -> Bool? {
        get {
            guard number < Self.smallLimit else { return large[number] }
            let answer = number < small.count ? small[Int(number)] : 0
            return answer == 0 ? nil : answer == 2
        }
        set {
            guard number < Self.smallLimit else { return large[number] = newValue }
            if number >= small.count {
                small.append(contentsOf: repeatElement(0, count: Int(number) + 1 - small.count))
            }
            small[Int(number)] = newValue.map { $0 ? 2 : 1 } ?? 0
        }
    }
}

extension QueryField {
    fileprivate func text(of node: NodeIndex, _ fields: SearchFields, in forest: ChainForest) -> String? {
        switch self {
        case .label: forest.label(of: fields)
        case .error: Self.isValue(node, fields.state, forest) ? nil : forest.summary(of: fields)
        case .value: Self.isValue(node, fields.state, forest) ? forest.summary(of: fields) : nil
        case .parent: forest.treeParent(of: node).flatMap { forest.label(of: $0) }
        case .chain: forest.label(of: forest.root(of: node))
        case .canceller: forest.canceller(of: node)
        case .frames: forest.frames(of: node)
        case .thread, .executor, .site: nil
        }
    }

    /// Returns whether the summary of a node is its value.
    private static func isValue(_ node: NodeIndex, _ state: NodeState, _ forest: ChainForest) -> Bool {
        state == .fulfilled || state == .skipped && forest.node(node).settlement == .skippedFulfilled
    }
}

extension Blocker.Reason {
    var bit: UInt32 { 1 << UInt32(rawValue) }
}

extension QueryDuration {
    /// Returns the duration at a moment; nil if the node has none.
    fileprivate func value(of view: NodeView, in forest: ChainForest, now: UInt64) -> UInt64? {
        switch self {
        case .age: view.isLive ? max(now, view.created) - view.created : nil
        case .wait: forest.timing(of: view.index, now: now).wait
        case .run: forest.timing(of: view.index, now: now).run
        case .total: forest.timing(of: view.index, now: now).total
        }
    }
}

extension Query.Comparison {
    /// Returns the duration at which the answer changes, and whether durations from there on match.
    fileprivate func threshold(_ limit: UInt64) -> (duration: UInt64, matchesFromThere: Bool) {
        switch self {
        case .greater, .equal, .contains: (limit.addingClamped(1), true)
        case .atLeast: (limit, true)
        case .less: (limit, false)
        case .atMost: (limit.addingClamped(1), false)
        }
    }
}
