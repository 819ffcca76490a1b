import ChainEvents
import ChainModel

/// One call site and kind, under all the numbers that a program has for it.
struct SiteFocus: Sendable {
    let key: SiteKey
    /// The other numbers: known as long as there are as many sites as `siteCount`.
    private var aliases: Set<SiteID> = []
    private var siteCount = 0

    init(_ key: SiteKey) { self.key = key }

    @inline(__always)
    func includes(_ site: SiteID) -> Bool { site == key.site || (!aliases.isEmpty && aliases.contains(site)) }

    /// Looks for new numbers. O(sites) where there are any.
    mutating func follow(_ forest: borrowing ChainForest) {
        guard forest.sites.count != siteCount else { return }
        siteCount = forest.sites.count
        guard let site = forest.sites[key.site] else { return }
        aliases = []
        for (number, other) in forest.sites where other == site && number != key.site { aliases.insert(number) }
    }
}
