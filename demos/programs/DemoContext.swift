import PromiseRuntime
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What a demo runs with: a runtime, arguments, random numbers by a seed, and a pace.
public final class DemoContext: Sendable {
    /// The runtime of the demo's promises.
    public let runtime: ChainRuntime
    /// The arguments after the demo's name on the command line.
    public let arguments: [String]
    private let seed: UInt64
    private let speed: Double
    private let isClosed = Atomic(false)
    private let isRepeating = Atomic(false)

    /// Makes a context.
    ///
    /// - Parameters:
    ///   - seed: The same seed makes the same decisions.
    ///   - speed: How much faster than its own pace the demo runs; above 0.
    public init(runtime: ChainRuntime = .shared, seed: UInt64 = 1, speed: Double = 1, arguments: [String] = []) {
        precondition(speed > 0, "the speed of a demo is above 0, not \(speed)")
        self.runtime = runtime
        self.seed = seed
        self.speed = speed
        self.arguments = arguments
    }

    /// Whether the demo makes new chains until it is closed. Otherwise it is over once all its chains have settled.
    public var repeats: Bool { isRepeating.load(ordering: .relaxed) }

    /// Stops ``every(_:_:)``. Promises that are pending go on.
    public func close() { isClosed.store(true, ordering: .relaxed) }

    /// Returns the random numbers of one part of the demo. They do not depend on what other parts do.
    func random(_ part: Int) -> SeededRandom {
        SeededRandom(seed: seed &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(bitPattern: Int64(part)))
    }

    /// Converts seconds at the demo's own pace to the runtime's time, to the microsecond.
    func paced(_ seconds: Double) -> Duration { .microseconds(Int64((seconds / speed * 1e6).rounded())) }

    /// Whether time passes by itself. It does not in tests, where one thread runs everything and a run is exact.
    var isRealTime: Bool { runtime.clock.followsCycleCounter }

    /// Returns a pool of threads; under a virtual clock the runtime's executor.
    func pool(_ name: String, width: Int) -> any PromiseExecutor {
        isRealTime ? PoolExecutor(name: name, width: width) : runtime.executor
    }

    /// Returns an executor of one thread; under a virtual clock the runtime's executor.
    func thread(_ name: String) -> any PromiseExecutor {
        isRealTime ? ThreadExecutor(name: name, limit: 1) : runtime.executor
    }

    /// Returns a promise that is fulfilled after some seconds. No thread waits.
    func pause(
        _ seconds: Double, label: String = "", file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<Void> {
        .delay(paced(seconds), label: label, file: file, line: line)
    }

    /// Calls `body` at once, and again after each interval, with 1, 2, 3 and so on, until the context is closed. The
    /// promises that `body` makes are roots, because no handler calls it.
    func every(_ seconds: Double, _ body: @escaping @Sendable (Int) -> Void) {
        isRepeating.store(true, ordering: .relaxed)
        tick(1, seconds, body)
    }

    private func tick(_ number: Int, _ seconds: Double, _ body: @escaping @Sendable (Int) -> Void) {
        guard !isClosed.load(ordering: .relaxed) else { return }
        runtime.run { body(number) }
        _ = runtime.clock.schedule(after: max(.nanoseconds(1), paced(seconds))) { [self] in
            tick(number + 1, seconds, body)
        }
    }

    /// Blocks the calling thread for some seconds, as a slow library would; under a virtual clock it returns at once.
    ///
    /// - Throws: ``Stopped`` soon after the handler that called it was cancelled.
    func block(_ seconds: Double) throws {
        guard isRealTime else { return }
        let end = runtime.clock.now.advanced(by: .seconds(seconds / speed))
        while runtime.clock.now < end {
            if ChainRuntime.isCancelled { throw Stopped() }
            usleep(2_000)
        }
    }

    /// The error of work that noticed its cancellation.
    struct Stopped: Error, CustomStringConvertible {
        var description: String { "stopped half-way" }
    }
}

// SPDX-License-Identifier: MIT
