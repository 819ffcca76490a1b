#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A thread that takes no signals. Sendable: a handle is a number (on Linux) or a pointer that is never followed.
struct LoopThread: @unchecked Sendable {
    // Sendable: only handed to pthread functions, which any thread may call.
    private let handle: pthread_t

    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Runs `body` on a new thread, which ends with it. Has to be joined once.
    init(_ body: @escaping @Sendable () -> Void) throws(AttachError) {
        var (all, before) = (sigset_t(), sigset_t())
        sigfillset(&all)
        // Inherited by the thread: signals are for the program's own.
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        let context = Unmanaged.passRetained(Work(body))
        #if canImport(Glibc)
            var started = pthread_t()
            let code = pthread_create(
                &started, nil,
                { context in
                    Unmanaged<Work>.fromOpaque(context!).takeRetainedValue().body()
                    return nil
                }, context.toOpaque())
            guard code == 0 else {
                context.release()
                throw AttachError.system("start a thread", code: code)
            }
            handle = started
        #else
            var started: pthread_t?
            let code = pthread_create(
                &started, nil,
                { context in
                    Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
                    return nil
                }, context.toOpaque())
            guard code == 0, let started else {
                context.release()
                throw AttachError.system("start a thread", code: code)
            }
            handle = started
        #endif
    }

    /// Waits for the thread's end; called on the thread itself, it only lets it end.
    func join() {
        if pthread_equal(handle, pthread_self()) != 0 { pthread_detach(handle) } else { pthread_join(handle, nil) }
    }
}
