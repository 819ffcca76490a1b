/// The chains in the order of the screen: one list, or a list for each group.
///
/// Rows of the groups themselves are counted in `RowModel+Groups.swift`.
struct GroupedLists {
    /// The lists by group number; a single list if chains are not grouped.
    private(set) var lists = [WeightedSortedList()]
    /// The group numbers in the order of the screen; empty if chains are not grouped.
    var screenOrder: [UInt32] = []
    /// How chains with a duration that still grows are merged with chains with a known duration, the same in every
    /// list. Nil if the chains are in the order of their ranks alone (see ``Rank``).
    var merge: WeightedSortedList.Merge? {
        didSet { if merge != oldValue { for index in lists.indices { lists[index].merge = merge } } }
    }

    init(merge: WeightedSortedList.Merge? = nil) {
        self.merge = merge
        lists[0].merge = merge
    }

    /// Returns the list of a group, which may be empty.
    subscript(group: UInt32) -> WeightedSortedList {
        Int(group) < lists.count ? lists[Int(group)] : WeightedSortedList(group: group)
    }

    /// Adds empty lists until a group has a list.
    private mutating func addLists(upTo group: UInt32) {
        while lists.count <= Int(group) {
            var list = WeightedSortedList(group: UInt32(lists.count))
            list.merge = merge
            lists.append(list)
        }
    }

    /// Adds a chain, which must not be in the lists.
    mutating func insert(_ key: RootKey, weight: Int) {
        addLists(upTo: key.group)
        lists[Int(key.group)].insert(key, weight: weight)
    }

    /// Adds a chain after all other chains of its group.
    mutating func append(_ key: RootKey, weight: Int) {
        addLists(upTo: key.group)
        lists[Int(key.group)].append(key, weight: weight)
    }

    /// Removes a chain; returns false if it is not in the lists.
    @discardableResult
    mutating func remove(_ key: RootKey) -> Bool {
        guard Int(key.group) < lists.count else { return false }
        return lists[Int(key.group)].remove(key)
    }

    /// Sets the weight of a chain; returns false if it is not in the lists.
    @discardableResult
    mutating func setWeight(_ weight: Int, of key: RootKey) -> Bool {
        guard Int(key.group) < lists.count else { return false }
        return lists[Int(key.group)].setWeight(weight, of: key)
    }

    /// Returns the weight of a chain; nil if it is not in the lists.
    // Reads the list in place, because a copy costs a reference count for each of its arrays.
    func weight(of key: RootKey) -> Int? {
        Int(key.group) < lists.count ? lists[Int(key.group)].weight(of: key) : nil
    }

    var first: RootKey? { screenOrder.isEmpty ? lists[0].first : screenOrder.lazy.compactMap { self[$0].first }.first }
    var last: RootKey? {
        screenOrder.isEmpty ? lists[0].last : screenOrder.reversed().lazy.compactMap { self[$0].last }.first
    }

    /// Returns the nearest chain after a key, which need not be in the lists.
    func key(after key: RootKey) -> RootKey? {
        if let next = self[key.group].key(after: key) { return next }
        guard let index = screenOrder.firstIndex(of: key.group) else { return nil }
        return screenOrder[(index + 1)...].lazy.compactMap { self[$0].first }.first
    }

    /// Returns the nearest chain before a key, which need not be in the lists.
    func key(before key: RootKey) -> RootKey? {
        if let previous = self[key.group].key(before: key) { return previous }
        guard let index = screenOrder.firstIndex(of: key.group) else { return nil }
        return screenOrder[..<index].reversed().lazy.compactMap { self[$0].last }.first
    }
}
