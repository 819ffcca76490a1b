import ChainModel
import Testing

@testable import ChainRows

/// The rows of long chains are those of a walk over the whole chain, with all their flags, after any event.
@Suite struct LongChainTests {
    @Test(arguments: 1...12) func rowsAreThoseOfAWalk(_ seed: Int) throws {
        var world = ChainWorld(seed)
        for step in 0..<120 {
            try world.step()
            world.check("seed \(seed), step \(step)")
        }
    }

    /// A very long chain is walked in slices while it grows. Its old rows are shown meanwhile, and after a rest the new.
    @Test func aVeryLongChainIsWalkedInSlices() {
        var world = ChainWorld(1)
        world.outline = Outline()
        world.grow(WalkedChains.wholeLimit * 3)
        world.updateRows()
        let root = world.forest.roots.first!
        let length = world.forest.nodeCount(ofRoot: root)
        _ = world.outline.tick(in: world.forest, now: 0, wall: 0, isClockStopped: false)
        var slices = 0
        while world.outline.hasWork(.reading), slices < 100 {
            _ = world.outline.work(.reading, in: world.forest, now: 0, divisor: 1)
            slices += 1
        }
        #expect(slices >= 2 && slices < 100)
        world.check("walked")
        world.grow(50)
        world.updateRows()
        #expect(world.outline.rowCount(ofChain: root, in: world.forest) == length)
        #expect(!world.outline.hasWork(.reading), "it rests")
        let rest = UInt64(length) * WalkedChains.restPerNode
        _ = world.outline.tick(in: world.forest, now: 0, wall: rest, isClockStopped: false)
        while world.outline.hasWork(.reading) {
            world.grow(5)
            world.updateRows()
            _ = world.outline.work(.reading, in: world.forest, now: 0, divisor: 1)
        }
        #expect(world.outline.rowCount(ofChain: root, in: world.forest)! >= length + 50)
    }

    @Test func aParentOfManyFoldsAndUnfolds() {
        var world = ChainWorld(2)
        world.outline = Outline()
        world.make(3_000, under: world.makeRootAndChild())
        world.updateRows()
        world.check("made, and folded by itself")
        let parent = world.forest.firstChild(of: world.forest.roots.first!)!
        let folded = world.outline.rowCount
        world.outline.fold(parent, false, in: world.forest)
        world.check("unfolded")
        #expect(world.outline.rowCount == folded + 3_000)
        world.make(10, under: parent)
        world.updateRows()
        world.check("more")
        #expect(world.outline.rowCount == folded + 3_010)
        world.outline.fold(parent, true, in: world.forest)
        world.check("folded")
        #expect(world.outline.rowCount == folded)
    }
}

// SPDX-License-Identifier: MIT
