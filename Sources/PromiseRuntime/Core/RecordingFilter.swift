import ChainEvents
import Synchronization

/// Which chains are recorded, so that a busy program may leave its recorder on.
///
/// A tree of promises is recorded whole or not at all: what is decided at its root holds for the children of every
/// promise and for what their handlers make. A root is a promise without a parent that no handler of the runtime makes
/// (one made on another thread or in a `Task` is one); a promise that was made before recording began is decided by
/// itself, at its next step, and its children by it. The decision lasts for the life of the promise; only what was left
/// out joins a later recording that has no filter.
///
///     var filter = RecordingFilter(sampling: 100)             // one chain in a hundred,
///     filter.only = [.module("Shop"), .label("order *")]      // of those that the shop makes, or that are orders,
///     filter.except = [.file("Health.swift")]                 // but no health check
///
/// Where a recorded promise follows, or has for a member, one that is not recorded, the link is told, and that one is
/// shown by its id alone. A blocking wait in a handler that is not recorded is told as that of a promise that is.
public struct RecordingFilter: Hashable, Sendable {
    /// What a root may be told apart by.
    public enum Rule: Hashable, Sendable {
        /// The label that it was made with; `*` stands for any text, also none. A root without a label never matches.
        case label(String)
        /// The module whose code makes it: the first part of `#fileID`.
        case module(String)
        /// The file whose code makes it, `File.swift` or `Module/File.swift`, and the lines of it.
        case file(String, lines: ClosedRange<Int> = 1...Int.max)
    }

    /// One root in so many is recorded, of those that the rules leave; 1 or less: each. Decided by the root's id.
    public var sampling: Int
    /// Where there are any, only roots that match one of these are recorded.
    public var only: [Rule]
    /// Roots that match one of these are not recorded, whatever `only` says.
    public var except: [Rule]

    /// Sets a filter; by default it leaves nothing out.
    public init(sampling: Int = 1, only: [Rule] = [], except: [Rule] = []) {
        self.sampling = sampling
        self.only = only
        self.except = except
    }

    /// Whether it leaves anything out.
    public var isNarrowing: Bool { sampling > 1 || !only.isEmpty || !except.isEmpty }
}

extension RecordingFilter.Rule {
    /// Whether a root made at `site` matches; rules for labels do not.
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

/// Whether a text matches a pattern in which `*` stands for any text. O(text · pattern) at worst, and no recursion.
private func isMatch(_ text: String.UTF8View, of pattern: String.UTF8View) -> Bool {
    let star = UInt8(ascii: "*")
    var (at, next) = (text.startIndex, pattern.startIndex)
    // Where to go on if what follows the last star does not fit: one byte further in the text.
    var retry: (text: String.UTF8View.Index, pattern: String.UTF8View.Index)?
    while at != text.endIndex {
        if next != pattern.endIndex, pattern[next] == star {
            next = pattern.index(after: next)
            retry = (at, next)
        } else if next != pattern.endIndex, pattern[next] == text[at] {
            at = text.index(after: at)
            next = pattern.index(after: next)
        } else if let last = retry {
            at = text.index(after: last.text)
            next = last.pattern
            retry = (at, next)
        } else {
            return false
        }
    }
    return pattern[next...].allSatisfy { $0 == star }
}

/// A filter made ready for use: it remembers what its rules say of each call site, without a lock.
final class RecordingDecision: Sendable {
    private enum Verdict: Int {
        case excluded = 0
        case included = 1
        /// The label decides.
        case neutral = 2
    }

    private let filter: RecordingFilter
    private let asksSites: Bool
    private let asksLabels: Bool
    /// A hash table of call sites that is only added to: each has four words, of which the first three mean a verdict; the
    /// word that holds the site's key says which. What finds no slot is looked at anew each time.
    private let siteCache: AtomicWords
    private static let slotCount = 1024
    private static let probeCount = 8

    /// Nil for a filter that leaves nothing out.
    init?(_ filter: RecordingFilter) {
        guard filter.isNarrowing else { return nil }
        self.filter = filter
        let rules = filter.only + filter.except
        asksLabels = rules.contains { if case .label = $0 { true } else { false } }
        asksSites = rules.contains { if case .label = $0 { false } else { true } }
        siteCache = AtomicWords(count: asksSites ? 4 * Self.slotCount : 0)
    }

    /// Whether a chain with that root is recorded. `siteKey` is the file's address and the line, in one word.
    func includes(_ id: NodeID, siteKey: UInt, site: CallSite, label: String?) -> Bool {
        guard isSampled(id) else { return false }
        guard asksSites || asksLabels else { return true }
        switch asksSites ? verdict(siteKey, site) : filter.only.isEmpty ? .included : .neutral {
        case .excluded: return false
        case .included: return !asksLabels || !matches(label, filter.except)
        case .neutral: return asksLabels && !matches(label, filter.except) && matches(label, filter.only)
        }
    }

    private func isSampled(_ id: NodeID) -> Bool {
        guard filter.sampling > 1 else { return true }
        // Ids are given out in a row: mixed, so that no pattern of the program's falls in step with the sampling.
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
                // Somebody else may take the slot too, for another verdict: then both are found.
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

/// Words that are read and written from any thread; all are 0 at first.
private final class AtomicWords: @unchecked Sendable {
    // Sendable: the memory is reached by atomic operations alone, and lives as long as this.
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
