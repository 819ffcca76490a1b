import CChainRuntime
import Synchronization

extension PoolCore {
    /// Counts the worker asleep, where there are more active ones than the pool is wide; false where there are not.
    func retireIfOverWidth(_ worker: PoolWorker) -> Bool {
        parking.withLock {
            guard currentCounts.active > width else { return false }
            uncountBlocked(worker)
            worker.isSleeping = true
            counts.wrappingAdd(PoolCounts.sleeping, ordering: .relaxed)
            return true
        }
    }

    /// Sleeps until there is something to do, as a searcher then; false where the thread is to end. `isSearching` is nil
    /// where the worker is counted asleep already.
    func sleep(_ worker: PoolWorker, isSearching: Bool?) -> Bool {
        if let isSearching {
            parking.withLock {
                uncountBlocked(worker)
                worker.isSleeping = true
                counts.wrappingAdd(PoolCounts.sleeping, ordering: .relaxed)
                if isSearching { counts.wrappingSubtract(PoolCounts.searching, ordering: .relaxed) }
            }
        }
        // Whoever submitted before that may have relied on this one's search.
        if hasWork() { wakeOrSpawn() }
        let deadline = chain_monotonic_ns() &+ policy.idleLimit.clampedNanoseconds
        let (continues, startsWatch) = parking.withLock {
            while parked.wakeTokens == 0 {
                let now = chain_monotonic_ns()
                if parked.isStopped || now >= deadline {
                    retire(worker)
                    return (false, false)
                }
                parking.wait(nanoseconds: deadline - now)
            }
            parked.wakeTokens -= 1
            worker.isSleeping = false
            return (true, watch())
        }
        if startsWatch { BlockMonitor.shared.watch(self) }
        return continues
    }

    /// Gives the place of a sleeper back. Who submits from now on sees that there is one fewer.
    private func retire(_ worker: PoolWorker) {
        counts.wrappingSubtract(PoolCounts.sleeping + PoolCounts.live, ordering: .relaxed)
        worker.isSleeping = false
        worker.isTaken = false
        worker.thread = nil
        worker.isStuck.store(true, ordering: .relaxed)
    }

    /// Ends the threads once nothing is left to do.
    func stop() {
        parking.withLock {
            parked.isStopped = true
            parking.broadcast()
        }
    }

    // MARK: Blocking

    /// Takes the worker out of the active ones, where it is not out yet. Under the lock.
    func countBlocked(_ worker: PoolWorker) {
        if worker.isCountedBlocked { return }
        worker.isCountedBlocked = true
        counts.wrappingAdd(PoolCounts.blocked, ordering: .relaxed)
    }

    /// Takes it back. Under the lock.
    func uncountBlocked(_ worker: PoolWorker) {
        guard worker.isCountedBlocked else { return }
        worker.isCountedBlocked = false
        counts.wrappingSubtract(PoolCounts.blocked, ordering: .relaxed)
    }

    /// Counts the worker of this thread as blocked, which it is about to be. False, and nothing is changed, where it is
    /// the last one that could run jobs, unless that makes no difference to the caller.
    func beginBlocking(_ worker: PoolWorker, evenIfLast: Bool) -> Bool {
        if worker.blockingDepth == 0 {
            let mayBlock = parking.withLock {
                let counts = currentCounts
                // Not those that the watch counts as blocked: what they do may end by itself.
                let othersCount = counts.live - parked.waitingCount - 1
                guard evenIfLast || othersCount > 0 || mayStart(counts) else { return false }
                parked.waitingCount += 1
                worker.isBlocking = true
                countBlocked(worker)
                return true
            }
            guard mayBlock else { return false }
            worker.isStuck.store(true, ordering: .relaxed)
        }
        worker.blockingDepth += 1
        if worker.blockingDepth == 1, hasWork() { wakeOrSpawn() }
        return true
    }

    /// It goes on.
    func endBlocking(_ worker: PoolWorker) {
        worker.blockingDepth -= 1
        if worker.blockingDepth > 0 { return }
        worker.isStuck.store(false, ordering: .relaxed)
        parking.withLock {
            parked.waitingCount -= 1
            worker.isBlocking = false
            uncountBlocked(worker)
        }
    }
}
