// SPDX-License-Identifier: MIT

import ChainEvents

/// Whether what is read of tasks by the offsets of a ``TaskLayout`` makes sense, checked on the process's own tasks: a
/// runtime with another layout would give other values in most of them.
///
/// A fact that fails is not shown. With fewer samples than ``leastCount`` a fact is believed if the runtime states a
/// version that is known; without a version, only if all samples agree.
struct LayoutCheck {
    /// How many tasks have a fact by their flags, and how many of them have it by what was read.
    struct Count: Equatable {
        var expected = 0
        var found = 0

        /// Whether a fact may be shown.
        func holds(isKnownVersion: Bool) -> Bool {
            guard expected >= LayoutCheck.leastCount else { return isKnownVersion || found == expected }
            return found * 100 >= expected * 99
        }
    }

    static let leastCount = 20
    /// The versions whose offsets were taken from the runtime's sources. Without a version it is an earlier one.
    static let knownVersions: ClosedRange<UInt32> = 0...3
    /// Tasks that are looked at.
    private static let sampleLimit = 2_000

    /// Suspended tasks, and those with a function in which they continue.
    private(set) var stacks = Count()
    /// Structured children, and those in the list of a live parent.
    private(set) var parents = Count()
    private let isKnownVersion: Bool

    init(_ followed: some Collection<OutsideReader.Followed>, _ layout: TaskLayout) {
        isKnownVersion = Self.knows(layout)
        var listed: Set<UInt64> = []
        var isListed: Set<UInt64> = []
        // The children of a list follow one another; the first one is in a record of the parent.
        for known in followed {
            for child in known.facts.firstChildren { listed.insert(child) }
            if known.task.next != 0 { isListed.insert(known.task.next) }
        }
        for known in followed.prefix(Self.sampleLimit) where !known.isMoving {
            if !known.task.isRunning, !known.task.isEnqueued {
                stacks.expected += 1
                if !known.facts.frames.isEmpty { stacks.found += 1 }
            }
            guard known.task.isChild else { continue }
            parents.expected += 1
            let isInList = listed.contains(known.task.address) || isListed.contains(known.task.address)
            if known.parent != .none, isInList { parents.found += 1 }
        }
    }

    /// Whether the runtime states a version that is known.
    static func knows(_ layout: TaskLayout) -> Bool { layout.version.map { knownVersions.contains($0) } ?? false }

    /// The facts that are not to be shown.
    var missing: TaskFacts {
        var missing: TaskFacts = []
        if !stacks.holds(isKnownVersion: isKnownVersion) { missing.insert(.stack) }
        if !parents.holds(isKnownVersion: isKnownVersion) { missing.insert(.parent) }
        return missing
    }
}
