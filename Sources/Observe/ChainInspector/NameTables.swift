// SPDX-License-Identifier: MIT

import ChainEvents

/// The interned names of call sites, threads and executors. Each name is sent with the first batch that uses it; a late
/// subscriber gets all names.
struct NameTables {
    /// How many thread names are kept at least. Once there are more than twice as many names, the older half of them is
    /// dropped.
    static let keptThreadCount = 4096

    private(set) var sites: [SiteID: CodeLocation] = [:]
    private(set) var threads: [ThreadID: String] = [:]
    private(set) var executors: [ExecutorID: String] = [:]
    /// The names that were not sent yet.
    private var newSites: [SiteID: CodeLocation] = [:]
    private var newThreads: [ThreadID: String] = [:]
    private var newExecutors: [ExecutorID: String] = [:]

    /// The file in which the rings are, if they are in a file; the numbers of call sites are added to the file.
    var ringFile: RingFile?

    private struct SitePointer: Hashable {
        var file: UnsafePointer<UInt8>
        var line: UInt32

        /// The index of the call site in ``recent``.
        var slot: Int {
            let mixed = (UInt(bitPattern: file) &+ UInt(line) &* 64) &* 0x9E37_79B9_7F4A_7C15
            return Int(truncatingIfNeeded: mixed >> 56)
        }
    }
    /// A direct-mapped cache of 256 call sites, because most events come from one of a few call sites, and hashing
    /// costs more.
    private var recent: [(pointer: SitePointer, number: SiteID)?] = Array(repeating: nil, count: 256)
    private var sitePointers: [SitePointer: SiteID] = [:]
    private var siteNumbers: [CodeLocation: SiteID] = [:]
    /// The threads with a name, in the order in which they first got one.
    private var threadOrder: [ThreadID] = []
    /// A number that begins with 1, and grows each time that names of threads are dropped. The names of live threads
    /// are then added again.
    private(set) var threadEpoch: UInt32 = 1

    /// Returns the number of a call site. Each line of a file has one number, even if several literals spell the file's
    /// name. Returns 0 if the call site has no file.
    mutating func number(_ callSite: CallSite) -> SiteID {
        guard let file = callSite.filePointer else { return 0 }
        let pointer = SitePointer(file: file, line: callSite.line)
        if let known = recent[pointer.slot], known.pointer == pointer { return known.number }
        let number = sitePointers[pointer] ?? learn(pointer, callSite)
        recent[pointer.slot] = (pointer, number)
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
        ringFile?.note(site: pointer.file, line: pointer.line, number: UInt32(number))
        return number
    }

    /// Adds a thread's name, which is empty if the thread has none. Replaces an earlier name, because the kernel reuses
    /// the ids of ended threads.
    mutating func learn(thread: ThreadID, name: String) {
        guard threads[thread, default: ""] != name else { return }
        if threads.updateValue(name, forKey: thread) == nil {
            threadOrder.append(thread)
            if threadOrder.count > 2 * NameTables.keptThreadCount {
                for forgotten in threadOrder.prefix(NameTables.keptThreadCount) { threads[forgotten] = nil }
                threadOrder.removeFirst(NameTables.keptThreadCount)
                threadEpoch += 1
            }
        }
        newThreads[thread] = name
    }

    /// Adds an executor's name at its first use.
    mutating func learn(executor: ExecutorID, name: (ExecutorID) -> String?) {
        guard executor != 0, executors[executor] == nil, let name = name(executor) else { return }
        executors[executor] = name
        newExecutors[executor] = name
    }

    /// Moves the names that are new since the last batch into a batch.
    mutating func moveNew(to batch: inout EventBatch) {
        swap(&batch.sites, &newSites)
        swap(&batch.threads, &newThreads)
        swap(&batch.executors, &newExecutors)
    }

    /// Adds all names to a late subscriber's batch.
    func addAll(to batch: inout EventBatch) {
        batch.sites = sites
        batch.threads = threads
        batch.executors = executors
    }
}
