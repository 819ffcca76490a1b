#if TSAN
    #if canImport(Glibc)
        import Glibc
    #else
        import Darwin
    #endif

    /// A lock that ThreadSanitizer understands; `Synchronization.Mutex` gives it false positives when contended.
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
    }
#else
    import Synchronization

    /// A lock around the state that it protects.
    final class Lock<State>: @unchecked Sendable {
        // Sendable: `state` is reached only while `mutex` is held.
        private let mutex = Mutex<Void>(())
        private var state: State

        init(_ state: State) { self.state = state }

        @inline(__always)
        func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
            try mutex.withLock { _ in try body(&state) }
        }
    }
#endif
