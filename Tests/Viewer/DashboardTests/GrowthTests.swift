import ChainModel
import Testing

@testable import Dashboard

/// What events fill is bounded, whichever view is shown.
struct GrowthTests {
    /// How many chains begin in each step. They settle in the next step, so that they are seen in flight.
    private static let chainCount: UInt64 = 50

    private func step(_ step: UInt64) -> Script {
        var script = Script(sequence: step + 1, time: Double(step) * 100)
        for chain in (step * Self.chainCount)..<((step + 1) * Self.chainCount) {
            let first = chain * 4 + 1
            script.make(first, .delay, "order \(chain)", external: true)
            script.make(first + 1, .map, "check", under: first)
            script.make(first + 2, .work, "look-up", by: first + 1)
            script.start(first + 2)
        }
        guard step > 0 else { return script }
        for chain in ((step - 1) * Self.chainCount)..<(step * Self.chainCount) {
            let first = chain * 4 + 1
            script.end(first + 2)
            script.fulfill(first + 2)
            if chain % 5 == 0 { script.reject(first, "declined") } else { script.fulfill(first) }
            if chain % 5 == 0 { script.skip(first + 1, error: true) } else { script.fulfill(first + 1) }
        }
        return script
    }

    @Test(arguments: ViewID.allCases) func aStormOfShortChainsFillsNoTable(view: ViewID) {
        var options = State.Options()
        options.limits.settledNodeLimit = 400
        options.limits.settledLeafLimit = 400
        var screen = Screen(160, 50, options: options)
        // All counts begin, with the details open and the tree in groups.
        screen.type("47")
        screen.type("1t\(view.rawValue)")
        for number in 0..<40 as Range<UInt64> { screen.feed(step(number)) }
        let before = TableSizes(of: screen.state)
        for number in 40..<120 as Range<UInt64> { screen.feed(step(number)) }
        let after = TableSizes(of: screen.state)
        for (path, count) in after.counts.sorted(by: { $0.key < $1.key }) {
            let earlier = before.counts[path] ?? 0
            // The index of the view of events has an entry for each kept row at most.
            let limit = path.hasSuffix(".index.entries") ? 2 * EventsInsight.limit : max(2 * earlier, 512)
            #expect(count <= limit, "\(path) grew from \(earlier) to \(count)")
        }
        for queue in screen.state.queueStatistics {
            #expect(queue.count <= queue.limit && queue.highWaterMark <= queue.limit, "\(queue)")
        }
    }
}

/// The number of elements of all collections in a value, by the path of property names to them.
private struct TableSizes {
    private(set) var counts: [String: Int] = [:]
    private var objects: Set<ObjectIdentifier> = []

    /// The maximum number of elements of a collection that are looked into.
    private static let sampleCount = 64

    init(of value: Any) { add(value, "") }

    private mutating func add(_ value: Any, _ path: String) {
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .collection, .set, .dictionary:
            counts[path, default: 0] += mirror.children.count
            for child in mirror.children.prefix(Self.sampleCount) { add(child.value, path + "[]") }
        case .class:
            guard objects.insert(ObjectIdentifier(value as AnyObject)).inserted else { return }
            addProperties(of: mirror, path)
        default: addProperties(of: mirror, path)
        }
    }

    private mutating func addProperties(of mirror: Mirror, _ path: String) {
        for child in mirror.children { add(child.value, path + "." + (child.label ?? "")) }
    }
}

// SPDX-License-Identifier: MIT
