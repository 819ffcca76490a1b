import ChainEvents

/// Numbers for what events name by pointer, and the names that a receiver needs once: each goes out with the first batch
/// that uses it, and all of them to a late comer.
struct NameTables {
    /// Threads whose names are kept; with twice as many, the first half is forgotten.
    static let threadLimit = 4096

    private(set) var sites: [SiteID: CodeLocation] = [:]
    private(set) var threads: [ThreadID: String] = [:]
    private(set) var executors: [ExecutorID: String] = [:]
    private var newSites: [SiteID: CodeLocation] = [:]
    private var newThreads: [ThreadID: String] = [:]
    private var newExecutors: [ExecutorID: String] = [:]

    private struct SitePointer: Hashable {
        var file: UnsafePointer<UInt8>
        var line: UInt32

        /// Its place in ``recent``.
        var place: Int {
            let mixed = (UInt(bitPattern: file) &+ UInt(line) &* 64) &* 0x9E37_79B9_7F4A_7C15
            return Int(truncatingIfNeeded: mixed >> 56)
        }
    }
    /// The call sites seen last, 256 by place: most events come from a few of them, and hashing costs more.
    private var recent: [(pointer: SitePointer, number: SiteID)?] = Array(repeating: nil, count: 256)
    private var sitePointers: [SitePointer: SiteID] = [:]
    private var siteNumbers: [CodeLocation: SiteID] = [:]
    private var threadOrder: [ThreadID] = []

    /// The number of a call site: one for one file and line, however many literals spell it.
    mutating func number(_ callSite: CallSite) -> SiteID {
        guard let file = callSite.file else { return 0 }
        let pointer = SitePointer(file: file, line: callSite.line)
        if let known = recent[pointer.place], known.pointer == pointer { return known.number }
        let number = sitePointers[pointer] ?? learn(pointer, callSite)
        recent[pointer.place] = (pointer, number)
        return number
    }

    private mutating func learn(_ pointer: SitePointer, _ callSite: CallSite) -> SiteID {
        let site = callSite.site
        let number = siteNumbers[site] ?? SiteID(siteNumbers.count + 1)
        if siteNumbers.updateValue(number, forKey: site) == nil {
            sites[number] = site
            newSites[number] = site
        }
        sitePointers[pointer] = number
        return number
    }

    /// Learns a thread's name; the kernel gives a thread's number to others after its end.
    mutating func learn(thread: ThreadID, name: String) {
        guard !name.isEmpty, threads[thread] != name else { return }
        if threads.updateValue(name, forKey: thread) == nil {
            threadOrder.append(thread)
            if threadOrder.count > 2 * NameTables.threadLimit {
                for forgotten in threadOrder.prefix(NameTables.threadLimit) { threads[forgotten] = nil }
                threadOrder.removeFirst(NameTables.threadLimit)
            }
        }
        newThreads[thread] = name
    }

    /// Learns an executor by its first use.
    mutating func learn(executor: ExecutorID, name: (ExecutorID) -> String?) {
        guard executor != 0, executors[executor] == nil, let name = name(executor) else { return }
        executors[executor] = name
        newExecutors[executor] = name
    }

    /// Moves what was learnt since the last time into a batch.
    mutating func tell(_ batch: inout EventBatch) {
        swap(&batch.sites, &newSites)
        swap(&batch.threads, &newThreads)
        swap(&batch.executors, &newExecutors)
    }

    /// Puts everything into a late comer's batch.
    func tellAll(_ batch: inout EventBatch) {
        batch.sites = sites
        batch.threads = threads
        batch.executors = executors
    }
}
