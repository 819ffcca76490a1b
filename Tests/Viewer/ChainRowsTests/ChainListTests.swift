import SeededNumbers
import Testing

@testable import ChainRows

@Suite struct ChainListTests {
    private struct Line: Equatable {
        var key: ChainList.Key
        var rows: RowCounts
    }

    /// Random changes give the list of a sorted array.
    @Test(arguments: [1, 2, 3] as [UInt64], [40, 3_000])
    func equalsASortedArray(_ seed: UInt64, _ size: Int) {
        var random = SeededGenerator(seed: seed)
        var list = ChainList()
        var lines: [Line] = []
        for step in 0..<size * 6 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0..<4 where lines.count < size:
                // New chains come before all others, as in the usual order, or anywhere.
                let rank = Bool.random(using: &random) ? UInt64(size * 6 - step) : .random(in: 0..<9, using: &random)
                let rows = RowCounts(.random(in: 0..<4, using: &random), max(0, .random(in: -30..<4, using: &random)))
                let line = Line(key: .init(rank: rank, id: UInt64(step)), rows: rows)
                list.insert(ChainList.Line(key: line.key, slot: UInt32(step), rows: rows))
                lines.insert(line, at: lines.firstIndex { line.key < $0.key } ?? lines.count)
            case 4, 5:
                guard let index = lines.indices.randomElement(using: &random) else { continue }
                let isFiltered = Bool.random(using: &random)
                lines[index].rows[isFiltered] = .random(in: 0..<90_000, using: &random)
                list.setRows(lines[index].rows[isFiltered], isFiltered: isFiltered, of: lines[index].key)
            default:
                guard let index = lines.indices.randomElement(using: &random) else { continue }
                let removed = lines.remove(at: index)
                let line = list.remove(removed.key)
                let again = list.remove(removed.key)
                #expect(line?.rows == removed.rows && again == nil)
            }
            if step.isMultiple(of: size / 3) {
                list.forgetMatches()
                for index in lines.indices { lines[index].rows[true] = 0 }
            }
            if step.isMultiple(of: size / 4) { check(list, lines, &random) }
        }
        check(list, lines, &random)
        for line in lines { list.remove(line.key) }
        #expect(list.rows == RowCounts() && list.nearest(to: nil, forward: true, isFiltered: false) == nil)
    }

    private func check(_ list: ChainList, _ lines: [Line], _ random: inout SeededGenerator) {
        #expect(list.rows == lines.reduce(into: RowCounts()) { $0 &+= $1.rows })
        for isFiltered in [false, true] {
            let shown = lines.filter { !isFiltered || $0.rows[true] > 0 }
            let near = { list.nearest(to: $0, forward: $1, isFiltered: isFiltered)?.key }
            #expect(near(nil, true) == shown.first?.key && near(nil, false) == shown.last?.key)
            for (index, line) in shown.enumerated() {
                #expect(near(line.key, true) == shown.dropFirst(index + 1).first?.key)
                #expect(near(line.key, false) == (index == 0 ? nil : shown[index - 1].key))
            }
            var row = 0
            for line in lines {
                let count = line.rows[isFiltered]
                #expect(list.rows(of: line.key) == line.rows && list.row(of: line.key, isFiltered: isFiltered) == row)
                if count > 0 {
                    let offset = Int.random(in: 0..<count, using: &random)
                    let found = list.select(row: row + offset, isFiltered: isFiltered)
                    #expect(found?.line.key == line.key && found?.offset == offset)
                }
                row += count
            }
            #expect(list.select(row: row, isFiltered: isFiltered) == nil)
        }
        #expect(list.select(row: -1, isFiltered: false) == nil)
        #expect(list.rows(of: ChainList.Key(rank: .max, id: 0)) == nil)
    }
}

// SPDX-License-Identifier: MIT
