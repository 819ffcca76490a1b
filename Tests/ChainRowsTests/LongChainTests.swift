import ChainModel
import Testing

@testable import ChainRows

/// The lists of long chains give the rows of a walk over the whole chain, with all their flags, after any event.
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
        world.rowModel = RowModel(walkLimit: 50, chunkLimit: 16)
        world.grow(2_000)
        let root = world.forest.roots.first!
        _ = world.forest.consumeChanges()
        world.rowModel.rebuild(from: world.forest, now: 0)
        let list = world.rowModel.longChains.addList(of: root)
        world.rowModel.unfinishedLists.append(list)
        var steps = 0
        while world.rowModel.hasWork {
            steps += 1
            world.grow(5)
            world.updateRows()
            _ = world.rowModel.work(in: world.forest, now: 0, budget: 500)
            #expect(world.rowModel.list(ofLong: root, in: world.forest) == list)
        }
        #expect(steps > 20)
        world.check("read")
    }

    @Test func oneParentOfManyFoldsAndUnfoldsWithoutAWalk() {
        var world = ChainWorld(2)
        world.rowModel = RowModel()
        world.make(3_000, under: world.makeRootAndChild())
        world.updateRows()
        world.check("made")
        let parent = world.forest.firstChild(of: world.forest.roots.first!)!
        let whole = world.rowModel.rowCount
        world.rowModel.fold(parent, true, in: world.forest)
        world.check("folded")
        #expect(world.rowModel.rowCount == whole - 3_000)
        // A fold is noted for whole chunks, so the entries of nearly all chunks are untouched.
        let touched = world.rowModel.longChains.chunks.count { chunk in chunk.entries.contains { $0.folds > 0 } }
        #expect(touched <= 2)
        world.make(10, under: parent)
        world.updateRows()
        world.rowModel.fold(parent, false, in: world.forest)
        world.check("unfolded")
        #expect(world.rowModel.rowCount == whole + 10)
    }
}
