#if TSAN
    #if canImport(Darwin)
        import Darwin
    #else
        import Glibc
    #endif
#else
    import Synchronization
#endif

/// A value that one thread at a time may touch. No code of others is ever called inside (RUNTIME S4).
///
/// Under ThreadSanitizer it is a pthread mutex, which the tool understands; `Synchronization.Mutex` it does not.
final class Lock<Value>: @unchecked Sendable {
    // Sendable: `value` is touched between lock and unlock alone.
    private var value: Value
    #if TSAN
        private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    #else
        private let mutex = Mutex<Void>(())
    #endif

    init(_ value: Value) {
        self.value = value
        #if TSAN
            pthread_mutex_init(mutex, nil)
        #endif
    }

    #if TSAN
        deinit {
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
        }
    #endif

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        #if TSAN
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
        #else
            mutex._unsafeLock()
            defer { mutex._unsafeUnlock() }
        #endif
        return try body(&value)
    }
}
