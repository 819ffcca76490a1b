#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The seeds of a random test.
///
/// `CHAINVIEW_SEED=17` runs one seed alone, to repeat a failure; `CHAINVIEW_SEEDS=100` runs a hundred times as many
/// (`make nightly`), `CHAINVIEW_SEEDS=0.25` a quarter, at least one (suites under ThreadSanitizer in `.ci/run`).
public enum Seeds {
    /// Returns the seeds from 1 to `count`, unless the environment overrides them.
    public static func upTo(_ count: UInt64) -> [UInt64] {
        if let one = number(in: "CHAINVIEW_SEED") { return [UInt64(one)] }
        let factor = number(in: "CHAINVIEW_SEEDS") ?? 1
        return Array(1...max(1, UInt64(Double(count) * factor)))
    }

    /// Returns how many rounds a test runs that repeats a race, or makes load: `count`, or fewer if `CHAINVIEW_SEEDS` is
    /// below 1. Never more, because the limits of such tests (time, memory, retention) are made for `count`.
    public static func rounds(_ count: Int) -> Int {
        max(1, Int(Double(count) * min(1, number(in: "CHAINVIEW_SEEDS") ?? 1)))
    }

    /// Calls `body` with the seeds from 1 to `count`, and prints them by the hundred before they run: if the process
    /// dies, the last line names the range.
    public static func forEach(upTo count: UInt64, of test: String, _ body: (UInt64) throws -> Void) rethrows {
        let seeds = upTo(count)
        for (index, seed) in seeds.enumerated() {
            if index % 100 == 0 {
                let last = seeds[min(index + 99, seeds.count - 1)]
                print("\(test): CHAINVIEW_SEED=\(seed) to \(last)")
                fflush(nil)
            }
            try body(seed)
        }
    }

    private static func number(in variable: String) -> Double? {
        guard let text = getenv(variable).map({ String(cString: $0) }), !text.isEmpty else { return nil }
        guard let number = Double(text), (0...1e9).contains(number) else {
            fatalError("\(variable) must be a number, not \(text)")
        }
        return number
    }
}

// SPDX-License-Identifier: MIT
