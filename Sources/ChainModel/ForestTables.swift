import ChainEvents

/// Names of what events have by number. They are told once, so they are kept; but threads come and go, and a program
/// may name what it never uses.
extension ChainForest {
    /// How many names of threads and of call sites are kept before those that no node has are dropped.
    static let threadNameLimit = 16_384, siteLimit = 65_536

    /// Looks whether there are too many names; after the batch that brought them, whose nodes may have them.
    mutating func boundTables() {
        if threads.count > max(Self.threadNameLimit, 2 * usedThreadCount) { dropUnusedThreads() }
        if sites.count > max(Self.siteLimit, 2 * usedSiteCount) { dropUnusedSites() }
    }

    /// O(nodes); as many names have to be new before it happens again.
    private mutating func dropUnusedThreads() {
        var used = Set(threadWaits.keys)
        for slot in 0..<UInt32(nodes.bound) where isTaken(slot) { used.insert(nodes[slot].pointee.thread) }
        threads = threads.filter { used.contains($0.key) }
        usedThreadCount = threads.count
    }

    private mutating func dropUnusedSites() {
        var used: Set<SiteID> = []
        for slot in 0..<UInt32(nodes.bound) where isTaken(slot) { used.insert(nodes[slot].pointee.site) }
        sites = sites.filter { used.contains($0.key) }
        usedSiteCount = sites.count
    }
}
