import ChainModel
import Testing

@testable import ChainRows

/// Rows out of the lists of long chains are those of a walk over the whole chain, row by row and with all their marks,
/// whatever happens to the chain.
@Suite struct LongChainTests {
    @Test(arguments: 1...12) func rowsAreThoseOfAWalk(_ seed: Int) throws {
        var world = ChainWorld(seed)
        for step in 0..<120 {
            try world.step()
            world.check("seed \(seed), step \(step)")
        }
    }

    @Test func aListIsReadInSlicesWhileTheChainGrows() {
        var world = ChainWorld(1)
        world.rowModel = RowModel(longFrom: 50, chunkLimit: 16)
        world.grow(2_000)
        let root = world.forest.roots.first!
        _ = world.forest.consumeChanges()
        world.rowModel.rebuild(from: world.forest, now: 0)
        let list = world.rowModel.lists.addList(of: root)
        world.rowModel.unfinishedLists.append(list)
        var steps = 0
        while world.rowModel.hasWork {
            steps += 1
            world.grow(5)
            world.follow()
            _ = world.rowModel.work(in: world.forest, now: 0, budget: 500)
            #expect(world.rowModel.list(ofLong: root, in: world.forest) == list)
        }
        #expect(steps > 20)
        world.check("read")
    }

    @Test func oneParentOfManyFoldsAndUnfoldsWithoutAWalk() {
        var world = ChainWorld(2)
        world.rowModel = RowModel()
        world.make(3_000, under: world.hang())
        world.follow()
        world.check("made")
        let parent = world.forest.firstChild(of: world.forest.roots.first!)!
        let whole = world.rowModel.rowCount
        world.rowModel.fold(parent, true, in: world.forest)
        world.check("folded")
        #expect(world.rowModel.rowCount == whole - 3_000)
        // Chunks say it of all their entries: next to none of them was touched.
        let settled = world.rowModel.lists.chunks.count { chunk in chunk.entries.contains { $0.folds > 0 } }
        #expect(settled <= 2)
        world.make(10, under: parent)
        world.follow()
        world.rowModel.fold(parent, false, in: world.forest)
        world.check("unfolded")
        #expect(world.rowModel.rowCount == whole + 10)
    }
}
