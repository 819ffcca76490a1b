import CChainRuntime

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Gives the processor to another thread.
func threadYield() { sched_yield() }

/// Puts the calling thread to sleep for so long at least, or until a signal comes.
func threadSleep(nanoseconds: Int) {
    var time = timespec(tv_sec: 0, tv_nsec: nanoseconds)
    nanosleep(&time, nil)
}

/// How many processors this process may use, at least 1.
var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

/// Whether the calling thread is the one that the process began with.
var isMainThread: Bool {
    #if canImport(Glibc)
        chain_thread_id() == UInt32(bitPattern: getpid())
    #else
        pthread_main_np() != 0
    #endif
}

/// Starts a detached thread of ours; false where the system has no more.
func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
    final class Start {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    let start = Unmanaged.passRetained(Start(body))
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    #if canImport(Glibc)
        var thread = pthread_t()
        let code = pthread_create(
            &thread, &attributes,
            { pointer in
                Unmanaged<Start>.fromOpaque(pointer!).takeRetainedValue().body()
                return nil
            }, start.toOpaque())
    #else
        var thread: pthread_t?
        let code = pthread_create(
            &thread, &attributes,
            { pointer in
                Unmanaged<Start>.fromOpaque(pointer).takeRetainedValue().body()
                return nil
            }, start.toOpaque())
    #endif
    if code != 0 { start.release() }
    return code == 0
}

/// Takes and waits on a POSIX condition; a lock that can be slept on.
final class Condition: @unchecked Sendable {
    // Sendable: both are POSIX objects made to be shared, at fixed addresses for as long as this object lives.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
        pthread_mutex_init(mutex, nil)
        #if canImport(Glibc)
            var attributes = pthread_condattr_t()
            pthread_condattr_init(&attributes)
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            pthread_cond_init(condition, &attributes)
            pthread_condattr_destroy(&attributes)
        #else
            pthread_cond_init(condition, nil)
        #endif
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body()
    }

    /// Gives the lock back until signalled; call it with the lock held, in a loop.
    func wait() { pthread_cond_wait(condition, mutex) }

    /// As ``wait()``, for so many nanoseconds at most.
    func wait(nanoseconds: UInt64) {
        #if canImport(Glibc)
            var limit = timespec()
            clock_gettime(CLOCK_MONOTONIC, &limit)
            let total = UInt64(limit.tv_nsec) &+ min(nanoseconds, 1 << 60)
            limit.tv_sec += Int(total / 1_000_000_000)
            limit.tv_nsec = Int(total % 1_000_000_000)
            pthread_cond_timedwait(condition, mutex, &limit)
        #else
            var relative = timespec(
                tv_sec: Int(min(nanoseconds, 1 << 60) / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
            pthread_cond_timedwait_relative_np(condition, mutex, &relative)
        #endif
    }

    func signal() { pthread_cond_signal(condition) }
    func broadcast() { pthread_cond_broadcast(condition) }
}
