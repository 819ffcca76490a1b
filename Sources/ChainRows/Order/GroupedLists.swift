/// The chains in the order of the screen: one list, or one a group.
///
/// The rows of groups themselves are not counted here; see `RowModel+Groups.swift`.
struct GroupedLists {
    /// By number of the group; only the first where there are no groups.
    private(set) var lists = [WeightedSortedList()]
    /// The groups' numbers in the order of the screen; empty where there are none.
    var screen: [UInt32] = []
    var merge: WeightedSortedList.Merge? {
        didSet { if merge != oldValue { for index in lists.indices { lists[index].merge = merge } } }
    }
    /// Changes whenever a chain comes, goes, moves or gets another weight.
    private(set) var version: UInt64 = 0

    init(merge: WeightedSortedList.Merge? = nil) {
        self.merge = merge
        lists[0].merge = merge
    }

    /// The list of a group, which may be empty.
    subscript(group: UInt32) -> WeightedSortedList {
        Int(group) < lists.count ? lists[Int(group)] : WeightedSortedList(group: group)
    }

    var count: Int { lists.reduce(0) { $0 + $1.count } }

    private mutating func reach(_ group: UInt32) {
        while lists.count <= Int(group) {
            var list = WeightedSortedList(group: UInt32(lists.count))
            list.merge = merge
            lists.append(list)
        }
    }

    mutating func insert(_ key: RootKey, weight: Int) {
        reach(key.group)
        version &+= 1
        lists[Int(key.group)].insert(key, weight: weight)
    }

    /// Adds a chain that comes after all others of its group.
    mutating func append(_ key: RootKey, weight: Int) {
        reach(key.group)
        version &+= 1
        lists[Int(key.group)].append(key, weight: weight)
    }

    @discardableResult
    mutating func remove(_ key: RootKey) -> Bool {
        guard Int(key.group) < lists.count, lists[Int(key.group)].remove(key) else { return false }
        version &+= 1
        return true
    }

    @discardableResult
    mutating func setWeight(_ weight: Int, of key: RootKey) -> Bool {
        guard Int(key.group) < lists.count else { return false }
        let before = lists[Int(key.group)].rowCount
        guard lists[Int(key.group)].setWeight(weight, of: key) else { return false }
        if lists[Int(key.group)].rowCount != before { version &+= 1 }
        return true
    }

    // Without a copy of the list, which would be counted in each of its arrays.
    func weight(of key: RootKey) -> Int? {
        Int(key.group) < lists.count ? lists[Int(key.group)].weight(of: key) : nil
    }
    func contains(_ key: RootKey) -> Bool { weight(of: key) != nil }

    /// Something of what lies where a chain is or would be, so that it comes near. Nobody needs what it gives.
    func warmth(of key: RootKey) -> UInt64 {
        Int(key.group) < lists.count ? lists[Int(key.group)].warmth(of: key) : 0
    }

    var first: RootKey? { screen.isEmpty ? lists[0].first : screen.lazy.compactMap { self[$0].first }.first }
    var last: RootKey? { screen.isEmpty ? lists[0].last : screen.reversed().lazy.compactMap { self[$0].last }.first }

    /// The nearest chain that stands after a key, which need not be there.
    func key(after key: RootKey) -> RootKey? {
        if let next = self[key.group].key(after: key) { return next }
        guard let place = screen.firstIndex(of: key.group) else { return nil }
        return screen[(place + 1)...].lazy.compactMap { self[$0].first }.first
    }

    /// The nearest chain that stands before a key, which need not be there.
    func key(before key: RootKey) -> RootKey? {
        if let previous = self[key.group].key(before: key) { return previous }
        guard let place = screen.firstIndex(of: key.group) else { return nil }
        return screen[..<place].reversed().lazy.compactMap { self[$0].last }.first
    }
}
