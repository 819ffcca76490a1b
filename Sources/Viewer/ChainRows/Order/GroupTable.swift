// SPDX-License-Identifier: MIT

import ChainModel

/// The number of chains of each status.
package struct StatusCounts {
    private var counts = [Int](repeating: 0, count: ChainStatus.allCases.count)

    package subscript(status: ChainStatus) -> Int {
        get { counts[Int(status.rawValue)] }
        set { counts[Int(status.rawValue)] = newValue }
    }

    /// The number of chains of all statuses.
    package var chainCount: Int { counts.reduce(0, +) }
}

/// The groups of chains: one for each call site of roots, each with a number. Chains that are not grouped are all in
/// group 0.
struct GroupTable {
    struct Group {
        /// The call site; its `fileID` is empty if it is unknown.
        var site: CodeLocation
        /// The number of chains by status, where chains are grouped.
        var counts = StatusCounts()
        var list = ChainList()
    }

    /// The groups by number.
    var groups: [Group] = []
    private var numbers: [CodeLocation: UInt32] = [:]
    /// The numbers by the program's own site ids. Several ids may stand for one call site.
    private var numbersByID: [SiteID: UInt32] = [:]
    /// The numbers in the order of the screen: by file and line, the unknown call site last.
    private(set) var screenOrder: [UInt32] = []

    // Yielded, because a copy of a group would make the next change copy its list.
    subscript(number: UInt32) -> Group {
        _read { yield groups[Int(number)] }
        _modify { yield &groups[Int(number)] }
    }

    func number(of site: CodeLocation) -> UInt32? { numbers[site] }

    /// Returns the number of a call site; adds a group if the site has none yet.
    mutating func addedNumber(of id: SiteID, in forest: borrowing ChainForest) -> UInt32 {
        if let known = numbersByID[id] { return known }
        let site = forest.sites[id]
        let number = addedNumber(of: site ?? CodeLocation(fileID: "", line: 0))
        if site != nil { numbersByID[id] = number }
        return number
    }

    @discardableResult
    mutating func addedNumber(of site: CodeLocation) -> UInt32 {
        if let known = numbers[site] { return known }
        let number = UInt32(groups.count)
        groups.append(Group(site: site))
        numbers[site] = number
        // By binary search, because one slice of a sort may add thousands of groups.
        var (low, high) = (0, screenOrder.count)
        while low < high {
            let middle = (low + high) / 2
            if precedes(site, groups[Int(screenOrder[middle])].site) { high = middle } else { low = middle + 1 }
        }
        screenOrder.insert(number, at: low)
        return number
    }

    private func precedes(_ left: CodeLocation, _ right: CodeLocation) -> Bool {
        if left.fileID.isEmpty || right.fileID.isEmpty { return !left.fileID.isEmpty }
        return left.fileID != right.fileID ? left.fileID < right.fileID : left.line < right.line
    }
}
