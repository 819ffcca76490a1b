// SPDX-License-Identifier: MIT

import ChainEvents
import Synchronization

/// A choice of the chains to record, so that a busy program may leave its recorder on.
///
/// A tree of promises is recorded whole or not at all: the decision at its root holds for the children of every promise
/// and for the promises made in their handlers and scopes. A root is a promise without a parent that is made outside of
/// the runtime's handlers, scopes and spans (``withChain(_:isolation:file:line:_:)``, `Promise(async:)`). A promise
/// without a parent that is made on another thread, or in a `Task` outside of scopes, is therefore a root. For a
/// promise made before recording began, the decision is made at its next step, and holds for its children. The decision
/// lasts for the life of the promise; an excluded promise joins only a later recording without a filter.
///
///     var filter = RecordingFilter(sampling: 100)             // one chain in a hundred,
///     filter.only = [.module("Shop"), .label("order *")]      // of those that the shop makes, or that are orders,
///     filter.except = [.file("Health.swift")]                 // but no health check
///
/// A recorded promise may follow an unrecorded promise, or have an unrecorded promise as a member. Then the link is
/// recorded, and the unrecorded promise is shown by its id alone. A blocking wait in an unrecorded handler is recorded
/// as a wait for the recorded promise.
public struct RecordingFilter: Hashable, Sendable {
    /// A property of a root to match.
    public enum Rule: Hashable, Sendable {
        /// The label that the root was made with; `*` matches any text, even an empty text. A root without a label
        /// never matches.
        case label(String)
        /// The module of the code that makes the root: the first part of `#fileID`.
        case module(String)
        /// The file of the code that makes the root, `File.swift` or `Module/File.swift`, and the range of lines in it.
        case file(String, lines: ClosedRange<Int> = 1...Int.max)
    }

    /// Of the roots that the rules include, about one in `sampling` is recorded; with 1 or less, all are recorded. The
    /// root's id decides.
    public var sampling: Int
    /// If not empty, only roots that match one of these rules are recorded.
    public var only: [Rule]
    /// Roots that match one of these rules are not recorded, whatever `only` contains.
    public var except: [Rule]

    /// Makes a filter; by default it excludes nothing.
    public init(sampling: Int = 1, only: [Rule] = [], except: [Rule] = []) {
        self.sampling = sampling
        self.only = only
        self.except = except
    }

    /// Whether the filter excludes anything.
    public var isNarrowing: Bool { sampling > 1 || !only.isEmpty || !except.isEmpty }
}

extension RecordingFilter.Rule {
    /// Returns whether a root made at `site` matches; false for a rule for labels.
    fileprivate func matches(_ site: CodeLocation) -> Bool {
        switch self {
        case .label: false
        case .module(let name): site.fileID.split(separator: "/").first.map { $0 == name } ?? false
        case .file(let name, let lines):
            (site.fileID == name || site.fileName == name) && lines.contains(Int(site.line))
        }
    }

    fileprivate func matches(_ label: String) -> Bool {
        if case .label(let pattern) = self { return isMatch(label.utf8, of: pattern.utf8) }
        return false
    }
}

/// Returns whether a text matches a pattern in which `*` matches any text. O(text · pattern) at worst, and no
/// recursion.
private func isMatch(_ text: String.UTF8View, of pattern: String.UTF8View) -> Bool {
    let star = UInt8(ascii: "*")
    var (textIndex, patternIndex) = (text.startIndex, pattern.startIndex)
    // The latest attempt to match what follows the latest star. The next attempt begins one byte later in the text.
    var attempt: (text: String.UTF8View.Index, pattern: String.UTF8View.Index)?
    while textIndex != text.endIndex {
        if patternIndex != pattern.endIndex, pattern[patternIndex] == star {
            patternIndex = pattern.index(after: patternIndex)
            attempt = (textIndex, patternIndex)
        } else if patternIndex != pattern.endIndex, pattern[patternIndex] == text[textIndex] {
            textIndex = text.index(after: textIndex)
            patternIndex = pattern.index(after: patternIndex)
        } else if let last = attempt {
            textIndex = text.index(after: last.text)
            patternIndex = last.pattern
            attempt = (textIndex, patternIndex)
        } else {
            return false
        }
    }
    return pattern[patternIndex...].allSatisfy { $0 == star }
}

/// A filter with a cache of the verdicts of its rules for each call site, without a lock.
final class CachedRecordingFilter: Sendable {
    private enum Verdict: Int {
        case excluded = 0
        case included = 1
        /// Undecided: the label decides.
        case neutral = 2
    }

    private let filter: RecordingFilter
    private let hasSiteRules: Bool
    private let hasLabelRules: Bool
    /// An insert-only hash table of call sites. A slot has four words, and the last word is unused. The verdict on a
    /// site is the index of the word in the slot that holds the site's key. A site that finds no free slot is evaluated
    /// each time.
    private let siteCache: AtomicWords
    private static let slotCount = 1024
    private static let probeCount = 8

    /// Makes the cache of a filter; nil for a filter that excludes nothing.
    init?(_ filter: RecordingFilter) {
        guard filter.isNarrowing else { return nil }
        self.filter = filter
        let rules = filter.only + filter.except
        hasLabelRules = rules.contains { if case .label = $0 { true } else { false } }
        hasSiteRules = rules.contains { if case .label = $0 { false } else { true } }
        siteCache = AtomicWords(count: hasSiteRules ? 4 * Self.slotCount : 0)
    }

    /// Returns whether a chain with that root is recorded. `siteKey` is the file's address and the line, in one word.
    func includes(_ id: NodeID, siteKey: UInt, site: CallSite, label: String?) -> Bool {
        guard isSampled(id) else { return false }
        guard hasSiteRules || hasLabelRules else { return true }
        switch hasSiteRules ? verdict(siteKey, site) : filter.only.isEmpty ? .included : .neutral {
        case .excluded: return false
        case .included: return !hasLabelRules || !matches(label, filter.except)
        case .neutral: return hasLabelRules && !matches(label, filter.except) && matches(label, filter.only)
        }
    }

    private func isSampled(_ id: NodeID) -> Bool {
        guard filter.sampling > 1 else { return true }
        // The bits are mixed, because ids are sequential and a pattern in the program could fall in step with the
        // sampling.
        let mixed = (id.rawValue &* 0x9E37_79B9_7F4A_7C15) >> 32
        return (mixed &* UInt64(min(filter.sampling, 1 << 31))) >> 32 == 0
    }

    private func matches(_ label: String?, _ rules: [RecordingFilter.Rule]) -> Bool {
        label.map { label in rules.contains { $0.matches(label) } } ?? false
    }

    private func verdict(_ key: UInt, _ site: CallSite) -> Verdict {
        guard key != 0 else { return evaluate(at: site) }
        var slot = Int(truncatingIfNeeded: (UInt64(key) &* 0x9E37_79B9_7F4A_7C15) >> 40)
        for _ in 0..<Self.probeCount {
            slot &= Self.slotCount - 1
            let excluded = siteCache.load(4 * slot), included = siteCache.load(4 * slot + 1)
            let neutral = siteCache.load(4 * slot + 2)
            if excluded == key { return .excluded }
            if included == key { return .included }
            if neutral == key { return .neutral }
            if excluded | included | neutral == 0 {
                // Another thread may store another site in another word of this slot at the same time. Then both sites
                // are found.
                let verdict = evaluate(at: site)
                siteCache.storeIfZero(4 * slot + verdict.rawValue, key)
                return verdict
            }
            slot += 1
        }
        return evaluate(at: site)
    }

    private func evaluate(at callSite: CallSite) -> Verdict {
        let site = callSite.site
        if filter.except.contains(where: { $0.matches(site) }) { return .excluded }
        if filter.only.isEmpty || filter.only.contains(where: { $0.matches(site) }) { return .included }
        return .neutral
    }
}

/// Words with atomic access from any thread, 0 at first.
private final class AtomicWords: @unchecked Sendable {
    // Sendable: the memory is accessed by atomic operations alone, and lives as long as this object.
    private let words: UnsafeMutablePointer<Atomic<UInt>>
    private let count: Int

    init(count: Int) {
        self.count = count
        words = .allocate(capacity: count)
        for index in 0..<count { (words + index).initialize(to: Atomic(0)) }
    }

    deinit {
        words.deinitialize(count: count)
        words.deallocate()
    }

    func load(_ index: Int) -> UInt { words[index].load(ordering: .relaxed) }

    func storeIfZero(_ index: Int, _ value: UInt) {
        _ = words[index].compareExchange(expected: 0, desired: value, ordering: .relaxed)
    }
}
