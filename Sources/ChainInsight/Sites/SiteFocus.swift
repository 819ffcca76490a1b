import ChainModel

/// One call site and kind, with all numbers that the program has for the call site: a program may have several.
struct SiteFocus: Sendable {
    let key: SiteKey
    /// The other numbers of the call site, complete as long as the forest has `siteCount` sites.
    private var aliases: Set<SiteID> = []
    private var siteCount = 0

    init(_ key: SiteKey) { self.key = key }

    @inline(__always)
    func includes(_ site: SiteID) -> Bool { site == key.site || (!aliases.isEmpty && aliases.contains(site)) }

    /// Updates the numbers of the call site. O(sites) if the forest has new sites, else O(1).
    mutating func follow(_ forest: ChainForest) {
        guard forest.sites.count != siteCount else { return }
        siteCount = forest.sites.count
        guard let site = forest.sites[key.site] else { return }
        aliases = []
        for (number, other) in forest.sites where other == site && number != key.site { aliases.insert(number) }
    }
}
