import PromiseRuntime
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What a story is given: a runtime, dice that fall the same way for the same seed, and a say over its pace.
public final class DemoContext: Sendable {
    /// The runtime that the story's promises live in.
    public let runtime: ChainRuntime
    /// Words after the story's name on the command line.
    public let arguments: [String]
    private let seed: UInt64
    private let speed: Double
    private let isClosed = Atomic(false)

    /// Sets a stage.
    ///
    /// - Parameters:
    ///   - seed: The same seed makes the same decisions.
    ///   - speed: How much faster than by itself the story goes; above 0.
    public init(runtime: ChainRuntime = .shared, seed: UInt64 = 1, speed: Double = 1, arguments: [String] = []) {
        precondition(speed > 0, "a story's speed is above 0, not \(speed)")
        self.runtime = runtime
        self.seed = seed
        self.speed = speed
        self.arguments = arguments
    }

    /// Ends what ``every(_:_:)`` began. Promises that are under way go on.
    public func close() { isClosed.store(true, ordering: .relaxed) }

    /// Dice of their own for one part of the story, so that its decisions do not hang on what else happens meanwhile.
    func dice(_ part: Int) -> SeededRandom {
        SeededRandom(seed: seed &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(bitPattern: Int64(part)))
    }

    /// So many seconds of the story's time in the runtime's, to the microsecond.
    func paced(_ seconds: Double) -> Duration { .microseconds(Int64((seconds / speed * 1e6).rounded())) }

    /// Threads of its own for one part of the story. Under a virtual clock that part runs on the runtime's executor, so
    /// that a run is exact.
    func pool(_ name: String, width: Int) -> any PromiseExecutor {
        runtime.clock.followsCycleCounter ? PoolExecutor(name: name, width: width) : runtime.executor
    }

    /// Waits, on no thread.
    func pause(
        _ seconds: Double, label: String = "", file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<Void> {
        .delay(paced(seconds), label: label, file: file, line: line)
    }

    /// Calls `body` at once and then again and again, with 1, 2, 3 and so on, until the stage is closed. What it makes
    /// are chains of their own: nobody's handler makes them.
    func every(_ seconds: Double, _ body: @escaping @Sendable (Int) -> Void) { happen(1, seconds, body) }

    private func happen(_ number: Int, _ seconds: Double, _ body: @escaping @Sendable (Int) -> Void) {
        guard !isClosed.load(ordering: .relaxed) else { return }
        runtime.run { body(number) }
        let pause = paced(seconds).components
        let nanoseconds = UInt64(pause.seconds) * 1_000_000_000 + UInt64(pause.attoseconds / 1_000_000_000)
        _ = runtime.clock.schedule(at: runtime.clock.now + max(1, nanoseconds)) { [self] in
            happen(number + 1, seconds, body)
        }
    }

    /// Keeps the calling thread for a while, as a slow library would, in slices: a handler that is cancelled stops
    /// early. Under a virtual clock no time passes, so it returns at once.
    func block(_ seconds: Double) throws {
        guard runtime.clock.followsCycleCounter else { return }
        let end = runtime.clock.now + UInt64(seconds / speed * 1e9)
        while runtime.clock.now < end {
            if ChainRuntime.isCancelled { throw Stopped() }
            usleep(2_000)
        }
    }

    /// Work that noticed its cancellation.
    struct Stopped: Error, CustomStringConvertible {
        var description: String { "stopped half-way" }
    }
}

/// Dice that fall the same way for the same seed (SplitMix64, Steele, Lea and Flood 2014).
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    /// True in so many of a hundred cases.
    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    /// A number of seconds between two others, in hundredths.
    mutating func seconds(_ range: ClosedRange<Double>) -> Double {
        (Double.random(in: range, using: &self) * 100).rounded() / 100
    }

    /// One of several.
    mutating func pick<Element>(_ elements: [Element]) -> Element { elements.randomElement(using: &self)! }
}
