import ChainSystem
import Foundation
import Testing

struct SystemThreadTests {
    @Test(arguments: [SystemThread.Signals.blocked, .inherited])
    func signalsAreBlockedFromTheStart(_ signals: SystemThread.Signals) throws {
        let isBlocked = Lock<Bool?>(nil)
        let outer = try #require(
            SystemThread("outer") {
                var none = sigset_t()
                sigemptyset(&none)
                pthread_sigmask(SIG_SETMASK, &none, nil)
                SystemThread("inner", signals: signals) {
                    var mask = sigset_t()
                    pthread_sigmask(SIG_SETMASK, nil, &mask)
                    // A fault is never blocked, because it has to reach the program's handlers.
                    isBlocked.withLock { $0 = sigismember(&mask, SIGTERM) == 1 && sigismember(&mask, SIGSEGV) == 0 }
                }?.join()
            })
        outer.join()
        #expect(isBlocked.withLock { $0 } == (signals == .blocked))
    }

    @Test func isCurrentIsTrueOnTheThreadItselfOnly() throws {
        let handle = Lock<SystemThread?>(nil)
        let results = Lock<[Bool]>([])
        let isSet = DispatchSemaphore(value: 0)
        let thread = try #require(
            SystemThread("self") {
                isSet.wait()
                let isCurrent = handle.withLock { $0?.isCurrent }
                results.withLock { $0 += [isCurrent == true, SystemThread.isMain] }
            })
        handle.withLock { $0 = thread }
        #expect(!thread.isCurrent)
        isSet.signal()
        thread.join()
        #expect(results.withLock { $0 } == [true, false])
    }

    @Test func aJoinOnTheThreadItselfReturns() {
        let hasJoined = DispatchSemaphore(value: 0)
        let handle = Lock<SystemThread?>(nil)
        let isSet = DispatchSemaphore(value: 0)
        let thread = SystemThread("joins itself") {
            isSet.wait()
            handle.withLock { $0.take() }?.join()
            hasJoined.signal()
        }
        handle.withLock { $0 = thread }
        isSet.signal()
        hasJoined.wait()
        #expect(SystemThread.processorCount >= 1)
    }
}
