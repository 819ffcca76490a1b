#if TSAN
    #if canImport(Darwin)
        import Darwin
    #else
        import Glibc
    #endif

    // ThreadSanitizer does not see the hand-over inside `Synchronization.Mutex` and reports races that are none; it
    // knows pthread's.
    //
    // Sendable: `value` is only touched between lock and unlock of `mutex`; both pointers never change.
    @usableFromInline
    struct Lock<Value>: ~Copyable, @unchecked Sendable {
        @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
        @usableFromInline let value: UnsafeMutablePointer<Value>

        @usableFromInline
        init(_ initial: consuming sending Value) {
            mutex = .allocate(capacity: 1)
            pthread_mutex_init(mutex, nil)
            value = .allocate(capacity: 1)
            value.initialize(to: initial)
        }

        deinit {
            value.deinitialize(count: 1)
            value.deallocate()
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
        }

        @usableFromInline
        borrowing func withLock<Result>(_ body: (inout sending Value) -> sending Result) -> sending Result {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return body(&value.pointee)
        }
    }
#else
    import Synchronization

    /// A lock and what it protects.
    @usableFromInline
    struct Lock<Value>: ~Copyable, Sendable {
        @usableFromInline let mutex: Mutex<Value>

        @inlinable
        init(_ initial: consuming sending Value) { mutex = Mutex(initial) }

        @inlinable
        borrowing func withLock<Result>(_ body: (inout sending Value) -> sending Result) -> sending Result {
            mutex.withLock(body)
        }
    }
#endif
