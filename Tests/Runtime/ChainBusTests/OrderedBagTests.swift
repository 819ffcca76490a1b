import ChainBus
import Testing

struct OrderedBagTests {
    @Test func b1_membersStayInOrderOfInsertionAfterRemovals() {
        var bag = OrderedBag<Int>()
        var keys = (0..<10).map { bag.insert($0) }
        for gone in [3, 0, 9, 5] { #expect(bag.remove(keys[gone]) == gone) }
        #expect(Array(bag) == [1, 2, 4, 6, 7, 8])
        keys.append(bag.insert(10))
        #expect(Array(bag) == [1, 2, 4, 6, 7, 8, 10])
        #expect(bag.count == 7)
    }

    @Test func b1_aKeyRemovesOnceAndIsNeverReused() {
        var bag = OrderedBag<String>()
        let first = bag.insert("a")
        #expect(bag.remove(first) == "a")
        #expect(bag.remove(first) == nil)
        let second = bag.insert("b")
        #expect(first != second)
        #expect(bag.remove(first) == nil)
        #expect(Array(bag) == ["b"])
    }

    @Test func b1_keysAreNotReusedAfterRemovingAll() {
        var bag = OrderedBag<String>()
        let old = bag.insert("a")
        #expect(Array(bag.removeAll()) == ["a"])
        #expect(bag.isEmpty)
        #expect(bag.insert("b") != old)
        #expect(bag.remove(old) == nil)
    }

    @Test func b1_aCopyDoesNotSeeLaterChanges() {
        var bag = OrderedBag<Int>()
        let key = bag.insert(1)
        let copy = bag
        bag.remove(key)
        bag.insert(2)
        #expect(Array(copy) == [1])
        #expect(Array(bag) == [2])
    }

    @Test func b1_membersCanBeRemovedByAPredicate() {
        var bag = OrderedBag<Int>()
        for number in 0..<10 { bag.insert(number) }
        bag.removeAll(where: { $0.isMultiple(of: 3) })
        #expect(Array(bag) == [1, 2, 4, 5, 7, 8])
    }
}

// SPDX-License-Identifier: MIT
