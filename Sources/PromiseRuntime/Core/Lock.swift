#if TSAN
    #if canImport(Glibc)
        import Glibc
    #else
        import Darwin
    #endif

    /// A lock that ThreadSanitizer understands; it does not see what C does inline.
    final class Lock<State>: @unchecked Sendable {
        // Sendable: `state` is reached only between lock and unlock of `mutex`.
        private let mutex: UnsafeMutablePointer<pthread_mutex_t>
        private var state: State

        init(_ state: State) {
            mutex = .allocate(capacity: 1)
            mutex.initialize(to: pthread_mutex_t())
            pthread_mutex_init(mutex, nil)
            self.state = state
        }

        deinit {
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
        }

        func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return try body(&state)
        }

        func lockForFork() { pthread_mutex_lock(mutex) }
        func unlockAfterFork() { pthread_mutex_unlock(mutex) }
        func whileForking<Result>(_ body: (inout State) -> Result) -> Result { body(&state) }
        func leak() { _ = Unmanaged.passRetained(self) }
    }
#else
    import CChainRuntime

    /// A lock around the state that it protects. Not `Synchronization.Mutex`, which does not survive a fork: see
    /// `chain_lock`.
    struct Lock<State>: @unchecked Sendable {
        // Sendable: the state is reached only while the lock is held. The lock lies behind the state in one object, since
        // it must not move.
        private let buffer: ManagedBuffer<State, chain_lock>

        init(_ state: State) {
            buffer = .create(minimumCapacity: 1) { buffer in
                buffer.withUnsafeMutablePointerToElements { $0.initialize(to: chain_lock()) }
                return state
            }
        }

        @inline(__always)
        func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
            try buffer.withUnsafeMutablePointers { state, lock in
                chain_lock_take(lock)
                defer { chain_lock_give(lock) }
                return try body(&state.pointee)
            }
        }

        /// Locks on the thread that is about to fork.
        func lockForFork() { buffer.withUnsafeMutablePointerToElements { chain_lock_take($0) } }

        /// Unlocks on that thread, in the parent and in the child.
        func unlockAfterFork() { buffer.withUnsafeMutablePointerToElements { chain_lock_give($0) } }

        /// Reaches the state between the two.
        func whileForking<Result>(_ body: (inout State) -> Result) -> Result {
            buffer.withUnsafeMutablePointerToHeader { body(&$0.pointee) }
        }

        /// Keeps the state for ever: in a child of a fork, where a thread of the parent may have been changing it.
        func leak() { _ = Unmanaged.passRetained(buffer) }
    }
#endif
