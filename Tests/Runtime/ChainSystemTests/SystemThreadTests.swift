import ChainSystem
import Foundation
import Testing

struct SystemThreadTests {
    @Test func threadsAreTried() { #expect(SystemThread.canStart(0) && SystemThread.canStart(3)) }

    /// Runs `body` on a thread of the program that blocks some signals, and waits for its end.
    private func onThread(blocking signals: [Int32], _ body: @escaping @Sendable () -> Void) {
        let isOver = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            var mask = sigset_t()
            sigemptyset(&mask)
            for signal in signals { sigaddset(&mask, signal) }
            pthread_sigmask(SIG_SETMASK, &mask, nil)
            body()
            isOver.signal()
        }
        isOver.wait()
    }

    @Test(arguments: [SystemThread.Signals.blocked, .inherited])
    func signalsAreBlockedFromTheStart(_ signals: SystemThread.Signals) {
        let isBlocked = Lock<Bool?>(nil)
        onThread(blocking: []) {
            SystemThread("inner", signals: signals) {
                var mask = sigset_t()
                pthread_sigmask(SIG_SETMASK, nil, &mask)
                // A fault is never blocked, because it has to reach the program's handlers.
                isBlocked.withLock { $0 = sigismember(&mask, SIGTERM) == 1 && sigismember(&mask, SIGSEGV) == 0 }
            }?.join()
        }
        #expect(isBlocked.withLock { $0 } == (signals == .blocked))
    }

    /// Whether the calling thread blocks SIGTERM and SIGUSR1.
    private static var blocked: [Bool] {
        var mask = sigset_t()
        pthread_sigmask(SIG_SETMASK, nil, &mask)
        return [SIGTERM, SIGUSR1].map { sigismember(&mask, $0) == 1 }
    }

    /// A collecting thread, which blocks signals, runs observers and clean-ups of the program.
    @Test func aThreadThatRunsCodeOfTheProgramHasTheProgramsSignalsMeanwhile() {
        let isBlocked = Lock<[Bool]>([])
        @Sendable func note() { isBlocked.withLock { $0 += Self.blocked } }
        onThread(blocking: [SIGUSR1]) {
            SystemThread("ours") {
                SystemThread.runningProgram {
                    SystemThread.runningProgram(note)
                    note()
                }
                note()
            }?.join()
            SystemThread.runningProgram(note)
        }
        #expect(isBlocked.withLock { $0 } == [false, true, false, true, true, true, false, true])
    }

    /// A collecting thread, which blocks signals, starts workers that run handlers of the program.
    @Test func aThreadOfTheProgramThatOursStartsHasTheProgramsSignals() {
        let isBlocked = Lock<[Bool]>([])
        @Sendable func note() { isBlocked.withLock { $0 += Self.blocked } }
        onThread(blocking: [SIGUSR1]) {
            SystemThread("ours") {
                note()
                SystemThread("ours, too") { SystemThread("worker", signals: .inherited, note)?.join() }?.join()
            }?.join()
        }
        #expect(isBlocked.withLock { $0 } == [true, true, false, true])
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

// SPDX-License-Identifier: MIT
