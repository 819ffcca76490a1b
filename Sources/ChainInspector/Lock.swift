#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A value that one thread at a time may touch. No code of others is ever called inside (TheRules, S4).
///
/// A pthread mutex, not `Synchronization.Mutex`: that one keeps the thread's number, which on Linux a child of the
/// process has inherited from its parent, and ends the child once an inspector of the child's own wants the lock, too.
final class Lock<Value>: @unchecked Sendable {
    // Sendable: `value` is touched between lock and unlock alone.
    private var value: Value
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    init(_ value: Value) {
        self.value = value
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
