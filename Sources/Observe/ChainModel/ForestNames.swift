// SPDX-License-Identifier: MIT

/// Names of threads, executors and call sites by number.
///
/// Each name is sent once, so the forest keeps it. Threads come and go, and a program may name what it never uses, so
/// past a limit unused names are dropped.
extension ForestData {
    /// How many names of threads are kept before unused ones are dropped.
    static let threadNameLimit = 16_384
    /// How many call sites are kept before unused ones are dropped.
    static let siteLimit = 65_536

    /// Drops unused names past the limits. Called after a batch, because the batch's nodes may use the names that it
    /// brought.
    func boundTables() {
        if threads.count > max(Self.threadNameLimit, 2 * threadCountAfterPruning) { dropUnusedThreads() }
        if sites.count > max(Self.siteLimit, 2 * siteCountAfterPruning) { dropUnusedSites() }
    }

    /// Drops unused names of threads. O(nodes), but only past the limit, and then each time the number of names has
    /// doubled.
    private func dropUnusedThreads() {
        var used = Set(threadWaits.keys).union(stalls.keys)
        for slot in 0..<UInt32(nodes.bound) where isOccupied(slot) { used.insert(nodes[slot].pointee.thread) }
        threads = threads.filter { used.contains($0.key) }
        threadCountAfterPruning = threads.count
    }

    private func dropUnusedSites() {
        var used: Set<SiteID> = []
        for slot in 0..<UInt32(nodes.bound) where isOccupied(slot) { used.insert(nodes[slot].pointee.site) }
        sites = sites.filter { used.contains($0.key) }
        siteCountAfterPruning = sites.count
    }
}
