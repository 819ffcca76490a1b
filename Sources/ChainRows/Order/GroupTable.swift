import ChainEvents
import ChainModel

/// The call sites that roots were made at, numbered, each with how its chains are doing.
struct GroupTable {
    struct Group {
        /// The call site; without a file where it is unknown.
        var site: CodeLocation
        /// The number of chains by the state that stands for each as a whole.
        var counts = StateCounts()
    }

    private(set) var groups: [Group] = []
    private var numbers: [CodeLocation: UInt32] = [:]
    /// The same by the program's own numbers, of which several may be of one place.
    private var numbersByID: [SiteID: UInt32] = [:]
    /// The numbers in the order of the screen: by file and line, the unknown one last.
    private(set) var screen: [UInt32] = []

    subscript(number: UInt32) -> Group { groups[Int(number)] }

    func number(of site: CodeLocation) -> UInt32? { numbers[site] }

    /// The number of a site; a new one takes its place on the screen.
    mutating func numberMade(of id: SiteID, in forest: borrowing ChainForest) -> UInt32 {
        if let known = numbersByID[id] { return known }
        let site = forest.sites[id]
        let number = numberMade(of: site ?? CodeLocation(fileID: "", line: 0))
        if site != nil { numbersByID[id] = number }
        return number
    }

    private mutating func numberMade(of site: CodeLocation) -> UInt32 {
        if let known = numbers[site] { return known }
        let number = UInt32(groups.count)
        groups.append(Group(site: site))
        numbers[site] = number
        let index = screen.firstIndex { precedes(site, self[$0].site) } ?? screen.count
        screen.insert(number, at: index)
        return number
    }

    private func precedes(_ left: CodeLocation, _ right: CodeLocation) -> Bool {
        if left.fileID.isEmpty || right.fileID.isEmpty { return !left.fileID.isEmpty }
        return left.fileID != right.fileID ? left.fileID < right.fileID : left.line < right.line
    }

    mutating func count(_ number: UInt32, _ state: NodeState, by change: Int) {
        groups[Int(number)].counts[state] += change
    }
}
