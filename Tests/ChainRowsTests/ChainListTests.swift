import SeededNumbers
import Testing

@testable import ChainRows

@Suite struct ChainListTests {
    /// Random changes give the list of a sorted array.
    @Test(arguments: [1, 2, 3] as [UInt64], [40, 3_000])
    func equalsASortedArray(_ seed: UInt64, _ size: Int) {
        var random = SeededGenerator(seed: seed)
        var list = ChainList()
        var lines: [ChainList.Line] = []
        for step in 0..<size * 6 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0..<4 where lines.count < size:
                // New chains come before all others, as in the usual order, or anywhere.
                let rank = Bool.random(using: &random) ? UInt64(size * 6 - step) : .random(in: 0..<9, using: &random)
                let rows = UInt32.random(in: 0..<4, using: &random)
                let line = ChainList.Line(key: .init(rank: rank, id: UInt64(step)), slot: UInt32(step), rows: rows)
                list.insert(line)
                lines.insert(line, at: lines.firstIndex { line.key < $0.key } ?? lines.count)
            case 4, 5:
                guard let index = lines.indices.randomElement(using: &random) else { continue }
                lines[index].rows = .random(in: 0..<90_000, using: &random)
                let isSet = list.setRows(Int(lines[index].rows), of: lines[index].key)
                #expect(isSet)
            default:
                guard let index = lines.indices.randomElement(using: &random) else { continue }
                let removed = lines.remove(at: index)
                let didRemove = list.remove(removed.key)
                let again = list.remove(removed.key)
                #expect(didRemove && !again)
            }
            if step.isMultiple(of: size / 4) { check(list, lines, &random) }
        }
        check(list, lines, &random)
        for line in lines { list.remove(line.key) }
        #expect(list.count == 0 && list.rowCount == 0 && list.first == nil && list.last == nil)
    }

    private func check(_ list: ChainList, _ lines: [ChainList.Line], _ random: inout SeededGenerator) {
        #expect(list.count == lines.count)
        #expect(list.rowCount == lines.reduce(0) { $0 + Int($1.rows) })
        var keys: [ChainList.Key] = []
        var place = list.lowerBound(ChainList.Key(rank: 0, id: 0))
        // Chunks without rows are passed over, so only lines with rows are sure to come.
        while let current = place {
            keys.append(list[current].key)
            place = list.next(after: current)
        }
        #expect(keys == keys.sorted())
        let passed = Set(keys.map(\.id))
        #expect(lines.allSatisfy { $0.rows == 0 || passed.contains($0.key.id) })
        var row = 0
        for (index, line) in lines.enumerated() {
            #expect(list.rows(of: line.key) == Int(line.rows) && list.row(of: line.key) == row)
            if line.rows > 0 {
                let offset = Int.random(in: 0..<Int(line.rows), using: &random)
                let found = list.select(row: row + offset)
                #expect(found.map { list[$0.place].key } == line.key && found?.offset == offset)
            }
            row += Int(line.rows)
            let before = list.last(before: line.key)
            #expect(before.map { list[$0].key } == (index == 0 ? nil : lines[index - 1].key))
            let bound = list.lowerBound(line.key)
            #expect(bound.map { list[$0].key } == line.key)
        }
        #expect(list.select(row: row) == nil && list.select(row: -1) == nil)
        #expect(list.rows(of: ChainList.Key(rank: .max, id: 0)) == nil)
    }
}

// SPDX-License-Identifier: MIT
