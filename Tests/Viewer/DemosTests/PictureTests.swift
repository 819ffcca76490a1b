import ChainEvents
import ChainInspector
import Dashboard
import Demos
import Dispatch
import Foundation
import Frames
import PromiseRuntime
import Testing

/// The README's picture: `make picture` draws it anew, from a real run of the default demo.
struct PictureTests {
    private static let size = Size(columns: 120, rows: 40)
    private static let environment = ProcessInfo.processInfo.environment

    /// Some seconds of orders, so that there is one of everything; drawn into the file that `CHAINVIEW_PICTURE` names.
    @Test(.enabled(if: environment["CHAINVIEW_PICTURE"] != nil))
    func drawsTheREADMEsPicture() throws {
        let path = try #require(Self.environment["CHAINVIEW_PICTURE"])
        var state = try Self.watch("checkout", for: .milliseconds(4300))
        // Selects the bank's second attempt, and opens its details.
        func selectedRow() -> Substring {
            render(state).plainText().split(separator: "\n").first { $0.hasPrefix("›") } ?? ""
        }
        for _ in 0..<20 where !selectedRow().contains("bank 2 of 3") {
            _ = reduce(into: &state, .key(.character("j")))
        }
        _ = reduce(into: &state, .key(KeyPress(.enter)))
        let svg = render(state).svg(theme: state.options.theme)
        try svg.write(toFile: path, atomically: true, encoding: .utf8)
    }

    @Test func thePictureIsOneOfADashboard() throws {
        let here = URL(fileURLWithPath: #filePath)
        let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let svg = try String(contentsOf: root.appendingPathComponent("demos/chainview.svg"), encoding: .utf8)
        #expect(svg.hasPrefix("<svg"))
        for word in ["checkout", "live", "running", "order", "charge"] { #expect(svg.contains(word)) }
        // The layout is the present one: its header, its tabs and its footer.
        for word in ["in flight", "failed/min", "oldest", "7 Profile", "t group"] {
            let isShown = word.split(separator: " ").allSatisfy(svg.contains)
            #expect(isShown, "\(word): make picture draws it anew")
        }
    }

    /// Returns the dashboard's state after a demo has run for a while on real threads.
    private static func watch(_ name: String, for duration: DispatchTimeInterval) throws -> State {
        let runtime = ChainRuntime()
        var options = InspectorOptions()
        options.endpoints = []
        options.capturesValues = true
        let inspector = try Inspector.start(name: name, runtime: runtime, options: options)
        defer { inspector.stop() }
        var state = State(size: size)
        let process = ProcessDescription(
            key: inspector.info.key, pid: 4242, name: name, wallOffset: inspector.info.wallOffset)
        _ = reduce(into: &state, .connected(SourceID(0), process))

        let context = DemoContext(runtime: runtime, seed: 1)
        defer { context.close() }
        let news = DispatchSemaphore(value: 0)
        let subscription = inspector.subscribe { news.signal() }
        try #require(Demo.named(name)).start(in: context)
        let end = DispatchTime.now() + duration
        while DispatchTime.now() < end {
            _ = news.wait(timeout: min(end, .now() + .milliseconds(100)))
            while let batch = subscription.next() { _ = reduce(into: &state, .received(SourceID(0), batch)) }
            let now = runtime.clock.nanoseconds
            _ = reduce(into: &state, .tick(wall: process.wallOffset + now, monotonic: now))
        }
        return state
    }
}

// SPDX-License-Identifier: MIT
