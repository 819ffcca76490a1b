// SPDX-License-Identifier: MIT

import CChainRuntime
import Synchronization

extension PoolCore {
    /// Counts the worker as sleeping if more workers are active than the pool's width; otherwise returns false.
    func countAsSleepingIfOverWidth(_ worker: PoolWorker) -> Bool {
        parking.withLock {
            guard currentCounts.active > width else { return false }
            uncountBlocked(worker)
            worker.isSleeping = true
            counts.wrappingAdd(PoolCounts.sleeping, ordering: .relaxed)
            return true
        }
    }

    /// Sleeps until the worker is woken; the waker counts the worker as searching. Returns false if the thread is to
    /// end. `isSearching` is nil if the worker is counted as sleeping already.
    func sleep(_ worker: PoolWorker, isSearching: Bool?) -> Bool {
        if let isSearching {
            parking.withLock {
                uncountBlocked(worker)
                worker.isSleeping = true
                counts.wrappingAdd(PoolCounts.sleeping, ordering: .relaxed)
                if isSearching { counts.wrappingSubtract(PoolCounts.searching, ordering: .relaxed) }
            }
        }
        // Until this worker was counted as sleeping, a submitter may have relied on its search.
        if hasWork() { wakeOrSpawn() }
        let deadline = chain_monotonic_ns() &+ policy.idleLimit.clampedNanoseconds
        let (continues, startsWatch) = parking.withLock {
            while parkingState.wakeTokens == 0 {
                let now = chain_monotonic_ns()
                if parkingState.isStopped || now >= deadline {
                    retire(worker)
                    return (false, false)
                }
                parking.wait(nanoseconds: deadline - now)
            }
            parkingState.wakeTokens -= 1
            worker.isSleeping = false
            return (true, watch())
        }
        if startsWatch { BlockMonitor.shared.watch(self) }
        return continues
    }

    /// Retires a sleeping worker. Later submitters see one thread fewer.
    private func retire(_ worker: PoolWorker) {
        counts.wrappingSubtract(PoolCounts.sleeping + PoolCounts.live, ordering: .relaxed)
        worker.isSleeping = false
        worker.isTaken = false
        worker.thread = nil
        worker.isLastJobStealable.store(true, ordering: .relaxed)
    }

    /// Ends the threads once no job is left.
    func stop() {
        parking.withLock {
            parkingState.isStopped = true
            parking.broadcast()
        }
    }

    // MARK: Blocking

    /// Counts the worker as blocked, unless it is counted already. Called under the pool's lock.
    func countBlocked(_ worker: PoolWorker) {
        if worker.isCountedBlocked { return }
        worker.isCountedBlocked = true
        counts.wrappingAdd(PoolCounts.blocked, ordering: .relaxed)
    }

    /// Counts the worker as active again, if it was counted as blocked. Called under the pool's lock.
    func uncountBlocked(_ worker: PoolWorker) {
        guard worker.isCountedBlocked else { return }
        worker.isCountedBlocked = false
        counts.wrappingSubtract(PoolCounts.blocked, ordering: .relaxed)
    }

    /// Counts this thread's worker as blocked, because it is about to block. If it is the last worker that could run
    /// jobs, and `evenIfLast` is false, returns false and changes nothing.
    func beginBlocking(_ worker: PoolWorker, evenIfLast: Bool) -> Bool {
        if worker.blockingDepth == 0 {
            let mayBlock = parking.withLock {
                let counts = currentCounts
                // Workers that only the watch (``BlockMonitor``) found blocked are not subtracted, because they may
                // resume by themselves.
                let othersCount = counts.live - parkingState.waitingCount - 1
                guard evenIfLast || othersCount > 0 || mayStart(counts) else { return false }
                parkingState.waitingCount += 1
                worker.isBlocking = true
                countBlocked(worker)
                return true
            }
            guard mayBlock else { return false }
            worker.isLastJobStealable.store(true, ordering: .relaxed)
        }
        worker.blockingDepth += 1
        if worker.blockingDepth == 1, hasWork() {
            wakeOrSpawn()
            // The system may have had no thread for those jobs.
            if !evenIfLast, parking.withLock({ isStarved }) {
                endBlocking(worker)
                return false
            }
        }
        return true
    }

    /// Whether all threads wait inside handlers, and no other thread can be started. Called under the pool's lock.
    private var isStarved: Bool {
        let counts = currentCounts
        return counts.live <= parkingState.waitingCount && !mayStart(counts)
    }

    /// Ends the blocking that ``beginBlocking(_:evenIfLast:)`` began. At the end of the outermost of nested calls,
    /// counts this thread's worker as active again.
    func endBlocking(_ worker: PoolWorker) {
        worker.blockingDepth -= 1
        if worker.blockingDepth > 0 { return }
        worker.isLastJobStealable.store(false, ordering: .relaxed)
        parking.withLock {
            parkingState.waitingCount -= 1
            worker.isBlocking = false
            uncountBlocked(worker)
        }
    }
}
