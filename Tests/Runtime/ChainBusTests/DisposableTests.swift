import ChainBus
import Testing

struct DisposableTests {
    @Test func b1_anActionRunsOnceAlthoughSeveralThreadsDispose() throws {
        let log = Log<Int>()
        let disposable = AnyDisposable { log.add(1) }
        try onThreads(4) { _ in for _ in 0..<100 { disposable.dispose() } }
        #expect(log.entries == [1])
    }

    @Test func b1_anActionIsReleasedAfterItRan() {
        let log = Log<String>()
        let canary = Canary { log.add("released") }
        let disposable = AnyDisposable { [canary] in log.add("ran \(type(of: canary))") }
        _ = consume canary
        disposable.dispose()
        #expect(log.entries == ["ran Canary", "released"])
    }

    @Test func b1_anActionMayDisposeOfItself() {
        let log = Log<Int>()
        let box = Box<AnyDisposable?>(nil)
        box.value = AnyDisposable {
            log.add(1)
            box.value?.dispose()
        }
        box.value?.dispose()
        #expect(log.entries == [1])
        box.value = nil
    }

    @Test func b1_aBagDisposesInOrderWhenReleased() {
        let log = Log<Int>()
        var bag: DisposeBag? = DisposeBag()
        for number in 1...3 { bag.map { AnyDisposable { log.add(number) }.disposed(by: $0) } }
        #expect(log.entries == [])
        bag = nil
        #expect(log.entries == [1, 2, 3])
    }

    @Test func b1_aDisposedBagDisposesWhatIsPutInAtOnce() {
        let log = Log<Int>()
        let bag = DisposeBag()
        bag.insert(AnyDisposable { log.add(1) })
        bag.dispose()
        bag.dispose()
        bag.insert(AnyDisposable { log.add(2) })
        #expect(log.entries == [1, 2])
    }

    @Test func b1_aBagMayBeFilledAndDisposedFromManyThreads() throws {
        let log = Log<Int>()
        let bag = DisposeBag()
        try onThreads(4) { index in
            for number in 0..<200 {
                bag.insert(AnyDisposable { log.add(index * 200 + number) })
                if index == 3, number == 100 { bag.dispose() }
            }
        }
        #expect(log.entries.sorted() == Array(0..<800))
    }

    @Test func b1_aBagMayBeChangedByWhatItDisposesOf() {
        let log = Log<Int>()
        let bag = DisposeBag()
        bag.insert(
            AnyDisposable {
                log.add(1)
                bag.insert(AnyDisposable { log.add(2) })
                bag.dispose()
            })
        bag.insert(AnyDisposable { log.add(3) })
        bag.dispose()
        #expect(log.entries == [1, 2, 3])
    }
}

// SPDX-License-Identifier: MIT
